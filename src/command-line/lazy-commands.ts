// Nouns, and commands that are none, on the parser: each by name and summary alone, until it is typed and what stands
// behind it is loaded.
import type { Command } from "commander";
import { childCommand } from "./child-command.ts";
import type { CommandTable } from "./command-table.ts";
import type { Dispatch } from "./dispatch.ts";
import { addVerbs, type Verbs } from "./verbs.ts";

/** Gives a command what the table leaves out: its flags, arguments and action. */
type Complete = (command: Command, dispatch: Dispatch, commands: CommandTable) => void;

/** A noun or a command without verbs, as far as help needs it. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The heading that help lists it under; the last one by default. */
  readonly group?: string;
  /** What stands behind it: the verbs of a noun, or what a command without verbs takes. */
  readonly load: () => Promise<Verbs | Complete>;
}

/** Adds these commands; each is completed for these words when it is about to be parsed. */
export function addCommands(
  program: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  dispatch: Dispatch,
): CommandTable {
  const completions = new Map<Command, (words: readonly string[]) => Promise<void>>();
  for (const { name, aliases, summary, group, load } of entries) {
    const command = program
      .command(name)
      .helpGroup(group ?? "More")
      .summary(summary)
      .description(summary)
      .aliases([...(aliases ?? [])]);
    completions.set(command, async (typed) => {
      completions.delete(command);
      const behind = await load();
      if (typeof behind === "function") behind(command, dispatch, table);
      else await addVerbs(command, behind, typed, dispatch);
    });
  }
  const table: CommandTable = {
    async find(path, typed = []) {
      let command = program;
      for (const word of path) {
        const found = childCommand(command, word);
        if (found === undefined) {
          await table.completeAll();
          throw (await import("./wrong-words/unknown-words.ts")).unknownCommandFailure(command, word);
        }
        command = found;
        await completions.get(command)?.(typed);
      }
      return command;
    },
    async completeAll() {
      for (const complete of completions.values()) await complete([]);
    },
  };
  program.hook("preSubcommand", (_, command) => completions.get(command)?.(words));
  return table;
}

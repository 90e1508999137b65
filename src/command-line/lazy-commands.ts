// Adds nouns, and commands without a noun, by name and summary alone. The verbs and flags of one are loaded when it is
// typed.
import type { Command } from "commander";
import { childCommand } from "./lineage.ts";
import type { CommandTable } from "./command-table.ts";
import { actBy, type Define, type Dispatch } from "./command.ts";

/** Loads the file of one command. */
type Load = () => Promise<Define>;

/** The verbs of a noun, by name. */
type Verbs = Readonly<Record<string, Load>>;

/** A noun, or a command without verbs, with what the program's help says of it. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The heading that help lists it under; the last one by default. */
  readonly group?: string;
  /** The verbs of a noun; of a command without verbs, its own definition. */
  readonly load: Verbs | Load;
}

/** Adds these commands. Each is defined when it is about to be parsed, with the verbs that `words` name. */
export function addCommands(
  program: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  dispatch: Dispatch,
): CommandTable {
  const act = actBy(dispatch);
  const definitions = new Map<Command, (words: readonly string[]) => Promise<void>>();
  for (const { name, aliases, summary, group, load } of entries) {
    const command = program
      .command(name)
      .helpGroup(group ?? "More")
      .summary(summary)
      .description(summary)
      .aliases([...(aliases ?? [])]);
    definitions.set(command, async (typed) => {
      definitions.delete(command);
      if (typeof load === "function") (await load())(command, act, table);
      else
        for (const [verb, define] of await loadVerbs(load, typed)) define(command.command(verb), act, table);
    });
  }
  const table: CommandTable = {
    async find(path, typed = []) {
      let command = program;
      for (const word of path) {
        const found = childCommand(command, word);
        if (found === undefined) {
          await table.defineAll();
          throw (await import("./wrong-words/unknown-words.ts")).unknownCommandFailure(command, word);
        }
        command = found;
        await definitions.get(command)?.(typed);
      }
      return command;
    },
    async defineAll() {
      for (const define of definitions.values()) await define([]);
    },
  };
  program.hook("preSubcommand", (_, command) => definitions.get(command)?.(words));
  return table;
}

/**
 * Loads the verbs that are among these words; all verbs where none is, for help, an alias or a mistake. A value that
 * looks like a verb does no harm: one verb too many is loaded.
 */
async function loadVerbs(
  verbs: Verbs,
  words: readonly string[],
): Promise<readonly (readonly [name: string, define: Define])[]> {
  const all = Object.entries(verbs);
  const isForHelp = words.includes("--help") || words.includes("-h");
  const typed = isForHelp ? [] : all.filter(([name]) => words.includes(name));
  const wanted = typed.length > 0 ? typed : all;
  return Promise.all(wanted.map(async ([name, load]) => [name, await load()] as const));
}

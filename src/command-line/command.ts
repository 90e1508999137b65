// Commands and their table.
//
// Each noun is registered with only its name and summary. Its verbs and flags are loaded when they are typed, so that a
// run loads one command. Help, completion and unknown words load all of them (`defineAll`). The `Define` of a command
// adds flags, arguments and examples, and passes the action to `act`. No action runs in this module.
import type { Command } from "commander";
import type { Context } from "../run/context.ts";
import type { CommandTraits } from "../run/run-command.ts";

export { addExamples, explainInherited, printsFields } from "./help-sections.ts";
export type { Context };

/** Creates the context from the command's flags, runs `work`, and closes everything that the context opened. */
export type Dispatch = (
  command: Command,
  work: (context: Context) => Promise<void>,
  traits?: CommandTraits,
) => Promise<void>;

/** Wraps `run` as a commander action; `run` receives the context, then the arguments and the flags. */
type Act = (
  run: (context: Context, ...given: never[]) => Promise<void>,
  traits?: CommandTraits,
) => (...given: readonly unknown[]) => Promise<void>;

/** Adds the flags, arguments and action to a command that so far has only its name and summary. */
export type Define = (command: Command, act: Act, commands: CommandTable) => void;

/** The commands of a program. A noun has only its name and summary until it is defined, which loads its verbs. */
export interface CommandTable {
  /**
   * Finds the command at this path, aliases included, and defines it; an empty path is the program. If `typed` names
   * verbs, it may load only those. Throws a usage failure for an unknown command.
   */
  find(path: readonly string[], typed?: readonly string[]): Promise<Command>;
  defineAll(): Promise<void>;
}

type Load = () => Promise<Define>;

type Verbs = Readonly<Record<string, Load>>;

/** A noun, or a command without verbs, with its entry in the program's help. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The first paragraph of its own help; by default the summary. */
  readonly description?: string;
  /** The heading in the program's help; by default the command is listed by name, as an additional command. */
  readonly group?: string;
  /** The verbs of a noun, or the definition of a command without verbs. */
  readonly load: Verbs | Load;
}

/** Adds these commands. Each is defined when it is about to be parsed, with the verbs that `words` name. */
export function addCommands(
  program: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  dispatch: Dispatch,
): CommandTable {
  // Commander passes the command itself as the last argument.
  const act: Act =
    (run, traits) =>
    (...given) =>
      dispatch(given.at(-1) as Command, (context) => run(context, ...(given as never[])), traits);
  const definitions = new Map<Command, (words: readonly string[]) => Promise<void>>();
  for (const { name, aliases, summary, description, group, load } of entries) {
    const command = program
      .command(name)
      .helpGroup(group ?? "Additional commands")
      .summary(summary)
      .description(description ?? summary)
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
          throw (await import("./usage-errors.ts")).unknownCommandFailure(command, word);
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
 * Loads the verbs among these words, or all verbs if there are none (help, an alias or a typo). A flag value that looks
 * like a verb loads one verb needlessly. With --help, only the second word counts, because it cannot be the value of a
 * flag: otherwise the help of a noun could lack verbs.
 */
async function loadVerbs(
  verbs: Verbs,
  words: readonly string[],
): Promise<readonly (readonly [name: string, define: Define])[]> {
  const all = Object.entries(verbs);
  const isForHelp = words.includes("--help") || words.includes("-h");
  const isVerbSecond = words[0]?.startsWith("-") === false;
  const candidates = isForHelp ? words.slice(1, isVerbSecond ? 2 : 1) : words;
  const typed = all.filter(([name]) => candidates.includes(name));
  const needed = typed.length > 0 ? typed : all;
  return Promise.all(needed.map(async ([name, load]) => [name, await load()] as const));
}

/** The command, its noun (if any) and the program, in this order. */
export function lineageOf(command: Command): readonly [Command, ...Command[]] {
  return command.parent === null ? [command] : [command, ...lineageOf(command.parent)];
}

/** The words that lead to a command, without the program's name; none for the program. */
export function pathOf(command: Command): readonly string[] {
  return lineageOf(command)
    .map((one) => one.name())
    .toReversed()
    .slice(1);
}

export function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

export function childCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

// The table of commands. Commander gets the name, aliases and summary of each noun at once. The verbs of a noun, and the flags,
// arguments and action of a command, follow when it is about to be parsed, so that a run loads one command.
import type { Command } from "commander";
import type { Context } from "../run/context.ts";
import type { CommandTraits } from "../run/run-command.ts";

export { addExamples, addNote, printsFields } from "./help.ts";
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

/** Adds the flags, arguments and action to a command. */
export type Define = (command: Command, act: Act, commands: CommandTable) => void;

type Load = () => Promise<{ readonly define: Define }>;

/** The verbs of a noun. `list` has the alias `ls`, and `delete` `rm`. */
export type Verbs = Readonly<Record<string, readonly [summary: string, load: Load]>>;

/** A noun with its verbs, or a command without verbs. */
interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Follows the summary in its own help. */
  readonly note?: string;
  readonly verbs?: Verbs;
  readonly load?: Load;
}

/** The commands by the headings in the program's help. */
export type CommandGroups = Readonly<Record<string, readonly CommandEntry[]>>;

interface CommandTable {
  /** The last command that was typed. */
  current(): Command;
  /** Loads the verbs of a noun, or the flags, arguments and action of a command. */
  define(command: Command): Promise<void>;
}

const verbAliases: Readonly<Record<string, string>> = { list: "ls", delete: "rm" };

export function addCommands(program: Command, groups: CommandGroups, dispatch: Dispatch): CommandTable {
  let current = program;
  const loaders = new Map<Command, Load>();
  // Commander passes the command itself as the last argument.
  const act: Act =
    (run, traits) =>
    (...given) =>
      dispatch(given.at(-1) as Command, (context) => run(context, ...(given as never[])), traits);
  const table: CommandTable = {
    current: () => current,
    async define(command) {
      const load = loaders.get(command);
      loaders.delete(command);
      (await load?.())?.define(command, act, table);
    },
  };
  const add = (parent: Command, name: string, summary: string, load: Load): Command => {
    const command = parent.command(name).summary(summary).description(summary).helpCommand(false);
    loaders.set(command, load);
    return command;
  };
  const withVerbs =
    (verbs: Verbs): Load =>
    async () => ({
      define(noun) {
        for (const [verb, [summary, load]] of Object.entries(verbs)) {
          const alias = verbAliases[verb];
          add(noun, verb, summary, load).aliases(alias === undefined ? [] : [alias]);
        }
      },
    });
  const enter = (_: Command, command: Command): Promise<void> => {
    if (command.name() !== "help") current = command;
    return table.define(command);
  };
  program.hook("preSubcommand", enter);
  for (const [group, entries] of Object.entries(groups))
    for (const { name, aliases = [], summary, note, verbs = {}, load } of entries)
      add(program, name, summary, load ?? withVerbs(verbs))
        .aliases([...aliases])
        .description(note === undefined ? summary : `${summary}. ${note}`)
        .helpGroup(group)
        .hook("preSubcommand", enter);
  return table;
}

/** The command, its noun (if any) and the program, in this order. */
export function lineageOf(command: Command): readonly [Command, ...Command[]] {
  return command.parent === null ? [command] : [command, ...lineageOf(command.parent)];
}

/** As in `grantctl grant list`. */
export function commandName(command: Command): string {
  const names = lineageOf(command).map((one) => one.name());
  return names.toReversed().join(" ");
}

export function childCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

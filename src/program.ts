// The command-line parser: global flags, nouns and verbs, and help. It runs nothing itself: actions go to `dispatch`.
import { Command } from "commander";
import { addCommands, type CommandTable, type Dispatch } from "./command-line/command.ts";
import { addExamples, addNote, formatNotes, helperOf, helpStyle } from "./command-line/help.ts";
import { commandEntries } from "./commands/index.ts";
import { addGlobalOptions } from "./config/global-options.ts";
import { version } from "./version.ts";

const widestHelp = 100;

export interface Parser {
  readonly program: Command;
  readonly commands: CommandTable;
}

interface ParserOptions {
  /** The width of the terminal that help is for. */
  readonly columns: () => number;
  /** True if help may have bold headings. */
  readonly hasColours: () => boolean;
  readonly writeHelp: (text: string) => void;
  readonly dispatch: Dispatch;
}

/** The parser with every command. It throws commander's CommanderError for words that it does not understand. */
export function createParser({ columns, hasColours, writeHelp, dispatch }: ParserOptions): Parser {
  const program = new Command("grantctl")
    .summary("Manage OAuth grants and tokens")
    .description("Manage OAuth grants and tokens from the command line.")
    .usage("<command> [flags]")
    .version(version, "--version", "Show the version")
    .helpOption("-h, --help", "Show help for command")
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpStyle(hasColours))
    .configureOutput({
      writeOut: writeHelp,
      // Commander writes a noun's help here when the verb is missing; errors are reported in main.
      writeErr: writeHelp,
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(widestHelp, columns()),
      getErrHelpWidth: () => Math.min(widestHelp, columns()),
      getOutHasColors: hasColours,
      getErrHasColors: hasColours,
    });
  addGlobalOptions(program);
  addNote(
    program,
    "Get started",
    "Run `grantctl auth login` to log in, or `grantctl sandbox run -- grantctl grant list` to try grantctl without a server.",
  );
  addExamples(program, [
    "grantctl grant list --older-than 90d",
    "grantctl token reset --output-file new.txt < leaked.txt",
  ]);
  program.addHelpText("afterAll", ({ command }) => `\n${formatNotes([learnMore], helperOf(command))}`);
  return { program, commands: addCommands(program, commandEntries, dispatch) };
}

const learnMore = [
  "Learn more",
  "Run `grantctl help` with a command, or with a topic: flags (for every command), exit-codes, environment, formatting.",
] as const;

/** The program with every command and all flags, for tests. It runs nothing. */
export async function createWholeProgram(): Promise<Command> {
  const { program, commands } = createParser({
    columns: () => widestHelp,
    hasColours: () => false,
    writeHelp: () => undefined,
    dispatch: () => Promise.resolve(),
  });
  await commands.defineAll();
  return program;
}

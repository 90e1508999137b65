// The command-line parser: global flags, nouns and verbs, and the output of help. It runs nothing itself: actions go to
// `dispatch`.
import { Command, CommanderError } from "commander";
import { type Dispatch, type CommandTable, addCommands, childCommand } from "./command-line/command.ts";
import { commandPage } from "./command-line/help-page.ts";
import { renderText } from "./command-line/help-text.ts";
import { addExamples } from "./command-line/help-sections.ts";
import { commandEntries } from "./commands/index.ts";
import { addGlobalOptions } from "./config/global-options.ts";
import { version } from "./version.ts";

const widestHelp = 100;

export interface Parser {
  readonly program: Command;
  readonly commands: CommandTable;
}

interface ParserOptions {
  /** The width to wrap at, before the limit of a comfortable line. */
  readonly columns: () => number;
  /** True if help may have bold headings. */
  readonly hasColours: boolean;
  readonly writeHelp: (text: string) => void;
  readonly words: readonly string[];
  readonly dispatch: Dispatch;
}

/** The parser with every command. Throws commander's CommanderError for words that it does not understand. */
export function createParser({ words, columns, hasColours, writeHelp, dispatch }: ParserOptions): Parser {
  const width = (): number => Math.min(widestHelp, columns());
  const program = new Command("grantctl")
    .summary("Manage OAuth grants and tokens")
    .description("Manage OAuth grants and tokens from the command line.")
    .version(version, "--version", "Show the version")
    .helpOption("-h, --help", "Show help for command")
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: writeHelp,
      // Commander writes a noun's help here when the verb is missing; errors are reported in main.
      writeErr: writeHelp,
      outputError: () => undefined,
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      getOutHasColors: () => hasColours,
      getErrHasColors: () => hasColours,
    })
    .configureHelp({
      formatHelp: (command, { helpWidth }) => {
        refuseUnknownCommand(command);
        return renderText(commandPage(command), helpWidth ?? widestHelp, hasColours);
      },
    });
  addGlobalOptions(program);
  addExamples(program, [
    "grantctl auth login",
    "grantctl grant list --older-than 90d",
    "grantctl token reset --output-file new.txt < leaked.txt",
  ]);
  const commands = addCommands(program, commandEntries, words, dispatch);
  return { program, commands };
}

/**
 * Throws commander's error for `grantctl bogus --help`: commander itself would show the help of the program, which looks
 * as if the command existed.
 */
function refuseUnknownCommand(command: Command): void {
  const [word] = command.args;
  if (word === undefined || word === "help" || word.startsWith("-") || command.commands.length === 0) return;
  if (childCommand(command, word) === undefined) {
    throw new CommanderError(1, "commander.unknownCommand", `error: unknown command '${word}'`);
  }
}

/** The program with every command and all flags, for tests. It runs nothing. */
export async function createWholeProgram(): Promise<Command> {
  const { program, commands } = createParser({
    words: [],
    columns: () => widestHelp,
    hasColours: false,
    writeHelp: () => undefined,
    dispatch: () => Promise.resolve(),
  });
  await commands.defineAll();
  return program;
}

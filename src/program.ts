// The parser: global flags, nouns and verbs, and where help is written. It parses command lines and carries out
// nothing: actions go to `dispatch`.
import { Command } from "commander";
import { type Dispatch, type CommandTable, addCommands } from "./command-line/command.ts";
import { commandPage, renderText } from "./command-line/help-page.ts";
import { addExamples } from "./command-line/help-sections.ts";
import { commandEntries } from "./commands/index.ts";
import { addGlobalOptions } from "./config/global-options.ts";
import type { OutputTarget } from "./host/standard-streams.ts";
import { version } from "./version.ts";

const widestHelp = 100;

export interface Parser {
  readonly program: Command;
  readonly commands: CommandTable;
}

/** Where help is written, and how. */
export interface HelpOutput {
  readonly target: Pick<OutputTarget, "isTerminal" | "columns">;
  /** Whether help may have bold headings. */
  readonly hasColours: boolean;
  readonly writeHelp: (text: string) => void;
}

export interface ParserOptions extends HelpOutput {
  readonly words: readonly string[];
  readonly dispatch: Dispatch;
}

/** How many columns help may take: the window's, 100 at most. */
function widthOfHelp({ isTerminal, columns }: HelpOutput["target"]): number {
  return Math.min(widestHelp, isTerminal ? columns : widestHelp);
}

/** The parser with every command. Throws commander's CommanderError for words that it does not understand. */
export function createParser({ words, target, hasColours, writeHelp, dispatch }: ParserOptions): Parser {
  const width = (): number => widthOfHelp(target);
  const program = new Command("grantctl")
    .summary("manage OAuth grants and tokens")
    .description("Manage OAuth grants and tokens, on a service with the OAuth Authorizations API.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
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
      formatHelp: (command, { helpWidth }) =>
        renderText(commandPage(command), helpWidth ?? widestHelp, hasColours),
    });
  addGlobalOptions(program);
  addExamples(program, [
    "grantctl grant list --older-than 90d --json id --jq '.[].id' | grantctl grant delete - --dry-run",
    'TOKEN=$(grantctl authorization create --note "ci $(hostname)" --scope repo --machine-fingerprint) || exit',
    "grantctl token reset --output-file new.txt < leaked.txt",
  ]);
  const commands = addCommands(program, commandEntries, words, dispatch);
  return { program, commands };
}

/** The program with every command and all flags, for generated documents and for tests. It runs nothing. */
export async function createWholeProgram(): Promise<Command> {
  const { program, commands } = createParser({
    words: [],
    target: { isTerminal: false, columns: widestHelp },
    hasColours: false,
    writeHelp: () => undefined,
    dispatch: () => Promise.resolve(),
  });
  await commands.defineAll();
  return program;
}

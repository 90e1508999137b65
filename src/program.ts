// The command-line parser: global flags, nouns and verbs, and help. It runs nothing itself: actions go to `dispatch`.
import { Command } from "commander";
import { addCommands, type Dispatch } from "./command-line/command.ts";
import { addExamples, addNote, formatNotes, helperOf, helpStyle } from "./command-line/help.ts";
import { commandGroups } from "./commands/index.ts";
import { addGlobalOptions, mayColour } from "./config/global-options.ts";
import { version, type Host } from "./system/host.ts";

const widestHelp = 100;

export type Parser = ReturnType<typeof createParser>;

/** The parser with every command. It throws commander's CommanderError for words that it does not understand. */
export function createParser(
  { environment, stdout }: Pick<Host, "environment" | "stdout">,
  writeHelp: (text: string) => void,
  dispatch: Dispatch,
) {
  const program = new Command("grantctl");
  const helpWidth = (): number => Math.min(widestHelp, stdout.columns);
  const hasColours = (): boolean =>
    program.opts<{ color: boolean }>().color && mayColour(environment, stdout.isTerminal);
  program
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
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
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
    "grantctl token check --proof-token-file active.txt leaked.txt",
  ]);
  program.addHelpText("afterAll", ({ command }) => `\n${formatNotes([learnMore], helperOf(command))}`);
  return { program, commands: addCommands(program, commandGroups, dispatch) };
}

const learnMore = [
  "Learn more",
  "Run `grantctl help flags` for --base-url, --json, --jq and the other global flags. Other topics: exit-codes, environment, formatting.",
] as const;

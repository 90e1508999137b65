// The flags of the commands that take tokens, and the section of their help on where tokens come from.
import { Option, type Command } from "commander";
import { addHelpSection, section } from "../../command-line/help-sections.ts";
import { usageFailure } from "../../errors/errors.ts";
import { reportForms, type ReportForm } from "../../reports/report-forms.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly from: ReportForm;
  readonly onlyVerified?: boolean;
  readonly allFindings?: boolean;
  /** Set only by commands with this flag. */
  readonly proofTokenFile?: string;
}

/** Adds the flags for reading tokens. */
export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "read the tokens from this file instead of standard input")
    .addOption(
      new Option("--from <form>", "what the input is: a list of tokens, or the report of a scanner")
        .choices([...reportForms])
        .default("auto" satisfies ReportForm),
    )
    .option("--only-verified", "take only what trufflehog has verified, or GitHub's alert calls active")
    .option("--all-findings", "include findings of detectors for other secrets, such as AWS or Slack keys")
    // Commander's own message would repeat a token that was typed as an argument.
    .allowExcessArguments(true)
    .hook("preAction", refuseArguments);
  return addHelpSection(
    command,
    section(
      "Input",
      "Tokens are read from standard input, one a line, or as JSON with a token field; on a terminal one is asked for.",
      "The reports of trufflehog (--json), of gitleaks (--report-format json) and GitHub's secret scanning alerts are recognised by their form. A secret that was found in several places is one token; JSON output has the places as sources.",
      "Private keys and other secrets that cannot be tokens are left out of a report. So are findings of detectors for other secrets, such as AWS or Slack keys, unless --all-findings is set. If nothing else is left, the exit code is 2 and nothing is sent.",
    ),
  );
}

/** Refuses tokens as arguments. A hyphen means standard input, as for curl and gh. */
function refuseArguments({ args }: Command): void {
  if (args.length === 0 || args.join() === "-") return;
  throw usageFailure(
    "a token cannot be an argument: other users of this machine would see it",
    "pipe it in, or name a file with --token-file",
  );
}

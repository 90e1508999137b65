// The token input of the token commands: flags, help, and the text that read-tokens.ts reads. Tokens come from a file,
// standard input, or a hidden prompt on a terminal, as a list or as a scanner's report; never from an argument, which
// stays in the shell's history.
//
//   no token left, because                                   exit code
//   the report has no findings                               0
//   the findings are no tokens, or secrets of another kind   2
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { firstOf } from "../../deletion/question.ts";
import type { ProofOptions } from "../../jobs/proof-token.ts";
import { noteRepeats } from "../../jobs/read-items.ts";
import { addNote } from "../../command-line/help.ts";
import { usageFailure } from "../../errors/errors.ts";
import { capitalised, counted } from "../../errors/words.ts";
import type { Tokens } from "../../reports/read-tokens.ts";
import { readTextFile } from "../../system/reads.ts";
import { isOfGitHub } from "../../token.ts";
import type { Context } from "../../run/context.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly allFindings?: boolean;
}

export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "Read tokens from this file instead of standard input")
    .option("--all-findings", "Include findings from detectors for other secrets, such as AWS or Slack keys")
    // Not declared as an argument, because Commander would repeat a token that was typed there.
    .usage("[options] [file]")
    .allowExcessArguments(true)
    .hook("preAction", takeFile);
  return addNote(
    command,
    "Input",
    "Tokens are read from the file, or from standard input: one per line, or as JSON with a token field. On a terminal, grantctl prompts for one.",
    "Reports from trufflehog (--json) and gitleaks (--report-format json), and GitHub secret scanning alerts, are detected automatically. A secret found in more than one place counts as one token; JSON output lists the places in the `sources` field.",
    "Private keys and other secrets that cannot be tokens are left out. So are findings from detectors for other secrets, such as AWS or Slack keys, unless --all-findings is set. If none of the findings can be a token, the exit code is 2 and nothing is sent.",
  );
}

/** Takes the one argument as the file of tokens. */
function takeFile(command: Command): void {
  const [path, ...others] = command.args;
  const { tokenFile = "-", proofTokenFile = "-" } = command.opts<TokenInputOptions & ProofOptions>();
  if ([...command.args, tokenFile, proofTokenFile].some((word) => word !== "-" && !existsSync(word)))
    throw usageFailure(
      "there is no such file, and a token cannot be an argument: one that was typed is in the shell's history now",
      "Pass the name of a file with tokens, or the tokens on standard input.",
    );
  if (path === undefined) return;
  if (others.length > 0 || command.getOptionValue("tokenFile") !== undefined)
    throw usageFailure("one file only", "Pass the tokens of several files on standard input.");
  command.setOptionValue("tokenFile", path);
}

export interface TokenItems extends Pick<Tokens, "tokens" | "sourcesOf"> {
  readonly isReport: boolean;
}

/**
 * Reads the tokens, without duplicates. `word` names a token in the prompt for it. Throws a usage failure that names an
 * invalid line or item without repeating it.
 */
export async function readTokenItems(
  options: TokenInputOptions,
  context: Context,
  word = "token of the application",
): Promise<TokenItems> {
  const { tokens, report, sourcesOf } = await findTokens(options, context, word);
  for (const token of tokens) context.redactor.add(token);
  return { tokens, sourcesOf, isReport: report !== null };
}

async function findTokens(
  { tokenFile, allFindings = false }: TokenInputOptions,
  context: Context,
  word: string,
): Promise<Tokens> {
  const { readTokens } = await import("../../reports/read-tokens.ts");
  const { longestToken, isGithub } = context.serverType;
  // As in curl and gh, a hyphen means standard input.
  const path = tokenFile === "-" ? undefined : tokenFile;
  if (path === undefined && context.standardInput.isTerminal) {
    await context.prompter.check(noToken);
    const question = `${capitalised(word)} at ${context.server.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const found = readTokens(typed, { allFindings: true, longestToken });
    if (found.tokens.length === 0) throw noToken();
    return found;
  }
  const text = await (path === undefined ? context.standardInput.read("the tokens") : readTextFile(path));
  const found = readTokens(text, { allFindings, longestToken });
  if (found.report === null) {
    noteRepeats("token", found.count - found.tokens.length, context.notices);
    return found;
  }
  // A report may also contain secrets of other services.
  const tokens = isGithub ? found.tokens.filter(isOfGitHub) : found.tokens;
  noteFindings({ ...found, tokens }, found.tokens.length - tokens.length, context);
  return { ...found, tokens };
}

function noToken(): Error {
  return usageFailure("there is no token", "Pass a file with tokens, or the tokens on standard input.");
}

/** The places or detectors that a message names. */
const named = (places: readonly string[]): string => firstOf([...new Set(places)]);

/** Prints notes about the findings. Throws if some were left out and none remains. */
function noteFindings(
  { report, tokens, count, noTokens, otherDetectors, parts }: Tokens,
  others: number,
  { notices }: Context,
): void {
  notices.note(`read a ${report} report: ${counted(count, "finding")}, ${counted(tokens.length, "token")}`);
  if (parts.length > 0) notices.note(`took the token out of a longer text in ${named(parts)}`);
  if (noTokens.length > 0)
    notices.warn(
      `left out ${counted(noTokens.length, "finding")} that cannot be a token (${named(noTokens)}): several lines, an address, an assignment, a placeholder, or text beyond ASCII`,
    );
  if (otherDetectors.length > 0)
    notices.warn(
      `left out ${counted(otherDetectors.length, "finding")} of detectors for other secrets (${named(otherDetectors)}). Use --all-findings to include them.`,
    );
  if (others > 0) notices.warn(`left out ${counted(others, "secret")} that cannot be a GitHub token`);
  if (tokens.length === 0 && count > 0)
    throw usageFailure("no finding in the report can be a token: nothing was sent");
}

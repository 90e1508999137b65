// The token input of the token commands: flags, help, and the text that read-tokens.ts reads. Tokens come from a file,
// standard input, or a hidden prompt on a terminal, as a list or as a scanner's report; never from an argument, which
// stays in the shell's history.
//
//   left out of a report                                   exit code
//   secrets of other vendors, texts that are no token      that of the others; 2 if there are no others
//   findings of unknown rules, which may be tokens         9 if nothing else went wrong; 2 if there are no others
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { commandLine } from "../../config/command-words.ts";
import { forLaterRuns } from "../../jobs/leftover.ts";
import type { ProofOptions } from "../../jobs/proof-token.ts";
import { noteRepeats } from "../../jobs/read-items.ts";
import { Failure, failureOf, usageFailure } from "../../errors/errors.ts";
import { joinHints } from "../../errors/hints.ts";
import { counted, firstOf, typedWord } from "../../errors/words.ts";
import type { Tokens } from "../../reports/read-tokens.ts";
import { readTextFile } from "../../system/reads.ts";
import { addNote, type Context } from "../../command-line/command.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly allFindings?: boolean;
}

export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "Read tokens from this file instead of standard input")
    .option(
      "--all-findings",
      "Include findings of unknown rules, and of rules for other secrets, such as AWS keys",
    )
    // Not declared as an argument, because Commander would repeat a token that was typed there.
    .usage("[options] [file]")
    .allowExcessArguments(true)
    .hook("preAction", takeFile);
  return addNote(
    command,
    "Input",
    "Tokens are read from the file, or from standard input: one per line, or as JSON with a token field. On a terminal, grantctl prompts for one.",
    "Reports from trufflehog (--json) and gitleaks (--report-format json), and GitHub secret scanning alerts, are detected automatically. A secret found in more than one place counts as one token; JSON output lists the places in the `sources` field.",
    "Private keys and other secrets that cannot be tokens are left out. So are findings of rules for other secrets, such as AWS or Slack keys, unless --all-findings is set. If none of the findings can be a token, the exit code is 2 and nothing is sent. Findings of unknown rules, such as your own, are also left out; the exit code is then 9, because they may be active tokens.",
  );
}

/** Takes the one argument as the file of tokens. */
function takeFile(command: Command): void {
  const [path, ...others] = command.args;
  const { tokenFile = "-", proofTokenFile = "-" } = command.opts<TokenInputOptions & ProofOptions>();
  const files = [
    ...command.args.map((word) => ["", word] as const),
    ["--token-file: ", tokenFile],
    ["--proof-token-file: ", proofTokenFile],
  ] as const;
  for (const [flag, word] of files)
    if (word !== "-" && !existsSync(word))
      throw usageFailure(
        `${flag}there is no file ${typedWord(word)}`,
        "Name a file that contains tokens. A token that was typed in its place is in the shell's history now.",
      );
  if (path === undefined) return;
  if (others.length > 0 || command.getOptionValue("tokenFile") !== undefined)
    throw usageFailure(
      "one file only",
      "Pass several files on standard input: lines with `cat`, or JSON and reports with `jq -s .`.",
    );
  command.setOptionValue("tokenFile", path);
}

export interface TokenItems extends Pick<Tokens, "tokens" | "sourcesOf"> {
  readonly isReport: boolean;
}

/**
 * The action of a command on tokens: reads them, without duplicates, for `run`. Throws a usage failure that names an invalid
 * line or item without repeating it. `check` comes before the tokens are read. Whatever `run` proves, findings that were left out unjudged make the job incomplete.
 */
export function onTokens<Options extends TokenInputOptions>(
  run: (context: Context, options: Options, items: TokenItems) => Promise<void>,
  check?: (context: Context) => void,
) {
  return async (context: Context, options: Options): Promise<void> => {
    check?.(context);
    const { tokens, report, sourcesOf, leftOut } = await findTokens(options, context);
    for (const token of tokens) context.redactor.add(token);
    const failure = await failureOf(run(context, options, { tokens, sourcesOf, isReport: report !== null }));
    const isSettled = failure === null || ["not-found", "incomplete"].includes(failure.kind);
    if (leftOut !== null && !isSettled) context.notices.warn(leftOut.message);
    if (failure !== null && (leftOut === null || !isSettled)) throw failure;
    if (leftOut === null) return;
    if (failure === null) throw leftOut;
    const hint = joinHints([leftOut.details.hint, failure.details.hint]);
    throw leftOut.with({ ...failure.details, hint }, `${leftOut.message}; ${failure.message}`);
  };
}

async function findTokens(
  { tokenFile, allFindings = false }: TokenInputOptions,
  context: Context,
): Promise<Tokens & { readonly leftOut: Failure | null }> {
  const { readTokens } = await import("../../reports/read-tokens.ts");
  const { longestToken, isGithub } = context.serverType;
  // As in curl and gh, a hyphen means standard input.
  const path = tokenFile === "-" ? undefined : tokenFile;
  if (path === undefined && context.standardInput.isTerminal) {
    await context.prompter.check(noToken);
    const question = `Token at ${context.server.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const found = readTokens(typed, { allFindings: true, longestToken });
    if (found.tokens.length === 0) throw noToken();
    return { ...found, leftOut: null };
  }
  const text = await (path === undefined ? context.standardInput.read("the tokens") : readTextFile(path));
  const found = readTokens(text, { allFindings, longestToken, isGithub });
  if (found.report !== null) return { ...found, leftOut: noteFindings(found, context) };
  noteRepeats("token", found.count - found.tokens.length, context.notices);
  return { ...found, leftOut: null };
}

function noToken(): Error {
  return usageFailure("there is no token", "Pass a file with tokens, or the tokens on standard input.");
}

/** The places or detectors that a message names. */
const named = (places: readonly string[]): string => firstOf([...new Set(places)]);

/** Prints notes about the findings. Returns a failure for those that may be tokens and were left out. Throws if none remains. */
function noteFindings(
  { report, tokens, count, noTokens, otherRules, unjudged, parts }: Tokens,
  { notices, host }: Context,
): Failure | null {
  notices.note(`read a ${report} report: ${counted(count, "finding")}, ${counted(tokens.length, "token")}`);
  if (parts.length > 0) notices.note(`took the token out of a longer text in ${named(parts)}`);
  for (const [findings, why] of [
    [noTokens, "that cannot be a token of this server"],
    [otherRules, "of rules for other secrets"],
  ] as const)
    if (findings.length > 0)
      notices.warn(`left out ${counted(findings.length, "finding")} ${why} (${named(findings)})`);
  const leftOut = unjudged.length === 0 ? null : unjudgedFailure(unjudged, host.argv);
  if (tokens.length > 0 || count === 0) return leftOut;
  const reason = leftOut?.message ?? "no finding in the report can be a token";
  const hint = otherRules.length > 0 ? "Use --all-findings to include rules for other secrets." : undefined;
  throw usageFailure(`${reason}: nothing was sent`, leftOut?.details.hint ?? hint);
}

/** The failure of a job that left these findings out. */
function unjudgedFailure(unjudged: Tokens["unjudged"], argv: readonly string[]): Failure {
  const rules = named(unjudged.map(({ rule }) => rule));
  const command = commandLine(...forLaterRuns(argv), "--all-findings");
  return new Failure(
    "incomplete",
    `left out ${counted(unjudged.length, "finding")} of unknown rules (${rules}), which may be active tokens`,
    {
      hint: `If they are tokens of this server, run \`${command}\` with a report of only these rules: it sends every finding.`,
    },
  );
}

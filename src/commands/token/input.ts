// The token input of the token commands: flags, help, and the text that read-tokens.ts reads. Tokens come from a file,
// standard input, or a hidden prompt on a terminal, as a list or as a scanner's report; never from an argument, which
// stays in the shell's history.
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { once } from "../../config/global-options.ts";
import { noteRepeats } from "../../output/notices.ts";
import { failureOf, usageFailure } from "../../errors/errors.ts";
import { joinSentences } from "../../errors/hints.ts";
import { counted, nameTen, typedWord } from "../../errors/words.ts";
import type { Tokens } from "../../reports/read-tokens.ts";
import { readTextFile } from "../../system/reads.ts";
import { addNote, type Context } from "../../command-line/command.ts";

export type { Tokens };

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly allFindings?: boolean;
}

export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "Read tokens from this file (the same as the argument)", once(String))
    .option("--all-findings", "Include findings of rules for other secrets, such as AWS keys")
    // Not declared as an argument, because Commander would repeat a token that was typed there.
    .usage("[options] [file]")
    .allowExcessArguments(true)
    .hook("preAction", takeFile);
  return addNote(
    command,
    "Input",
    "Tokens are read from [file], or from standard input: one per line, or as JSON with a token field. On a terminal, grantctl prompts for one.",
    "Reports from trufflehog (--json) and gitleaks (--report-format json), and GitHub secret scanning alerts, are detected automatically. A secret found in more than one place counts as one token; JSON output lists the places in the `sources` field.",
    "Private keys and other secrets that cannot be tokens are left out. So are findings of all rules but general ones (generic, jwt, curl) and GitHub's, such as those for AWS keys and rules of your own, unless --all-findings is set. If nothing is left, the exit code is 2 and nothing is sent.",
  );
}

/** Takes the one argument as the file of tokens. As in curl and gh, a hyphen means standard input. */
function takeFile(command: Command): void {
  const [path, ...others] = command.args;
  const missing = command.args.find((word) => word !== "-" && !existsSync(word));
  if (missing !== undefined)
    throw usageFailure(
      `there is no file ${typedWord(missing)}`,
      "Name a file that contains tokens. A token that was typed in its place is in the shell's history now.",
    );
  const named = command.getOptionValue("tokenFile") as string | undefined;
  if (path !== undefined && (others.length > 0 || named !== undefined))
    throw usageFailure(
      "one file only",
      "Pass several files on standard input: lines with `cat`, or JSON and reports with `jq -s .`.",
    );
  const file = path ?? named;
  command.setOptionValue("tokenFile", file === "-" ? undefined : file);
}

/** Reads the tokens for `run`, after `check`. Throws a usage failure that names an invalid line by its number. */
export function onTokens<Options extends TokenInputOptions>(
  run: (context: Context, options: Options, input: Tokens) => Promise<void>,
  check?: (context: Context) => void,
) {
  return async (context: Context, options: Options): Promise<void> => {
    check?.(context);
    const input = await readTokenInput(options, context);
    for (const token of input.tokens) context.redactor.add(token);
    const failure =
      input.scanner !== null && input.tokens.length === 0
        ? usageFailure("no finding of the report was sent, so nothing is known of them")
        : await failureOf(run(context, options, input));
    // A successful job has said its last line by now, and nothing of what was left out.
    const remark = leftOutRemark(input);
    if (remark !== undefined) context.notices.warn(remark);
    if (failure !== null) throw failure;
  };
}

async function readTokenInput({ tokenFile, allFindings = false }: TokenInputOptions, context: Context) {
  const { readTokens } = await import("../../reports/read-tokens.ts");
  const { longestToken, isGithub } = context.serverType;
  const text = await readInput(tokenFile, context);
  const found = readTokens(text, { allFindings, longestToken, isGithub });
  const { scanner, tokens, count, parts } = found;
  if (scanner === null) noteRepeats("token", count - tokens.length, context.notices);
  else
    context.notices.note(
      `read a ${scanner} report: ${counted(count, "finding")}, ${counted(tokens.length, "token")}`,
    );
  if (parts.length > 0) context.notices.note(`took the token out of a longer text in ${named(parts)}`);
  return found;
}

async function readInput(path: string | undefined, context: Context): Promise<string> {
  const { standardInput, prompter, server } = context;
  if (path !== undefined) return readTextFile(path);
  if (!standardInput.isTerminal) return standardInput.read("the tokens");
  await prompter.check(noToken);
  return prompter.askSecret(`Token at ${server.origin().href}:`, noToken);
}

function noToken(): Error {
  return usageFailure("there is no token", "Pass a file with tokens, or the tokens on standard input.");
}

/** The places or detectors that a message names. */
const named = (places: readonly string[]): string => nameTen([...new Set(places)]);

/** Says which findings were left out, and what to do; or undefined. */
function leftOutRemark({ otherRules, noTokens }: Tokens): string | undefined {
  const parts: string[] = [];
  if (otherRules.length > 0)
    parts.push(
      `Left out, and possibly active: ${counted(otherRules.length, "finding")} of rules for other secrets (${named(otherRules)}). If a rule finds tokens of this server, pass its findings alone, with --all-findings.`,
    );
  if (noTokens.length > 0)
    parts.push(
      `Left out, because no token was recognized: ${counted(noTokens.length, "finding")} (${named(noTokens)}). If there is one, write it alone into a file, and use that as the input.`,
    );
  return joinSentences(parts);
}

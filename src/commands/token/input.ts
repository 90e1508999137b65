// The token input of the token commands: flags, help, and the text that read-tokens.ts reads. Tokens come from a file,
// standard input, or a hidden prompt on a terminal, as a list or as a scanner's report; never from an argument, which
// stays in the shell's history.
//
//   no token left, because                                   exit code
//   the report has no findings                               0
//   the findings are no tokens, or secrets of another kind   2
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { noteRepeats } from "../../jobs/read-items.ts";
import { addNote } from "../../command-line/help.ts";
import { usageFailure } from "../../errors/errors.ts";
import { capitalised, counted } from "../../errors/words.ts";
import { readInputFile, Unreadable } from "../../system/bounded-reads.ts";
import { decodeText, type Refusal } from "../../system/decode-text.ts";
import { withPlaces, type Places } from "../../reports/places.ts";
import type { Tokens } from "../../reports/read-tokens.ts";
import { isOfGitHub } from "../../token.ts";
import type { Context } from "../../run/context.ts";
import { isPersonalToken, tokenName } from "../../token-value.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly allFindings?: boolean;
  /** Set only by commands with these flags. */
  readonly proofTokenFile?: string;
  readonly resume?: string;
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

/** Takes the one argument as the file of tokens. A hyphen means standard input, as in curl and gh. */
function takeFile(command: Command): void {
  const [path, ...others] = command.args;
  if (path === undefined || (path === "-" && others.length === 0)) return;
  if (others.length > 0 || !existsSync(path))
    throw usageFailure(
      "there is no such file, and a token cannot be an argument: one that was typed is in the shell's history now",
      "Pass the name of a file with tokens, or the tokens on standard input.",
    );
  if (command.getOptionValue("tokenFile") !== undefined)
    throw usageFailure("give the file as an argument or with --token-file, not both");
  command.setOptionValue("tokenFile", path);
}

/** How a command prompts for its tokens. */
interface TokenUse {
  /** The name of a token in the prompt for it, as in "token of the application at https://…". */
  readonly word: string;
  /**
   * Logs in before the prompt for a token, so that the user enters the credentials first; null for a command without
   * credentials.
   */
  readonly logIn: ((context: Context) => Promise<unknown>) | null;
}

const applicationTokens: TokenUse = {
  word: "token of the application",
  logIn: ({ server }) => server.applicationService(),
};

export interface TokenItems extends Places {
  /** The validated tokens, without duplicates. */
  readonly tokens: readonly string[];
  readonly hasSources: boolean;
  /** Names a token in messages by its last eight characters, or by its line if it is shorter. */
  readonly tokenLabel: (token: string) => string;
}

/** Reads the tokens. Throws a usage failure that names an invalid line or item without repeating it. */
export async function readTokenItems(
  options: TokenInputOptions,
  context: Context,
  use: TokenUse = applicationTokens,
): Promise<TokenItems> {
  const found = await findTokens(options, context, use);
  const { tokens } = found;
  const isReport = found.report !== null;
  for (const token of tokens) context.redactor.add(token);
  if (use === applicationTokens) warnOfPersonal(tokens, options, context);
  const hasColumn = isReport && context.stdout.isTerminal && context.printer.format === "table";
  return {
    tokens,
    hasSources: isReport,
    tokenLabel(token) {
      const place = found.placeOf(token);
      return place === null ? tokenName(token) : `the token in ${place}`;
    },
    sourcesOf: (token) => (isReport ? { sources: found.sourcesOf(token) } : {}),
    placed: (presentation) => withPlaces(presentation, hasColumn),
  };
}

/**
 * Warns about personal tokens, which no application can find, active or not. A single one without a proof token needs
 * no warning, because its failure reports the same.
 */
function warnOfPersonal(
  tokens: readonly string[],
  { proofTokenFile }: TokenInputOptions,
  { notices }: Context,
): void {
  const count = tokens.filter(isPersonalToken).length;
  if (count === 0 || (tokens.length === 1 && proofTokenFile === undefined)) return;
  notices.warn(
    `${count} of ${tokens.length} tokens are personal access tokens, which an application's credentials never find, even if they are active. Run \`grantctl token inspect\` to check them.`,
  );
}

async function findTokens(
  options: TokenInputOptions,
  context: Context,
  { word, logIn }: TokenUse,
): Promise<Tokens> {
  // As in curl and gh, a hyphen means standard input.
  const tokenFile = options.tokenFile === "-" ? undefined : options.tokenFile;
  const { readTokens } = await import("../../reports/read-tokens.ts");
  const { longestToken, isGithub } = context.serverType;
  if (tokenFile === undefined && context.standardInput.isTerminal) {
    await context.prompter.check(noToken);
    await logIn?.(context);
    const question = `${capitalised(word)} at ${context.server.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const found = readTokens(typed, { allFindings: true, longestToken });
    if (found.tokens.length === 0) throw noToken();
    return found;
  }
  const text = await readText(tokenFile, context);
  if (options.resume !== undefined && text.trim() === "")
    throw usageFailure("--resume needs the tokens of the job again, and there are none", sameInput);
  const found = readTokens(text, { allFindings: options.allFindings === true, longestToken });
  noteFindings(found, context);
  if (found.report === null || !isGithub) return found;
  // A report may also contain secrets of other services.
  const tokens = found.tokens.filter(isOfGitHub);
  const others = found.tokens.length - tokens.length;
  if (others > 0) context.notices.warn(`left out ${counted(others, "secret")} that cannot be a GitHub token`);
  return { ...found, tokens };
}

const sameInput = "Pass the same file, or the same tokens on standard input.";

function noToken(): Error {
  return usageFailure("there is no token", "Pass a file with tokens, or the tokens on standard input.");
}

async function readText(tokenFile: string | undefined, { standardInput }: Context): Promise<string> {
  if (tokenFile === undefined) return standardInput.read("the tokens");
  const refuse: Refusal = (reason, hint) =>
    usageFailure(`cannot read the tokens in ${tokenFile}: ${reason}`, hint);
  const bytes = await readInputFile(tokenFile).catch((error: unknown) => {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  });
  return decodeText(bytes, refuse);
}

/** Prints notes about the findings. Throws if some were left out and none remains. */
function noteFindings(found: Tokens, { notices }: Context): void {
  const { report, tokens, count, noTokens, otherDetectors, parts } = found;
  if (count === 0) notices.note("the list is empty: no findings");
  else if (report === null && tokens.length < count) noteRepeats("token", count - tokens.length, notices);
  if (report === null) return;
  notices.note(`read a ${report}: ${counted(count, "finding")}, ${counted(tokens.length, "token")}`);
  if (parts.length > 0) notices.note(`took the token out of a longer text in ${placesInWords(parts)}`);
  if (noTokens.length > 0)
    notices.warn(
      `left out ${counted(noTokens.length, "finding")} that cannot be a token (${placesInWords(noTokens)}): several lines, an address, an assignment, or text beyond ASCII`,
    );
  if (otherDetectors.length > 0) {
    const names = [...new Set(otherDetectors)].slice(0, mostNamed).join(", ");
    notices.warn(
      `left out ${counted(otherDetectors.length, "finding")} of detectors for other secrets (${names}). Use --all-findings to include them.`,
    );
  }
  if (tokens.length > 0 || noTokens.length + otherDetectors.length === 0) return;
  throw usageFailure(
    "no finding in the report can be a token: nothing was sent",
    otherDetectors.length > 0 ? "Use --all-findings to include the findings of all detectors." : undefined,
  );
}

/** The maximum number of places or detectors to name. */
const mostNamed = 10;

/** `item 3, item 7 and 12 more`. */
function placesInWords(places: readonly string[]): string {
  const more = places.length - mostNamed;
  return `${places.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

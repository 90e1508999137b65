// The token input of the token commands: flags, help and parsing. Tokens come from a file, standard input, or a hidden
// prompt on a terminal, as a list or as a scanner's report; never from an argument, which other users of the machine
// would see. The whole input is checked before anything is sent.
//
//   no token left, because                                   exit code
//   the report has no findings                               0
//   the findings are no tokens, or secrets of another kind   2
import type { Command } from "commander";
import { noteRepeats } from "../../jobs/read-items.ts";
import { addHelpSection, section } from "../../command-line/help-sections.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { capitalised, counted } from "../../errors/words.ts";
import { inputFilePieces, Unreadable } from "../../files/bounded-reads.ts";
import type { Refusal } from "../../files/decode-text.ts";
import { withPlaces, type Places } from "../../reports/sources.ts";
import type { Findings, LeftOut } from "../../reports/read-report.ts";
import { isGitHubToken } from "../../reports/token-types.ts";
import type { Context } from "../../run/context.ts";
import { isPersonalToken, tokenName } from "../../token-value.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly allFindings?: boolean;
  /** Set only by commands with this flag. */
  readonly proofTokenFile?: string;
}

export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "Read tokens from this file instead of standard input")
    .option("--all-findings", "Include findings from detectors for other secrets, such as AWS or Slack keys")
    // Commander's own message would repeat a token that was typed as an argument.
    .allowExcessArguments(true)
    .hook("preAction", refuseArguments);
  return addHelpSection(
    command,
    section(
      "Input",
      "Tokens are read from standard input, one per line, or as JSON with a token field. On a terminal, grantctl prompts for one.",
      "Reports from trufflehog (--json) and gitleaks (--report-format json), and GitHub secret scanning alerts, are detected automatically. A secret found in more than one place counts as one token; JSON output lists the places in the `sources` field.",
      "Private keys and other secrets that cannot be tokens are ignored. So are findings from detectors for other secrets, such as AWS or Slack keys, unless --all-findings is set. If none of the findings can be a token, the exit code is 2 and nothing is sent.",
    ),
  );
}

/** Rejects tokens as arguments. A hyphen means standard input, as in curl and gh. */
function refuseArguments({ args }: Command): void {
  if (args.length === 0 || args.join() === "-") return;
  throw usageFailure(
    "a token cannot be an argument: other users of this machine would see it",
    "Pass it on standard input, or use --token-file FILE.",
  );
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
  /** True if they are reported as a list. */
  readonly isJob: boolean;
}

/** Reads the tokens. Throws a usage failure that names an invalid line or item without repeating it. */
export async function readTokenItems(
  options: TokenInputOptions,
  context: Context,
  use: TokenUse = applicationTokens,
): Promise<TokenItems> {
  const { tokens, sourcesOf, shortTokens } = await findTokens(options, context, use);
  for (const token of tokens) context.redactor.add(token);
  if (use === applicationTokens) warnOfPersonal(tokens, options, context);
  const hasColumn = sourcesOf !== null && context.stdout.isTerminal && context.printer.format === "table";
  return {
    tokens,
    isJob: tokens.length > 1,
    hasSources: sourcesOf !== null,
    tokenLabel(token) {
      const place = shortTokens.get(token);
      return place === undefined ? tokenName(token) : `the token in ${place}`;
    },
    sourcesOf: (token) => sourcesOf?.(token) ?? {},
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

/** The tokens; `sourcesOf` is null unless they are from a report. */
async function findTokens(
  options: TokenInputOptions,
  context: Context,
  { word, logIn }: TokenUse,
): Promise<Pick<Findings, "tokens" | "shortTokens"> & { sourcesOf: Findings["sourcesOf"] | null }> {
  // As in curl and gh, a hyphen means standard input.
  const tokenFile = options.tokenFile === "-" ? undefined : options.tokenFile;
  if (tokenFile === undefined && context.standardInput.isTerminal) {
    await context.prompter.check(noToken);
    await logIn?.(context);
    const question = `${capitalised(word)} at ${context.server.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const { parseBareToken } = await import("../../jobs/parse-token.ts");
    const token = parseBareToken(typed.trim(), "", context.serverType.longestToken);
    return { tokens: [token], sourcesOf: null, shortTokens: new Map() };
  }
  const { bytes, refuse } = openInput(tokenFile, context);
  const { readReport } = await import("../../reports/read-report.ts");
  const findings = await readReport(bytes, {
    skipsOtherKinds: options.allFindings !== true,
    longestToken: context.serverType.longestToken,
    refuse,
  });
  noteFindings(findings, context);
  if (findings.tool === null) return { ...findings, sourcesOf: null };
  // A report may also contain secrets of other services.
  const tokens = context.serverType.hasTokenForms ? findings.tokens.filter(isGitHubToken) : findings.tokens;
  const others = findings.tokens.length - tokens.length;
  if (others > 0) context.notices.warn(`left out ${counted(others, "secret")} that cannot be a GitHub token`);
  return { ...findings, tokens };
}

function noToken(): Error {
  return usageFailure("there is no token", "Pass it on standard input, or use --token-file FILE.");
}

/** The input, and `refuse`, which creates the failure for invalid input and names its source. */
function openInput(
  tokenFile: string | undefined,
  { standardInput }: Context,
): { readonly bytes: AsyncIterable<Buffer>; readonly refuse: Refusal } {
  if (tokenFile === undefined) {
    return {
      bytes: standardInput.pieces("the tokens"),
      refuse: (reason, hint) =>
        usageFailure(`standard input, which should contain the tokens, cannot be read: ${reason}`, hint),
    };
  }
  const refuse: Refusal = (reason, hint) =>
    usageFailure(`cannot read the tokens in ${foreign(tokenFile)}: ${reason}`, hint);
  return { bytes: translateReadErrors(inputFilePieces(tokenFile), refuse), refuse };
}

async function* translateReadErrors(bytes: AsyncIterable<Buffer>, refuse: Refusal): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  }
}

/** Prints notes about the findings. Throws if some were left out and none remains. */
function noteFindings({ tool, tokens, count, noTokens, otherKinds }: Findings, { notices }: Context): void {
  if (tool === null) {
    if (tokens.length < count) noteRepeats("token", notices)(count - tokens.length);
    else if (count === 0) notices.note("the list is empty: no findings");
    return;
  }
  notices.note(`read a ${tool.report}: ${counted(count, "finding")}, ${counted(tokens.length, "token")}`);
  if (noTokens.count > 0) {
    notices.warn(
      `left out ${counted(noTokens.count, "finding")} that cannot be a token (${formatPlaces(noTokens)}): several lines, an address, a connection string, or text beyond ASCII`,
    );
  }
  if (otherKinds.count > 0) {
    notices.warn(
      `left out ${counted(otherKinds.count, "finding")} of detectors for other secrets (${otherKinds.kinds.join(", ")}). Use --all-findings to include them.`,
    );
  }
  if (tokens.length === 0 && noTokens.count + otherKinds.count > 0) {
    const hint =
      otherKinds.count > 0 ? "Use --all-findings to include the findings of all detectors." : undefined;
    throw usageFailure("no finding in the report can be a token: nothing was sent", hint);
  }
}

/** `items 3, 7 and 12 more`. */
function formatPlaces({ count, places }: LeftOut): string {
  const noun = /^\w+/.exec(places[0] ?? "")?.[0] ?? "";
  const numbers = places.map((place) => place.slice(noun.length + 1)).join(", ");
  const rest = count > places.length ? ` and ${count - places.length} more` : "";
  return `${noun}${count === 1 ? "" : "s"} ${numbers}${rest}`;
}

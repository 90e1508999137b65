// Reads the tokens of a token command from a file, standard input, or a hidden question on a terminal; as a list, or as
// a scanner's report. Never from an argument.
import { isPersonalToken } from "../../token-value.ts";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { withPlaces, type Places } from "../../reports/places.ts";
import type { TokenSources } from "../../reports/sources.ts";
import { isGitHubToken } from "../../reports/tokens-in.ts";
import { capitalised, counted } from "../../errors/words.ts";
import { noteFindings } from "./note-findings.ts";
import { openInput } from "./open-input.ts";
import type { TokenInputOptions } from "./token-input.ts";

/** How a command uses its tokens. */
export interface TokenUse {
  /** What the question for a token calls it, as in "token of the application at https://…". */
  readonly word: string;
  /**
   * Logs in before the question for a token, so that the user types the credentials first; null for a command without
   * credentials.
   */
  readonly logIn: ((context: Context) => Promise<unknown>) | null;
}

const applicationTokens: TokenUse = {
  word: "token of the application",
  logIn: ({ address }) => address.applicationService(),
};

export interface GivenTokens extends Places {
  /** The tokens, checked, each once. */
  readonly tokens: readonly string[];
  readonly hasSources: boolean;
}

/** The tokens of a list, or of a report with their places in it. */
function givenTokens(
  tokens: readonly string[],
  sourcesOf: ((token: string) => TokenSources) | null,
  { stdout, printer }: Pick<Context, "stdout" | "printer">,
): GivenTokens {
  return {
    tokens,
    hasSources: sourcesOf !== null,
    sourcesOf(token) {
      if (sourcesOf === null) return {};
      const { sources, omitted } = sourcesOf(token);
      return { sources, ...(omitted === 0 ? {} : { sources_omitted: omitted }) };
    },
    placed: (presentation) =>
      withPlaces(presentation, sourcesOf !== null && stdout.isTerminal && printer.format === "table"),
  };
}

/** The tokens. Throws a usage failure that names a wrong line or item and never repeats it. */
export async function readTokens(
  options: TokenInputOptions,
  context: Context,
  use: TokenUse = applicationTokens,
): Promise<GivenTokens> {
  const given = await findTokens(options, context, use);
  for (const token of given.tokens) context.redactor.add(token);
  if (use === applicationTokens) warnOfPersonal(given.tokens, options, context);
  return given;
}

/**
 * Warns of personal tokens, which no application finds, live or not. Without a proof token, a single one needs no
 * warning: its failure says the same.
 */
function warnOfPersonal(
  tokens: readonly string[],
  { proofTokenFile }: TokenInputOptions,
  { notices }: Context,
): void {
  const count = tokens.filter(isPersonalToken).length;
  if (count === 0 || (tokens.length === 1 && proofTokenFile === undefined)) return;
  notices.warn(
    `${count} of ${tokens.length} tokens are personal ones, which no application finds, live or not: grantctl token inspect`,
  );
}

async function findTokens(
  options: TokenInputOptions,
  context: Context,
  { word, logIn }: TokenUse,
): Promise<GivenTokens> {
  // As for curl and gh, a hyphen is standard input.
  const tokenFile = options.tokenFile === "-" ? undefined : options.tokenFile;
  if (tokenFile === undefined && context.standardInput.isTerminal) {
    await context.prompter.check(noToken);
    await logIn?.(context);
    const question = `${capitalised(word)} at ${context.address.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const { parseBareToken } = await import("../../reports/read-report.ts");
    return givenTokens([parseBareToken(typed.trim())], null, context);
  }
  const { bytes, refuse } = openInput(tokenFile, context);
  const { readReport } = await import("../../reports/read-report.ts");
  const { from, onlyVerified = false, allFindings = false } = options;
  const skipsOtherKinds = context.operator.skipsOtherKinds && !allFindings;
  const findings = await readReport(bytes, { from, onlyVerified, skipsOtherKinds, refuse });
  noteFindings(findings, context);
  if (findings.tool === null) return givenTokens(findings.tokens, null, context);
  // A report has the secrets of other services, too.
  const tokens = context.operator.hasTokenForms ? findings.tokens.filter(isGitHubToken) : findings.tokens;
  const others = findings.tokens.length - tokens.length;
  if (others > 0)
    context.notices.warn(`left out ${counted(others, "secret")} without the form of a GitHub token`);
  return givenTokens(tokens, findings.sourcesOf, context);
}

function noToken(): Error {
  return usageFailure("there is no token", "pipe it in, or name a file with --token-file");
}

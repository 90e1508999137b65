// Where the tokens of a token command come from: a file, standard input, or a hidden question on a terminal; as a list,
// or as a scanner's report. Never an argument.
import { Option, type Command } from "commander";
import { isPersonalToken } from "../../api/personal-tokens.ts";
import { noteRepeats } from "../../bulk/read-items.ts";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { inputFilePieces, Unreadable } from "../../files/bounded-reads.ts";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { paragraph, section } from "../../command-line/pages/page.ts";
import { reportForms, type ReportForm } from "../../reports/report-forms.ts";
import type { Findings, Refusal } from "../../reports/read-report.ts";
import { withPlaces, type Places } from "../../reports/places.ts";
import type { Source } from "../../reports/sources-schema.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
  readonly from: ReportForm;
  readonly onlyVerified?: boolean;
}

/** What a command does with the tokens: whose they are, and who asks the service about them. */
export interface TokenUse {
  /** As in "token of the application at https://…", which is what a token is asked for by. */
  readonly word: string;
  /**
   * Logs in before a token is asked for, so that a person types the credentials first; null for a command that needs
   * none.
   */
  readonly logIn: ((context: Context) => Promise<unknown>) | null;
}

const applicationTokens: TokenUse = {
  word: "token of the application",
  logIn: ({ address }) => address.applicationService(),
};

/** The tokens that were given. */
export interface GivenTokens extends Places {
  /** Each once, checked. */
  readonly tokens: readonly string[];
  readonly hasSources: boolean;
}

/** The tokens of a report or of a list, with their places where there are any. */
function givenTokens(
  tokens: readonly string[],
  sourcesOf: ((token: string) => readonly Source[]) | null,
  { stdout, printer }: Pick<Context, "stdout" | "printer">,
): GivenTokens {
  return {
    tokens,
    hasSources: sourcesOf !== null,
    sourcesOf: (token) => (sourcesOf === null ? {} : { sources: sourcesOf(token) }),
    placed: (presentation) =>
      withPlaces(presentation, sourcesOf !== null && stdout.isTerminal && printer.format === "table"),
  };
}

/** Adds --token-file, --from and --only-verified, and says in the help where tokens come from. */
export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "read the tokens from this file instead of standard input")
    .addOption(
      new Option("--from <form>", "what the input is: a list of tokens, or the report of a scanner")
        .choices([...reportForms])
        .default("auto" satisfies ReportForm),
    )
    .option("--only-verified", "take only what trufflehog has verified, or GitHub's alert calls active")
    // So that a token that was typed as an argument is not repeated in a message.
    .allowExcessArguments(true);
  return addHelpSection(
    command,
    section(
      "Input",
      paragraph(
        "Tokens are read from standard input, one a line, or as JSON with a token field; on a terminal one is asked for.",
      ),
      paragraph(
        "The reports of trufflehog (--json), of gitleaks (--report-format json) and GitHub's secret scanning alerts are known by their shape. A secret that was found in several places is one token; JSON output has the places as sources.",
      ),
    ),
  );
}

/** The tokens. Throws a usage failure that names a wrong line or item and never repeats it. */
export async function readTokens(
  options: TokenInputOptions,
  command: Command,
  context: Context,
  use: TokenUse = applicationTokens,
): Promise<GivenTokens> {
  if (command.args.length > 0 && command.args.join() !== "-") {
    throw usageFailure(
      "a token cannot be an argument: other users of this machine would see it",
      "pipe it in, or name a file with --token-file",
    );
  }
  const given = await findTokens(options, context, use);
  for (const token of given.tokens) context.redactor.add(token);
  if (use === applicationTokens) warnOfPersonal(given.tokens, context);
  return given;
}

/** Warns of personal tokens, which no application finds, live or not. A single one gets a failure that says so. */
function warnOfPersonal(tokens: readonly string[], { notices }: Context): void {
  const count = tokens.filter(isPersonalToken).length;
  if (count === 0 || tokens.length === 1) return;
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
    const question = `${word.replace(/^./, (first) => first.toUpperCase())} at ${context.address.origin().href}:`;
    const typed = await context.prompter.askSecret(question, noToken);
    const { parseBareToken } = await import("../../reports/read-report.ts");
    return givenTokens([parseBareToken(typed.trim())], null, context);
  }
  const { bytes, refuse } = openInput(tokenFile, context);
  const { readReport } = await import("../../reports/read-report.ts");
  const { from, onlyVerified = false } = options;
  const findings = await readReport(bytes, { from, onlyVerified, refuse });
  tellOf(findings, context);
  return givenTokens(findings.tokens, findings.tool === null ? null : findings.sourcesOf, context);
}

function openInput(
  tokenFile: string | undefined,
  { standardInput }: Context,
): { readonly bytes: AsyncIterable<Buffer>; readonly refuse: Refusal } {
  if (tokenFile === undefined) {
    return {
      bytes: standardInput.pieces("the tokens"),
      refuse: (reason, hint) =>
        usageFailure(`standard input, which should hold the tokens, cannot be read: ${reason}`, hint),
    };
  }
  const refuse: Refusal = (reason, hint) =>
    usageFailure(`cannot read the tokens in ${foreign(tokenFile)}: ${reason}`, hint);
  return { bytes: readableOr(inputFilePieces(tokenFile), refuse), refuse };
}

async function* readableOr(bytes: AsyncIterable<Buffer>, refuse: Refusal): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  }
}

/** Tells which report was read and what of it was left out; of a list, how many tokens were repeats. */
function tellOf({ tool, tokens, count, unverified, otherSecrets }: Findings, { notices }: Context): void {
  if (tool === null) {
    if (tokens.length < count) noteRepeats("token", notices)(count - tokens.length);
    else if (count === 0) notices.note("the list is empty: no findings");
    return;
  }
  notices.note(
    `read a ${tool.report} (--from ${tool.name}): ${counted(count, "finding")}, ${counted(tokens.length, "token")}`,
  );
  if (unverified > 0) notices.note(`left out ${counted(unverified, "finding")} that nobody has verified`);
  if (otherSecrets > 0) {
    notices.warn(
      `left out ${counted(otherSecrets, "finding")} that can be no token: several lines, or text beyond ASCII`,
    );
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function noToken(): Error {
  return usageFailure("there is no token", "pipe it in, or name a file with --token-file");
}

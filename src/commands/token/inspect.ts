// `grantctl token inspect`: looks up each token with only the token itself as the credential. Sequential, because after
// many invalid tokens, servers also reject valid ones.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { exitCodeOf, Failure, isFailure, QuietExit, type FailureKind } from "../../errors/errors.ts";
import { withCommas } from "../../errors/words.ts";
import { hints } from "../../errors/hints.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { tokenName } from "../../token.ts";
import { inspectToken, reportsInactiveToken, type Inspection } from "../../api/inspection.ts";
import { inspectedToken, inspectedTokenPresentation, type InspectedToken } from "../../output/tokens.ts";
import { addTokenInput, onTokens, type TokenInputOptions, type TokenItems } from "./input.ts";

export const define: Define = (command, act) => {
  addTokenInput(command)
    .description(
      "Show the status, owner, scopes and expiration of each token, whichever application it belongs to. Sends the tokens themselves, one at a time, and no other credentials. The exit code is 3 if none is active, and 9 if only some are, or the server does not say. Fields that the server does not report are empty.",
    )
    .action(act(onTokens(run)));
  printsFields(command, inspectedTokenPresentation.fields);
  addExamples(command, [
    "grantctl token inspect < token.txt",
    "grantctl token inspect --token-file tokens.txt --json token_last_eight,expires_at",
  ]);
};

async function run(context: Context, _: TokenInputOptions, { tokens, sourcesOf }: TokenItems): Promise<void> {
  const { printer, notices } = context;
  if (tokens.length > 0) context.server.origin();
  const list = printer.openList(inspectedTokenPresentation);
  const problems: Failure[] = [];
  const statuses: InspectedToken["status"][] = [];
  let isStopped = false;
  for (const token of tokens) {
    const inspected: Inspected = isStopped ? notTried : await inspect(token, context);
    const { status, said, problem } = inspected;
    statuses.push(status);
    if (problem !== null) problems.push(problem);
    // One may be refused because of its user. The next token may be of another type.
    isStopped ||= status === "unknown" && problem?.kind !== "incomplete" && problem?.kind !== "refused";
    const why = problem === null ? null : context.redactor.redact(problem.message);
    const reason = inspected === notTried ? "not tried" : why;
    const row = inspectedToken(token, status, said, { sources: sourcesOf(token), reason });
    const hasReader = await printUnlessPipeClosed(() => list.add([row]));
    // The remaining tokens were not inspected, so the exit code must not be 0.
    if (!hasReader && statuses.length < tokens.length) throw new QuietExit(exitCodeOf("incomplete"));
  }
  if (tokens.length === 0) notices.note("no token to inspect");
  await printUnlessPipeClosed(() => list.end());
  throwProblems(problems, statuses);
}

/** What an inspection found; `said` is null if the server reported nothing about the token. */
interface Inspected {
  readonly status: InspectedToken["status"];
  readonly said: Inspection | null;
  readonly problem: Failure | null;
}

export const notTried: Inspected = { status: "unknown", said: null, problem: null };

/** Looks up the owner of a token. "unknown" if the response reveals nothing about it. */
export async function inspect(token: string, context: Context): Promise<Inspected> {
  try {
    const said = await inspectToken(await context.server.tokenService(token), tokenName(token));
    return { status: "active", said, problem: null };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const problem = problemOf(error, token, context);
    const { kind } = problem;
    return {
      status: kind === "sso" ? "approval-needed" : kind === "not-found" ? "inactive" : "unknown",
      said: null,
      problem,
    };
  }
}

/** Reads a failed request as a statement about its token: `not-found` if it is not active. The usual hints are about credentials. */
function problemOf(error: Failure, token: string, { serverType, host }: Context): Failure {
  const { status, received } = error.details;
  const because = (kind: FailureKind, what: string, hint?: string): Failure =>
    new Failure(kind, `${tokenName(token)}${what}`, { ...error.details, hint });
  // A 404 depends on the URL, and not on the token.
  if (error.kind === "not-found")
    return because(
      "protocol",
      ": the server does not report the user of a token at this URL (status 404)",
      hints.baseUrl,
    );
  if (error.kind !== "authentication" || status !== 401) return error;
  if (reportsInactiveToken(received, serverType, token, host.now()))
    return because("not-found", " is not active");
  return because(
    serverType.isOauth ? "incomplete" : "authentication",
    `: ${error.message}, which does not show that it is revoked`,
    serverType.isOauth
      ? `UserInfo also rejects active refresh tokens, and access tokens without the scope openid, for other servers, or bound to a key. ${hints.tokenCheck}`
      : "A proxy may require credentials or remove the token, or the base URL is wrong. Run `grantctl doctor` to check the URL.",
  );
}

/** Throws the problem of the only token, or one failure for all: that of all requests, or `incomplete`. */
function throwProblems(problems: readonly Failure[], statuses: readonly string[]): void {
  const worst = problems.find(({ kind }) => kind !== "not-found") ?? problems[0];
  if (worst === undefined) return;
  if (statuses.length === 1) throw worst;
  const totals = [...new Set(statuses)].map((status) => {
    const count = statuses.filter((other) => other === status).length;
    return `${withCommas(count)} ${status.replace("-", " ")}`;
  });
  const isOneWay =
    new Set(statuses).size === 1 && problems.every(({ kind }) => kind === worst.kind && kind !== "protocol");
  const error = worst.kind === "not-found" ? "" : `; first error: ${worst.message}`;
  const message = `${totals.join(", ")}${error}`;
  throw new Failure(isOneWay ? worst.kind : "incomplete", message, worst.details);
}

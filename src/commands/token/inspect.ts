// `grantctl token inspect`: looks up each token with only the token itself as the credential. Sequential, because after
// many invalid tokens, servers also reject valid ones. Jobs inspect tokens that are not found (`inspectElsewhere`).
import { inspectToken, reportsInactiveToken, type Inspection } from "../../api/inspection.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { Failure, isFailure, type FailureKind } from "../../errors/errors.ts";
import { hints } from "../../errors/hints.ts";
import { counted, isoTime, nameTen, withCommas } from "../../errors/words.ts";
import { nobodyReads, reportNothing } from "../../jobs/job-output.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { column, statusColumn, type Presentation } from "../../output/presentation.ts";
import { placesInWords, type Source } from "../../reports/scanners.ts";
import { kindOf, lastEight, tokenName } from "../../token.ts";
import { addTokenInput, onTokens, type TokenInputOptions, type Tokens } from "./input.ts";

export const define: Define = (command, act) => {
  addTokenInput(command)
    .description(
      "Show the status, owner, scopes and expiration of each token, whichever application it belongs to. Sends the tokens themselves, one at a time, and no other credentials. The exit code is 3 if none is active, 9 if only some are, and that of the error if the server does not say (9 if the errors differ). Fields that the server does not report are empty.",
    )
    .action(act(onTokens(run)));
  printsFields(command, inspectedPresentation.fields);
  addExamples(command, [
    "grantctl token inspect < token.txt",
    "grantctl token inspect --token-file tokens.txt --json token_last_eight,expires_at",
  ]);
};

async function run(context: Context, _: TokenInputOptions, { tokens, sourcesOf }: Tokens): Promise<void> {
  if (tokens.length === 0) return reportNothing(context, "token to inspect", inspectedPresentation);
  context.server.origin();
  const list = context.printer.openList(inspectedPresentation);
  const all: Inspected[] = [];
  for (const token of tokens) {
    const previous = all.at(-1);
    const inspected =
      previous?.status === "unknown" && !kindsOfOneToken.has(previous.problem?.kind)
        ? notInspected
        : await inspect(token, context);
    all.push(inspected);
    const hasReader = await printUnlessPipeClosed(() =>
      list.add([inspectedRow(token, inspected, sourcesOf(token))]),
    );
    // The remaining tokens were not inspected, so the exit code must not be 0.
    if (!hasReader && all.length < tokens.length) throw new Failure("incomplete", nobodyReads);
  }
  await printUnlessPipeClosed(() => list.end());
  throwProblems(all);
}

interface Inspected {
  readonly status: "active" | "inactive" | "approval-needed" | "unknown";
  /** Null if the server reported nothing about the token. */
  readonly said: Inspection | null;
  readonly problem: Failure | null;
  /** The message of the problem, without secrets. */
  readonly reason: string | null;
}

const notInspected: Inspected = { status: "unknown", said: null, problem: null, reason: "not tried" };

/** Problems that the next token need not have: one may be refused because of its user, or of its type. */
const kindsOfOneToken = new Set<FailureKind | undefined>(["incomplete", "refused"]);

/** Looks up the owner of a token. "unknown" if the response reveals nothing about it. */
async function inspect(token: string, context: Context): Promise<Inspected> {
  try {
    const said = await inspectToken(await context.server.tokenService(token), tokenName(token));
    return { status: "active", said, problem: null, reason: null };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const problem = problemOfToken(error, token, context);
    const { kind } = problem;
    const status = kind === "sso" ? "approval-needed" : kind === "not-found" ? "inactive" : "unknown";
    return { status, said: null, problem, reason: context.redactor.redact(problem.message) };
  }
}

/** Reads a failed request as a statement about its token: `not-found` if inactive. The usual hints are about credentials. */
function problemOfToken(error: Failure, token: string, { serverType, host }: Context): Failure {
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

/** Of the tokens of a job. */
const mostInspected = 100;

const otherApplicationNote =
  "note: a token that was not found may be another application's, and active. To see that, run `grantctl token inspect`.";

/**
 * A token that the application does not have may be another's, and active: those of a scanner's report, and personal ones of
 * GitHub, are inspected, and the active ones are named with their places. For others, a note says what "not found" may mean.
 */
export async function inspectElsewhere(
  gone: readonly string[],
  isStopped: () => boolean,
  { scanner, sourcesOf }: Tokens,
  context: Context,
): Promise<string | null> {
  const { notices, serverType, waits } = context;
  // UserInfo says less than the introspection has said.
  if (serverType.isOauth) return null;
  const wanted = gone.filter((token) => scanner !== null || kindOf(token)?.startsWith("personal"));
  const active: string[] = [];
  let [inspected, hasRequest] = [0, true];
  // All changes are sent: a limit is waited for no longer than for a single request.
  waits.setPatience("request");
  for (const token of wanted.slice(0, mostInspected)) {
    if (isStopped()) break;
    const { status, said, problem } = await inspect(token, context);
    if (status !== "unknown") inspected += 1;
    else if (!kindsOfOneToken.has(problem?.kind)) {
      hasRequest = inspected > 0 || problem?.details.status !== 404;
      break;
    }
    if (status !== "active" && status !== "approval-needed") continue;
    const owner = said === null ? "" : ` of ${said.login}`;
    active.push(`${lastEight(token)}${owner}${placesInWords(sourcesOf(token))}`);
  }
  if (active.length > 0)
    notices.warn(
      `still active, but not this application's: ${nameTen(active)}. Their owners can revoke them; \`grantctl authorization identify\` finds those of your own account${serverType.isGithub ? ", and `grantctl token report` reports them to GitHub" : ""}.`,
    );
  if (inspected < gone.length) notices.note(otherApplicationNote);
  else if (active.length === 0)
    notices.note("inspected: none of those that were not found is an active token of anybody else");
  const open: string[] = [];
  if (active.length > 0) open.push(`${counted(active.length, "token")} still active elsewhere`);
  if (hasRequest && inspected < wanted.length)
    open.push(`${counted(wanted.length - inspected, "token")} not inspected`);
  return open.length === 0 ? null : open.join(", ");
}

/** Throws the problem of the only token, or one failure for all: that of all requests, or `incomplete`. */
function throwProblems(all: readonly Inspected[]): void {
  const problems = all.flatMap(({ problem }) => problem ?? []);
  const worst = problems.find(({ kind }) => kind !== "not-found") ?? problems[0];
  if (worst === undefined) return;
  if (all.length === 1) throw worst;
  const statuses = [...new Set(all.map(({ status }) => status))];
  const totals = statuses.map((status) => {
    const count = all.filter((other) => other.status === status).length;
    return `${withCommas(count)} ${status.replace("-", " ")}`;
  });
  const isOneWay = statuses.length === 1 && problems.every(({ kind }) => kind === worst.kind);
  const error = worst.kind === "not-found" ? "" : `; first error: ${worst.message}`;
  throw new Failure(isOneWay ? worst.kind : "incomplete", `${totals.join(", ")}${error}`, worst.details);
}

/** The row of a token. Null is what the server did not report: unknown, not none. */
function inspectedRow(token: string, { status, said, reason }: Inspected, sources: readonly Source[]) {
  return {
    token_last_eight: lastEight(token),
    status,
    login: said?.login ?? null,
    scopes: said?.scopes ?? null,
    client_id: said?.clientId ?? null,
    expires_at: expiryOf(said?.expiresAt ?? null),
    kind: kindOf(token),
    sources,
    reason,
  };
}

/** Converts GitHub's `2026-12-31 23:59:59 UTC` to ISO 8601. Returns what is no time unchanged. */
function expiryOf(moment: string | null): string | null {
  const instant = Date.parse(moment ?? "");
  return Number.isNaN(instant) ? moment : isoTime(instant);
}

const inspectedPresentation: Presentation<ReturnType<typeof inspectedRow>> = {
  fields: "token_last_eight status login scopes client_id expires_at kind sources reason".split(" "),
  columns: [
    statusColumn,
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 4 }),
    column("EXPIRES", "expires_at", { priority: 3 }),
    column("CLIENT ID", "client_id", { priority: 6 }),
    column("KIND", "kind", { priority: 5 }),
  ],
};

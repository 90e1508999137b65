// `grantctl token inspect`: looks up each token with only the token itself as the credential. Sequential, because after
// many invalid tokens, servers also reject valid ones.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import {
  exitCodeOf,
  Failure,
  isFailure,
  QuietExit,
  riskierKind,
  type FailureKind,
} from "../../errors/errors.ts";
import { hints } from "../../errors/hints.ts";
import { isItemNotFound } from "../../errors/not-found.ts";
import { challengeWords } from "../../http/one-time-password.ts";
import type { Operator } from "../../operators.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { lastEight } from "../../token-value.ts";
import { withPlaces } from "../../reports/sources.ts";
import { inspectedToken, inspectedTokenPresentation, type InspectedToken } from "../../printing/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "./input.ts";

export const defineInspect: Define = (command, act) => {
  addTokenInput(command)
    .summary("Show a token's status, owner, scopes and expiration")
    .description(
      "Show the status, owner, scopes and expiration of each token, whichever application it belongs to. Sends the tokens themselves, one at a time, and no other credentials. If any token is revoked or expired, the exit code is 3. Fields that the server does not report are empty.",
    )
    .action(act(run));
  explainInherited(command, "--json", "--jq", "--format");
  printsFields(command, withPlaces(inspectedTokenPresentation, false).fields);
  addExamples(command, [
    "grantctl token inspect < token.txt",
    "grantctl token inspect --token-file tokens.txt --json token_last_eight,expires_at",
  ]);
};

async function run(context: Context, options: TokenInputOptions): Promise<void> {
  const { printer, notices } = context;
  printer.checkFields(withPlaces(inspectedTokenPresentation, false));
  // The token itself is the credential; no others are needed.
  const use = { word: "token", logIn: null };
  const { tokens, sourcesOf, placed } = await readTokenItems(options, context, use);
  const presentation = placed(inspectedTokenPresentation);
  const isOnlyOne = tokens.length === 1 && printer.format !== "ndjson";
  const list = isOnlyOne ? null : printer.openList(presentation);
  const problems: Failure[] = [];
  let inspected = 0;
  let stop: Failure | null = null;
  for (const token of tokens) {
    const { row, problem } = await inspect(token, context);
    if (problem !== null) problems.push(problem);
    if (row === null) {
      stop = problem;
      break;
    }
    inspected += 1;
    const whole = { ...row, ...sourcesOf(token) };
    const print = async (): Promise<void> => {
      if (list === null) await printer.printItem(whole, presentation);
      else await list.add([whole]);
    };
    const hasReader = await printUnlessPipeClosed(print);
    // The remaining tokens were not inspected, so the exit code must not be 0.
    if (!hasReader && inspected < tokens.length) throw new QuietExit(exitCodeOf("incomplete"));
  }
  if (stop !== null && tokens.length > 1) throw stoppedFailure(stop, inspected, tokens.length);
  if (tokens.length === 0) notices.note("no token to inspect");
  if (stop === null && list !== null) await printUnlessPipeClosed(() => list.end());
  throwMostSevere(problems, tokens.length);
}

const rejectedByUserInfo =
  "UserInfo also rejects refresh tokens, and access tokens for other servers. Run `grantctl token check` for those.";

/** Looks up the owner of a token; `row` is null if the response reveals nothing about it, which stops the run. */
async function inspect(
  token: string,
  { server, operator }: Context,
): Promise<{ readonly row: InspectedToken | null; readonly problem: Failure | null }> {
  const { inspectToken } = await import("../../api/inspection.ts");
  const subject = `the token ending in ${lastEight(token)}`;
  try {
    const inspection = await inspectToken(await server.tokenService(token), subject);
    return { row: inspectedToken(token, "alive", inspection), problem: null };
  } catch (error) {
    if (isFailure(error, "authentication") && error.details.status === 401) {
      const other = await otherRefusal(subject, error, operator);
      if (other !== null) return { row: null, problem: other };
      // The usual hint is about credentials, but only the token was sent.
      const details = {
        ...error.details,
        hint: operator.publishesMetadata ? rejectedByUserInfo : undefined,
      };
      const problem = new Failure("not-found", `${subject} is not active`, details);
      return { row: inspectedToken(token, "dead", null), problem };
    }
    if (isFailure(error, "not-found")) return { row: null, problem: noUserFailure(subject, error) };
    if (isFailure(error, "sso"))
      return { row: inspectedToken(token, "approval-needed", null), problem: error };
    if (isFailure(error)) return { row: null, problem: error };
    throw error;
  }
}

/**
 * The failure for a 401 that does not mean that the token is revoked: the server requires a one-time password, or a
 * gateway in front of it requires its own credentials. Null for any other 401.
 */
async function otherRefusal(
  subject: string,
  { details, marked }: Failure,
  operator: Operator,
): Promise<Failure | null> {
  const { headers = {} } = details.received ?? {};
  const known = { ...details, hint: undefined };
  if (challengeWords(headers).length > 0) {
    return new Failure(
      "otp",
      `${subject}: the server requires a one-time password, which cannot be sent with a token`,
      known,
    );
  }
  const { reportsInactiveToken } = await import("../../api/inspection.ts");
  if (await reportsInactiveToken(details.received, operator)) return null;
  return new Failure(
    "authentication",
    `${subject}: ${marked}, which is not the response for a revoked token`,
    {
      ...known,
      hint: "Nothing is known about the token. A proxy may require credentials or remove the token, or the base URL is wrong. Run `grantctl doctor` to check the URL.",
    },
  );
}

/** The failure for a 404, which depends on the URL and not on the token: its exit code must differ from that of a dead one. */
function noUserFailure(subject: string, failure: Failure): Failure {
  const problem = isItemNotFound(failure)
    ? "the server does not report the user of a token at this URL (status 404)"
    : "the server is not the API, because its 404 is not JSON";
  return new Failure("protocol", `${subject}: ${problem}: nothing is known about the token`, {
    ...failure.details,
    hint: hints.baseUrl,
  });
}

/** The failure of a run that stopped early because a response revealed nothing about its token. */
function stoppedFailure(reason: Failure, inspected: number, total: number): Failure {
  return new Failure(
    "incomplete",
    `stopped after ${inspected} of ${total} tokens, ${total - inspected - 1} not tried: ${reason.marked}`,
    {
      ...reason.details,
      hint:
        reason.details.hint ??
        "Some servers reject even active tokens after many invalid ones. Wait, then run the command again with the remaining tokens.",
    },
  );
}

/** Throws the riskiest problem, with the number of tokens that have one. */
function throwMostSevere(problems: readonly Failure[], total: number): void {
  const [first] = problems;
  if (first === undefined) return;
  const kind = problems.reduce<FailureKind>((worst, problem) => riskierKind(worst, problem.kind), first.kind);
  const worst = problems.find((problem) => problem.kind === kind) ?? first;
  if (total === 1) throw worst;
  const state = problems.every((problem) => problem.kind === "not-found") ? "active" : "usable";
  throw new Failure(
    kind,
    `${problems.length} of ${total} tokens are not ${state}: ${worst.marked}`,
    worst.details,
  );
}

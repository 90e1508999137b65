// Inspects one token, and judges from the answer whether the run can go on.
import { lastEight } from "../../token-value.ts";
import { Failure, isFailure, riskierKind, type FailureKind } from "../../errors/errors.ts";
import { isWebPage } from "../../errors/not-found.ts";
import { challengingWords } from "../../http/one-time-password.ts";
import type { Context } from "../../run/context.ts";
import { inspectedToken, type InspectedToken } from "../../shapes/inspected-token.ts";

interface Answered {
  /** Null where the answer says nothing about the token: then the run stops. */
  readonly row: InspectedToken | null;
  readonly problem: Failure | null;
}

/** Asks the service for the user of a token, with the token alone. */
export async function inspect(token: string, { address }: Context): Promise<Answered> {
  const { inspectToken } = await import("../../api/inspection.ts");
  const subject = `the token ending in ${lastEight(token)}`;
  try {
    const said = await inspectToken(await address.tokenService(token), subject);
    return { row: inspectedToken(token, "alive", said), problem: null };
  } catch (error) {
    if (isFailure(error, "authentication") && error.details.status === 401) {
      const other = otherRefusal(subject, error);
      if (other !== null) return { row: null, problem: other };
      // The usual hint is about credentials, and none but the token were sent.
      const details = { ...error.details, hint: undefined };
      const problem = new Failure("not-found", `${subject} is dead`, details);
      return { row: inspectedToken(token, "dead", null), problem };
    }
    if (isFailure(error, "not-found") && isWebPage(error.details.received ?? {}))
      return { row: null, problem: otherAddress(subject, error) };
    if (isFailure(error, "sso"))
      return { row: inspectedToken(token, "approval-needed", null), problem: error };
    if (isFailure(error)) return { row: null, problem: error };
    throw error;
  }
}

/**
 * The failure for a 401 that does not mean that the token is dead: it asks for a one-time password, or is the page of a
 * gateway in front of the service, which wants credentials of its own. Null for any other 401.
 */
function otherRefusal(subject: string, { details }: Failure): Failure | null {
  const { headers = {}, body } = details.received ?? {};
  const known = { ...details, hint: undefined };
  if (challengingWords(headers).length > 0) {
    return new Failure(
      "otp",
      `${subject}: the service asks for a one-time password, which no token has`,
      known,
    );
  }
  const isPage = body !== undefined && /^(?:\uFEFF)?\s*</.test(body.subarray(0, 200).toString("utf8"));
  if (!isPage) return null;
  return new Failure("authentication", `${subject}: something in front of the service asks for credentials`, {
    ...known,
    hint: "its 401 is a web page, which the service never sends: nothing is known about the token",
  });
}

/** The failure for a 404 that is a web page: its exit code must not be that of a dead token. */
function otherAddress(subject: string, { details }: Failure): Failure {
  return new Failure(
    "protocol",
    `${subject}: what answers is no API, its 404 is a web page: nothing is known about the token`,
    { ...details, hint: "the base URL may not be the API's: grantctl doctor looks" },
  );
}

/** The failure of a run that stopped early because an answer said nothing about its token. */
export function stopped(reason: Failure, inspected: number, total: number): Failure {
  return new Failure(
    "incomplete",
    `stopped after ${inspected} of ${total} tokens, ${total - inspected - 1} not tried: ${reason.marked}`,
    {
      ...reason.details,
      hint:
        reason.details.hint ??
        "a service may shut out good tokens after many bad ones: wait, and give it the rest",
    },
  );
}

/** Throws the riskiest problem, with how many tokens have one. */
export function throwWorst(problems: readonly Failure[], total: number): void {
  const [first] = problems;
  if (first === undefined) return;
  const kind = problems.reduce<FailureKind>((worst, problem) => riskierKind(worst, problem.kind), first.kind);
  const worst = problems.find((problem) => problem.kind === kind) ?? first;
  if (total === 1) throw worst;
  throw new Failure(
    kind,
    `${problems.length} of ${total} tokens are not alive: ${worst.marked}`,
    worst.details,
  );
}

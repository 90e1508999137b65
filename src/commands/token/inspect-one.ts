// Inspects one token, and judges from the answer whether the run can go on.
import { lastEight } from "../../token-value.ts";
import { Failure, isFailure, riskierKind, type FailureKind } from "../../errors/errors.ts";
import { saysNotFound } from "../../errors/not-found.ts";
import { challengingWords } from "../../http/one-time-password.ts";
import { isObject, readJson } from "../../json/exact-json.ts";
import type { Context } from "../../run/context.ts";
import { inspectedToken, type InspectedToken } from "../../printing/tokens.ts";

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
    if (isFailure(error, "not-found") && !saysNotFound(error))
      return { row: null, problem: otherAddress(subject, error) };
    if (isFailure(error, "sso"))
      return { row: inspectedToken(token, "approval-needed", null), problem: error };
    if (isFailure(error)) return { row: null, problem: error };
    throw error;
  }
}

/**
 * What operators say of a dead token. The second one is said by an Enterprise Server in private mode. To a request that
 * lost its token on the way they say "Requires authentication".
 */
const saysDead = /^(?:bad credentials|must authenticate to access this api)\b/i;

/**
 * The failure for a 401 that does not mean that the token is dead: it asks for a one-time password, or is not the
 * service's own, as where a gateway in front of it wants credentials of its own. Null for any other 401.
 */
function otherRefusal(subject: string, { details, marked }: Failure): Failure | null {
  const { headers = {}, body = Buffer.alloc(0) } = details.received ?? {};
  const known = { ...details, hint: undefined };
  if (challengingWords(headers).length > 0) {
    return new Failure(
      "otp",
      `${subject}: the service asks for a one-time password, which no token has`,
      known,
    );
  }
  if (saysDead.test(messageIn(body))) return null;
  return new Failure("authentication", `${subject}: ${marked}, which is not said of a dead token`, {
    ...known,
    hint: "something in front of the service may want credentials, or keep the token to itself; or the base URL is another server's: nothing is known about the token",
  });
}

/** The message in the service's form of an error; empty for a body in another form. */
function messageIn(body: Buffer): string {
  try {
    const error = readJson(body);
    return isObject(error) && typeof error["message"] === "string" ? error["message"] : "";
  } catch {
    return "";
  }
}

/** The failure for a 404 that is not the service's: its exit code must not be that of a dead token. */
function otherAddress(subject: string, { details }: Failure): Failure {
  return new Failure(
    "protocol",
    `${subject}: what answers is no API, its 404 is not in JSON: nothing is known about the token`,
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

// What became of a reset that was never answered, as its old token tells.
import { lastEight } from "../../api/last-eight.ts";
import { Failure, isFailure, type FailureDetails } from "../../errors/errors.ts";
import type { Service } from "../../http/service.ts";

/** Checks the old value, and says in a sentence what follows. Throws what the check threw, but "not found". */
export async function describeOutcome(service: Service, clientId: string, token: string): Promise<string> {
  const { checkToken } = await import("../../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
    return "the old value is still live, so the reset has not taken effect";
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return "the service does not find the old value now: the reset took effect, or the credentials are wrong";
  }
}

/**
 * The failure of a reset whose old value proven credentials do not find: it took effect, and its new value never came.
 * `isSent` is false where only a power cut may have lost that it was sent.
 */
export function lostReset(token: string, isSent: boolean, details: FailureDetails = {}): Failure {
  const what = `the reset of the token ending in ${lastEight(token)}`;
  return new Failure(
    "unknown",
    isSent
      ? `${what} was never answered; it took effect, and its new value is lost`
      : `${what} took effect before a power cut, and its new value is lost; or the token was dead before`,
    details,
  );
}

/** The same with credentials that nothing proves. */
function unprovenReset(token: string, isSent: boolean, details: FailureDetails = {}): Failure {
  const what = `the reset of the token ending in ${lastEight(token)}`;
  return new Failure(
    "unknown",
    isSent
      ? `${what} was never answered, and the service does not find its old value now: the reset took effect, or the credentials are wrong`
      : `${what} took effect before a power cut, or the token was dead before, or the credentials are wrong: the service does not find it`,
    details,
  );
}

/** An earlier run had sent this reset and saw no answer: only an old value that is still live may be reset again. */
export async function checkStillLive(
  service: Service,
  clientId: string,
  token: string,
  isSent: boolean,
): Promise<void> {
  const { checkToken } = await import("../../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    throw unprovenReset(token, isSent, error.details);
  }
}

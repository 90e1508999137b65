// Finds out the outcome of a reset that was never answered, by checking whether the old token still works.
import { lastEight } from "../../token-value.ts";
import { Failure, type FailureDetails } from "../../errors/errors.ts";
import { isFound, saysNotFound } from "../../errors/not-found.ts";
import type { Service } from "../../http/service.ts";

/** What follows from an old token that still works. */
export const notReset = "the old value is still live, so the reset has not taken effect";

/** Checks the old token; a sentence on what follows from that. Throws the check's failure, except "not found". */
export async function describeOutcome(service: Service, clientId: string, token: string): Promise<string> {
  const { checkToken } = await import("../../api/tokens.ts");
  return (await isFound(checkToken(service, clientId, token)))
    ? notReset
    : "the service does not find the old value now: the reset took effect, or the credentials are wrong";
}

/**
 * The failure of a reset that took effect but whose new token never arrived: proven credentials do not find the old
 * one. `isSent` is false where a power cut took the journal's note on whether it was sent at all.
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

/** The failure where the old token is not found, but nothing proves that the credentials are right. */
function unprovenReset(token: string, isSent: boolean, details: FailureDetails): Failure {
  const what = `the reset of the token ending in ${lastEight(token)}`;
  return new Failure(
    "unknown",
    isSent
      ? `${what} was never answered, and the service does not find its old value now: the reset took effect, or the credentials are wrong`
      : `${what} took effect before a power cut, or the token was dead before, or the credentials are wrong: the service does not find it`,
    details,
  );
}

/** An earlier run sent this reset and got no answer: it may be sent again only if the old token still works. */
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
    if (!saysNotFound(error)) throw error;
    throw unprovenReset(token, isSent, error.details);
  }
}

// What the old value of a token tells about a reset that was never answered.
import { lastEight } from "../api/last-eight.ts";
import { Failure, isFailure, type FailureDetails } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";

/** Checks the old value, and says in a sentence what follows. Throws what the check threw, but "not found". */
export async function lookAtOldValue(service: Service, clientId: string, token: string): Promise<string> {
  const { checkToken } = await import("../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
    return "the old value is still live, so the reset has not taken effect";
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return "the service does not find the old value now: the reset took effect, or the credentials are wrong";
  }
}

/** The failure of a reset that took effect, as proven credentials found, and whose new value never came. */
export function lostValue(token: string, details: FailureDetails = {}): Failure {
  return new Failure(
    "unknown",
    `the reset of the token ending in ${lastEight(token)} was never answered; it took effect, and its new value is lost`,
    details,
  );
}

/** The failure of a reset that was never answered and whose old value is not found by credentials that nothing proves. */
export function unprovenValue(token: string, details: FailureDetails = {}): Failure {
  return new Failure(
    "unknown",
    `the reset of the token ending in ${lastEight(token)} was never answered, and the service does not find its old value now: the reset took effect, or the credentials are wrong`,
    details,
  );
}

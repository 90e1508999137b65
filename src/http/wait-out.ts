// A 429 says that nothing was done, so even a write may be sent again when the service says so. A single request waits
// at most 60 seconds in all; a job waits without limit (job-waits.ts).
import { Failure } from "../errors/errors.ts";

/** The longest time that one request waits in all. */
export const maxWaitMs = 60_000;

/** The shortest wait, even for a `Retry-After` of 0, so that the 60 seconds are used up in the end. */
export const leastWaitMs = 100;

/** Calls `send` again after each 429, when the wait that the service named is over. */
export async function waitOut<T>(
  send: () => Promise<T>,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<T> {
  for (let waited = 0; ;) {
    try {
      return await send();
    } catch (error) {
      if (!isRateLimit(error)) throw error;
      const wait = Math.max(error.details.retryAfterMs ?? 0, leastWaitMs);
      if (waited + wait > maxWaitMs) throw waitTooLong(error);
      waited += wait;
      await sleep(wait);
    }
  }
}

/** Whether the service said when to come back, which is a limit on all requests and not on this one alone. */
export function isRateLimit(error: unknown): error is Failure {
  return (
    error instanceof Failure && error.kind === "rate-limited" && error.details.retryAfterMs !== undefined
  );
}

/**
 * The failure of a request whose wait is too long; its message names the wait where the service asked for one.
 */
export function waitTooLong(error: Failure): Failure {
  const { retryAfterMs } = error.details;
  const isSaid = error.cause instanceof Failure && isRateLimit(error.cause);
  if (retryAfterMs === undefined || isSaid) return error;
  return new Failure("rate-limited", `${error.marked}, which is longer than grantctl waits`, {
    ...error.details,
    cause: error,
  });
}

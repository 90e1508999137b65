// A 429 says that nothing was done: the request may be sent again when the service says so, even one that changes
// something. A single request waits 60 seconds in all; a job of many waits without limit (job-waits.ts).
import { Failure } from "../errors/errors.ts";

/** The longest time that one request waits in all. */
export const maxWaitMs = 60_000;

/** The shortest wait, even where the service says "at once", so that its 60 seconds are used up some time. */
export const leastWaitMs = 100;

/** Repeats a request after each 429, when the service says so. */
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

/** Whether the service said when to come back, which holds for all requests and not for this one alone. */
export function isRateLimit(error: unknown): error is Failure {
  return (
    error instanceof Failure && error.kind === "rate-limited" && error.details.retryAfterMs !== undefined
  );
}

/**
 * The failure of a request whose wait is too long: with the wait in its message where the service asked for it.
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

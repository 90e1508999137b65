// A refusal for now, 429, says that nothing was done: what was refused may be sent again when the service says so, even
// where it changes something. One request waits 60 seconds in all; a job of many has its own way.
import { Failure } from "../errors/errors.ts";

/** All waiting of one request together. */
export const maxWaitMs = 60_000;

/** A service that says "at once" again and again is not asked for ever. */
export const leastWaitMs = 100;

/** Sends again what was refused for now, after the time that the service names. */
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

/** Whether the service said when to come back: that is meant for all requests, not for this one alone. */
export function isRateLimit(error: unknown): error is Failure {
  return (
    error instanceof Failure && error.kind === "rate-limited" && error.details.retryAfterMs !== undefined
  );
}

/**
 * A wait that the service asks for, which its message names, is what the run ends with; one of our own making is not
 * worth a word.
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

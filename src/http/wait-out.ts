// A 429 says that nothing was done, so even a write may be sent again: when the service says so, or after a pause of ours
// where it does not say when. A single request waits at most 60 seconds in all; a job waits longer (job-waits.ts).
import { Failure } from "../errors/errors.ts";

/** The longest time that one request waits in all. */
export const maxWaitMs = 60_000;

/** The shortest wait that the service can name, even for a `Retry-After` of 0, so that the 60 seconds are used up in the end. */
const leastWaitMs = 100;

/** How long the pauses of ours take in all for one request: 1, 2, 4 and 8 seconds. */
export const maxPausesMs = 15_000;

export type Pauses = ReturnType<typeof createPauses>;

/** The pauses of ours: one second, then twice as long each time, up to a minute, until they took `mostMs` in all. */
export function createPauses(mostMs: number) {
  let count = 0;
  let waitedMs = 0;
  return {
    /** How long the next one is, in milliseconds; null where they have taken all their time. */
    next({ details }: Failure): number | null {
      waitedMs += details.waitedMs ?? 0;
      if (waitedMs >= mostMs) return null;
      const pause = Math.min(1000 * 2 ** count, maxWaitMs);
      count += 1;
      waitedMs += pause;
      return pause;
    },
    /** The failure of a request after the last of them. */
    inVain(error: Failure): Failure {
      if (waitedMs === 0) return error;
      const first = error.details.waitedMs !== undefined && isEndless(error.cause) ? error.cause : error;
      const said = `${first.marked}, and still does after ${Math.round(waitedMs / 1000)} s`;
      return first.with({ waitedMs, cause: first }, said);
    },
    /** Begins again with the shortest, because the service has answered otherwise. */
    restart(): void {
      count = 0;
      waitedMs = 0;
    },
  };
}

/** Calls `send` again after each 429, when the wait that the service named is over, or one of these pauses. */
export async function waitOut<T>(
  send: () => Promise<T>,
  sleep: (milliseconds: number) => Promise<void>,
  pauses: Pauses,
): Promise<T> {
  for (let waited = 0; ;) {
    try {
      return await send();
    } catch (error) {
      if (!isRateLimit(error) && !isEndless(error)) throw error;
      const wait = isRateLimit(error) ? waitOf(error) : pauses.next(error);
      if (wait === null) throw pauses.inVain(error);
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

/** Whether this is a 429 that does not say when to come back. */
export function isEndless(error: unknown): error is Failure {
  return (
    error instanceof Failure &&
    error.kind === "rate-limited" &&
    error.details.status === 429 &&
    error.details.retryAfterMs === undefined
  );
}

/** How long the service asks to wait, in milliseconds. */
export function waitOf({ details }: Failure): number {
  return Math.max(details.retryAfterMs ?? 0, leastWaitMs);
}

/**
 * The failure of a request whose wait is too long; its message names the wait where the service asked for one.
 */
export function waitTooLong(error: Failure): Failure {
  const { retryAfterMs } = error.details;
  const isSaid = error.cause instanceof Failure && isRateLimit(error.cause);
  if (retryAfterMs === undefined || isSaid) return error;
  const said = `${error.marked}, which is longer than grantctl waits`;
  return new Failure("rate-limited", said, { ...error.details, cause: error });
}

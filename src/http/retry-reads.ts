// Repeats reads that may succeed a moment later: no connection, a connection that broke, 502, 503, 504, and 429 where
// the service says when to come back. A write is sent again only after a 429, which says that nothing was done; one
// with an intent not even then, because its job does the waiting, and one that a user wrote only when the service says.
import { Failure, isFailure } from "../errors/errors.ts";
import { createPace } from "./pace.ts";
import { isWrite, type HttpAnswer, type HttpRequest, type Layer, type Send } from "./request.ts";
import { createPauses, isRateLimit, maxPausesMs, maxWaitMs, waitOut, waitTooLong } from "./wait-out.ts";

const firstPauseMs = 200;

export interface RetryOptions {
  /** How often a failed read is sent again. */
  readonly retries: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Null without --debug. */
  readonly trace: ((line: string) => void) | null;
  /** A random number in [0, 1), so that many clients do not come back at the same instant. */
  readonly random: () => number;
}

/**
 * Retries reads after the wait that the service asks for, or else a longer one each time; 60 seconds in all. Where the
 * service asks to slow down, all reads of the layer slow down; also where it puts a read off again and again, but lets
 * others through.
 */
export function retryReadsLayer({ retries, sleep, trace, random }: RetryOptions): Layer {
  const pace = createPace(sleep);
  /** How many reads of the layer got through. */
  let through = 0;
  const write = (next: Send, request: HttpRequest): Promise<HttpAnswer> => {
    if (request.intent !== undefined) return next(request);
    const pauses = createPauses(request.isAsWritten === true ? 0 : maxPausesMs);
    return waitOut(() => next(request), sleep, pauses);
  };
  const read = async (next: Send, request: HttpRequest): Promise<HttpAnswer> => {
    let waited = 0;
    let throughBefore = through;
    for (let attempt = 0; ; attempt += 1) {
      const place = pace.enter();
      if (place !== null) await place;
      let pause: number;
      try {
        const answer = await next(request);
        pace.leave();
        through += 1;
        return answer;
      } catch (error) {
        const wanted = pauseBeforeRetry(error, attempt, random());
        // A service that has let others through meanwhile is not dead: it limits how many it lets through.
        const isUsedUp = attempt >= retries;
        const isLimit =
          isUsedUp && retries > 0 && through > throughBefore && isFailure(error, "rate-limited");
        const isLast = isUsedUp && !isLimit;
        if (wanted === null || isLast || waited + wanted > maxWaitMs) {
          pace.leave();
          throw wanted === null || isLast ? error : waitTooLong(error as Failure);
        }
        if (isLimit) {
          attempt -= 1;
          throughBefore = through;
        }
        pause = wanted;
        trace?.(`the same again in ${Math.round(pause)} ms`);
        if (isLimit || isRateLimit(error)) pace.slowDown(pause);
        else {
          pace.leave();
          await sleep(pause);
        }
      }
      waited += pause;
    }
  };
  return (next) => (request) => (isWrite(request) ? write : read)(next, request);
}

/** How long to wait, in milliseconds, before sending the same read again; null where that is no use. */
function pauseBeforeRetry(error: unknown, attempt: number, random: number): number | null {
  if (!(error instanceof Failure)) return null;
  const { transient, retryAfterMs } = error.details;
  if (isRateLimit(error) && retryAfterMs !== undefined) return retryAfterMs;
  if (transient !== true) return null;
  return retryAfterMs ?? firstPauseMs * 2 ** attempt * (1 + random / 4);
}

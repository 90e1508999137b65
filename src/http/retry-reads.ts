// Repeats reads that failed for the moment: no connection, a connection that broke, 502, 503, 504, and 429 where the
// service says when to come back. A request that may change something passes once, whatever comes of it.
import { Failure } from "../errors/errors.ts";
import { isWrite, type Layer } from "./request.ts";

/** All waiting of one request together. */
const maxWaitMs = 60_000;
const firstPauseMs = 200;

export interface RetryOptions {
  /** How often a failed read is sent again. */
  readonly retries: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly trace: (line: string) => void;
  /** A number in [0, 1), to keep many clients from coming back at the same instant. */
  readonly random: () => number;
}

/** Retries reads, waiting as long as the service asks, or longer each time; 60 seconds in all. */
export function retryReadsLayer({ retries, sleep, trace, random }: RetryOptions): Layer {
  return (next) => async (request) => {
    if (isWrite(request)) return next(request);
    let waited = 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await next(request);
      } catch (error) {
        const pause = pauseBeforeRetry(error, attempt, random());
        if (pause === null || attempt >= retries) throw error;
        if (waited + pause > maxWaitMs) throw waitTooLong(error as Failure);
        trace(`the same again in ${Math.round(pause)} ms`);
        await sleep(pause);
        waited += pause;
      }
    }
  };
}

/** How long to wait before the same read is worth sending again; null when it is not. */
function pauseBeforeRetry(error: unknown, attempt: number, random: number): number | null {
  if (!(error instanceof Failure)) return null;
  const { transient, retryAfterMs } = error.details;
  if (error.kind === "rate-limited" && retryAfterMs !== undefined) return retryAfterMs;
  if (transient !== true) return null;
  return retryAfterMs ?? firstPauseMs * 2 ** attempt * (1 + random / 4);
}

/** A wait that the service asks for is what the run ends with; one of our own making is not worth a word. */
function waitTooLong(error: Failure): Failure {
  const { retryAfterMs } = error.details;
  if (retryAfterMs === undefined) return error;
  return new Failure(
    "rate-limited",
    `${error.message}; it asks to wait ${Math.ceil(retryAfterMs / 1000)} s, which is longer than grantctl waits`,
    { ...error.details, cause: error },
  );
}

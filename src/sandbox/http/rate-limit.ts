// Rate limits like those of real operators: a number of requests per hour, from all clients together.
//
// An hour begins with the first request after the end of the last hour. Three headers report the limit, what is left of
// it, and when the next hour begins.
//
// There are two types. The general limit, in the headers of every response, counts but never rejects: one request
// always remains. The limit of a single resource rejects, and its headers replace the general ones.
import { failure, Refusal } from "./response.ts";

type LimitHeaders = Readonly<Record<string, string>>;

/** The general limit, which never rejects. */
export interface RateLimit {
  /** Counts a request, unless it is free, and returns the three headers of the limit. */
  readonly count: (isFree: boolean) => LimitHeaders;
  /** The numbers that `count` will return for the current request. `resetAt` is in seconds. */
  readonly foresee: () => { readonly limit: number; readonly remaining: number; readonly resetAt: number };
}

/** `now` is in milliseconds since the epoch. */
export function createRateLimit(now: () => number): RateLimit {
  const limit = 5000;
  const current = createHours(limit, () => Math.floor(now() / 1000));
  return {
    count: (isFree) => {
      const hour = current();
      if (!isFree) hour.remaining = afterOne(hour.remaining);
      return headersOf(limit, hour);
    },
    foresee: () => {
      const { remaining, resetAt } = current();
      return { limit, remaining: afterOne(remaining), resetAt };
    },
  };
}

/**
 * The limit of a single resource: counts one call and returns the headers of the limit, or throws a Refusal if there
 * were too many. `nowInSeconds` is whole seconds since the epoch.
 */
export function createHourlyLimit(limit: number, nowInSeconds: () => number): () => LimitHeaders {
  const current = createHours(limit, nowInSeconds);
  return () => {
    const hour = current();
    if (hour.remaining === 0) {
      throw new Refusal(failure(403, "API rate limit exceeded", headersOf(limit, hour)));
    }
    hour.remaining -= 1;
    return headersOf(limit, hour);
  };
}

function afterOne(remaining: number): number {
  return Math.max(remaining - 1, 1);
}

interface Hour {
  remaining: number;
  /** When the next hour begins, in seconds since the epoch. */
  readonly resetAt: number;
}

/** The current hour; a new one begins with the first request after the end of the last one. */
function createHours(limit: number, nowInSeconds: () => number): () => Hour {
  let hour: Hour = { remaining: limit, resetAt: 0 };
  return () => {
    const second = nowInSeconds();
    if (second >= hour.resetAt) hour = { remaining: limit, resetAt: second + 3600 };
    return hour;
  };
}

function headersOf(limit: number, { remaining, resetAt }: Hour): LimitHeaders {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt),
  };
}

// Rate limits like those of real operators: requests per hour, for all clients together.
//
// An hour begins with the first request after the end of the previous one. Three headers report the limit, the
// remaining requests, and when the next hour begins.
//
// The general limit, in the headers of every response, counts but never rejects: one request always remains. The limit
// of a single resource rejects, and its headers replace the general ones.
import { failure, Refusal } from "./response.ts";

type RateLimitHeaders = Readonly<Record<string, string>>;

/** The general limit, which never rejects. */
export interface RateLimit {
  /** Counts a request, unless it is free, and returns the rate limit's headers. */
  readonly count: (isFree: boolean) => RateLimitHeaders;
  /** The values that `count` will report for the current request. `resetAt` is in seconds since the epoch. */
  readonly preview: () => { readonly limit: number; readonly remaining: number; readonly resetAt: number };
}

/** `now` is in milliseconds since the epoch. */
export function createRateLimit(now: () => number): RateLimit {
  const limit = 5000;
  const currentHour = createHours(limit, () => Math.floor(now() / 1000));
  return {
    count: (isFree) => {
      const hour = currentHour();
      if (!isFree) hour.remaining = countDown(hour.remaining);
      return headersOf(limit, hour);
    },
    preview: () => {
      const { remaining, resetAt } = currentHour();
      return { limit, remaining: countDown(remaining), resetAt };
    },
  };
}

/** The limit of a single resource. Each call counts a request, and throws a Refusal if the limit is exceeded. */
export function createHourlyLimit(limit: number, nowInSeconds: () => number): () => RateLimitHeaders {
  const currentHour = createHours(limit, nowInSeconds);
  return () => {
    const hour = currentHour();
    if (hour.remaining === 0) {
      throw new Refusal(failure(403, "API rate limit exceeded", headersOf(limit, hour)));
    }
    hour.remaining -= 1;
    return headersOf(limit, hour);
  };
}

/** The general limit never reports that no request remains. */
function countDown(remaining: number): number {
  return Math.max(remaining - 1, 1);
}

interface Hour {
  remaining: number;
  /** When the next hour begins, in seconds since the epoch. */
  readonly resetAt: number;
}

/** Returns the current hour, or begins a new one. */
function createHours(limit: number, nowInSeconds: () => number): () => Hour {
  let hour: Hour = { remaining: limit, resetAt: 0 };
  return () => {
    const second = nowInSeconds();
    if (second >= hour.resetAt) hour = { remaining: limit, resetAt: second + 3600 };
    return hour;
  };
}

function headersOf(limit: number, { remaining, resetAt }: Hour): RateLimitHeaders {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt),
  };
}

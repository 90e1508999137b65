// A rate limit like those of real operators: requests per hour, for all clients together. It counts but never rejects:
// one request always remains.
//
// An hour begins with the first request after the end of the previous one. Three headers of every response report the
// limit, the remaining requests, and when the next hour begins.

type RateLimitHeaders = Readonly<Record<string, string>>;

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

/** Never reports that no request remains. */
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

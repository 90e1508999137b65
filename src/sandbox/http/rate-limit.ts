// The rate limit that every answer reports. It counts as an operator's would, an hour at a time, but the sandbox
// never refuses: one request always remains.

const limit = 5000;
const windowSeconds = 3600;

export interface RateLimit {
  /** Counts a request, unless it is free, and returns the three headers of the limit. */
  readonly count: (isFree: boolean) => Readonly<Record<string, string>>;
  /** The numbers that `count` will return for the request that is being answered. `resetAt` is in seconds. */
  readonly foresee: () => { readonly limit: number; readonly remaining: number; readonly resetAt: number };
}

/** `now` is in milliseconds since the epoch. */
export function createRateLimit(now: () => number): RateLimit {
  let reset = 0;
  let remaining = limit;

  function beginWindow(): void {
    const second = Math.floor(now() / 1000);
    if (second < reset) return;
    reset = second + windowSeconds;
    remaining = limit;
  }

  const afterOne = (): number => Math.max(remaining - 1, 1);
  return {
    count: (isFree) => {
      beginWindow();
      if (!isFree) remaining = afterOne();
      return {
        "X-RateLimit-Limit": String(limit),
        "X-RateLimit-Remaining": String(remaining),
        "X-RateLimit-Reset": String(reset),
      };
    },
    foresee: () => {
      beginWindow();
      return { limit, remaining: afterOne(), resetAt: reset };
    },
  };
}

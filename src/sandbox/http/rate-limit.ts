// The rate limit that every answer reports. It counts as an operator's would, an hour at a time, but the sandbox
// never refuses: one request always remains.

const limit = 5000;
const windowSeconds = 3600;

/** Counts a request, unless it is free, and gives back its three headers. */
export type CountRequest = (isFree: boolean) => Readonly<Record<string, string>>;

/** `now` is in milliseconds since the epoch. */
export function createRateLimit(now: () => number): CountRequest {
  let reset = 0;
  let remaining = limit;
  return (isFree) => {
    const second = Math.floor(now() / 1000);
    if (second >= reset) {
      reset = second + windowSeconds;
      remaining = limit;
    }
    if (!isFree) remaining = Math.max(remaining - 1, 1);
    return {
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(remaining),
      "X-RateLimit-Reset": String(reset),
    };
  };
}

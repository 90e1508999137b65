// A rate limit that refuses: a number of calls an hour, from all clients together. Its headers say, as operators' do,
// how many calls are left and when the next hour begins.
import { failure, Refusal } from "./answer.ts";

const windowSeconds = 3600;

/** Counts one call and returns the headers of the limit. Throws a Refusal when there were too many. */
export type TakePlace = () => Readonly<Record<string, string>>;

/** A limit; `nowInSeconds` is whole seconds since the epoch. */
export function createHourlyLimit(limit: number, nowInSeconds: () => number): TakePlace {
  let reset = 0;
  let used = 0;
  return () => {
    const second = nowInSeconds();
    if (second >= reset) {
      reset = second + windowSeconds;
      used = 0;
    }
    const headers = (remaining: number): Readonly<Record<string, string>> => ({
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(remaining),
      "X-RateLimit-Reset": String(reset),
    });
    if (used >= limit) throw new Refusal(failure(403, "API rate limit exceeded", headers(0)));
    used += 1;
    return headers(limit - used);
  };
}

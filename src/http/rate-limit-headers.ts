// When a limit ends, where a server says it as GitHub documents: a 403 as well as a 429, with `Retry-After`, or with
// `X-RateLimit-Remaining: 0` and the second in which there is room again.
import type { HttpAnswer } from "./request.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Nobody's clock is so exact that the second itself is good to come back in. */
const leastWaitMs = 1000;

/** How long to wait, in milliseconds from `now`; null for an answer that is about no limit, or does not say. */
export function limitEndMs({ status, headers }: HttpAnswer, now: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryAfterMs = parseRetryAfter(headers["retry-after"], now);
  if (retryAfterMs !== null) return retryAfterMs;
  const reset = headers["x-ratelimit-reset"]?.trim() ?? "";
  if (headers["x-ratelimit-remaining"]?.trim() !== "0" || !/^\d{1,10}$/.test(reset)) return null;
  // The server's own clock, where it tells: ours may be wrong.
  const date = Date.parse(headers["date"] ?? "");
  return Math.max(leastWaitMs, Number(reset) * 1000 - (Number.isNaN(date) ? now : date));
}

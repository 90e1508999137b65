// When a rate limit ends, in the form that GitHub documents: a 403 or 429 with `Retry-After`, or with
// `X-RateLimit-Remaining: 0` and the time of the reset. Its secondary limits are often said in the message alone.
import type { HttpAnswer } from "./request.ts";
import { parseRetryAfter, serverTime } from "./retry-after.ts";

/** The shortest wait, because clocks differ: even where the limit ends in this very second. */
const leastWaitMs = 1000;

/** What a client is to wait for a secondary limit that names no time (docs.github.com, rate limits of the REST API). */
const secondaryWaitMs = 60_000;

/** How long to wait, in milliseconds from `now`; null for an answer without a rate limit, or without its end. */
export function limitEndMs({ status, headers, body }: HttpAnswer, now: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const time = serverTime(headers, now);
  const retryAfterMs = parseRetryAfter(headers["retry-after"], time);
  if (retryAfterMs !== null) return retryAfterMs;
  const reset = headers["x-ratelimit-reset"]?.trim() ?? "";
  if (headers["x-ratelimit-remaining"]?.trim() !== "0" || !/^\d{1,10}$/.test(reset))
    return status === 403 && isSecondary(body) ? secondaryWaitMs : null;
  return Math.max(leastWaitMs, Number(reset) * 1000 - time);
}

/** Whether the message is of a secondary limit, which older servers call abuse detection. */
function isSecondary(body: Buffer): boolean {
  return /"message"\s*:\s*"[^"]*(?:secondary rate limit|abuse detection mechanism)/i.test(
    body.toString("latin1", 0, longestMessage),
  );
}

const longestMessage = 4096;

// Decides how long to wait before a retry: after a 429, a rate limit that GitHub sends with 403, a 503 with
// `Retry-After`, and transient failures.
//
// A rate limit means that the request had no effect, so even a write may be retried. A write is never retried after
// anything else.
//
// | request                  | is sent again after                       | at most                                |
// | ------------------------ | ----------------------------------------- | -------------------------------------- |
// | read                     | a transient failure, or a wait to observe | three times, 60 s in all               |
// | write                    | a 429                                     | 60 s in all                            |
// | write of `grantctl api`  | a 429 with `Retry-After`                  | 60 s in all                            |
// | write with an intent     | (its job waits)                           |                                        |
// | item of a job of several | a 429                                     | one hour per wait; five minutes of     |
// |                          |                                           | unnamed waits without another response |
//
// A wait is named if the server requests at least a second. Otherwise it is unnamed: `Retry-After: 0`, a date in the
// past, or no header. Unnamed waits double (1, 2, 4 … 60 s), so that no server can cause a busy loop.
//
// Concurrent reads also share a limiter: when one is throttled, all of them wait, and only half as many run afterwards.
// Each round of successful reads allows one more.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWrite, type RawResponse, type HttpRequest, type Layer, type Send } from "./request.ts";

/** `isNamed`: the server requested this wait. */
type Sleep = (milliseconds: number, isNamed: boolean) => Promise<void>;

/** A shorter wait is not a named one. */
const shortestNamedMs = 1000;

const longestUnnamedMs = 60_000;

// ---- The wait that the server requests

/** The maximum number of seconds from a header, about three centuries. Larger numbers are capped. */
const mostSeconds = 9_999_999_999;

/** The wait for a secondary rate limit without a time (docs.github.com, rate limits of the REST API). */
const secondaryLimitMs = 60_000;

const time = String.raw`\d{2}:\d{2}:\d{2}`;
const dateWithZone = new RegExp(
  `^(?:[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4}|[A-Z][a-z]{5,8}, \\d{2}-[A-Z][a-z]{2}-\\d{2}) ${time} GMT$`,
);
const dateOfC = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${time} \\d{4}$`);

/**
 * Reads the wait that a response requests: milliseconds from now, by the server's clock if it sends `Date`, or undefined
 * for none. `isLimit`: the response is a rate limit, although its status may be 403. `limitsWith403`: the server type reports rate limits as GitHub does, also with
 * 403, either with `X-RateLimit-Remaining: 0` and the time of the reset, or only in the message (secondary limits).
 * `now` is in milliseconds since the epoch.
 */
export function readWait(response: RawResponse, now: number, limitsWith403: boolean) {
  const { status, headers, body } = response;
  const sent = Date.parse(headers["date"] ?? "");
  const serverNow = Number.isNaN(sent) ? now : sent;
  const named = parseRetryAfter(headers["retry-after"] ?? "", serverNow);
  const mayBeLimit = limitsWith403 && (status === 403 || status === 429);
  const limit = mayBeLimit ? (named ?? untilReset(headers, serverNow) ?? secondaryWait(status, body)) : null;
  return { retryAfterMs: limit ?? named ?? undefined, isLimit: status === 429 || limit !== null };
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds, or a date in one of the three formats of RFC 9110, 5.6.7. Of
 * several values, the longest applies. Anything else is null: a lenient parser would misread a time zone or a sign.
 */
function parseRetryAfter(header: string, now: number): number | null {
  // Two of the three date formats contain a comma, which also separates joined headers.
  const parts = header.match(/ *[A-Z][a-z]{2,8}, [^,]*|[^,]+/g) ?? [];
  const waits = parts.map((part) => parseWait(part.trim(), now)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function parseWait(text: string, now: number): number | null {
  // The standard requires whole seconds, but some gateways send fractions.
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Math.min(Number(text), mostSeconds) * 1000);
  const date = dateOfC.test(text) ? `${text} GMT` : dateWithZone.test(text) ? text : "";
  const at = Date.parse(date);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** The time until an exhausted limit is reset; null if the headers do not report one. */
function untilReset(headers: RawResponse["headers"], now: number): number | null {
  const reset = headers["x-ratelimit-reset"]?.trim() ?? "";
  if (headers["x-ratelimit-remaining"]?.trim() !== "0" || !/^\d+$/.test(reset)) return null;
  return Math.max(0, Math.min(Number(reset), mostSeconds) * 1000 - now);
}

/** Older servers call a secondary limit abuse detection. */
function secondaryWait(status: number, body: Buffer): number | null {
  const isSecondary =
    status === 403 &&
    /"message"\s*:\s*"[^"]*(?:secondary rate limit|abuse detection mechanism)/i.test(
      body.toString("latin1", 0, 4096),
    );
  return isSecondary ? secondaryLimitMs : null;
}

// ---- How long grantctl waits

/** The limits of the waits of one request or one job, in milliseconds. */
export interface WaitLimits {
  /** For a single wait. */
  readonly longestMs: number;
  /** All waits together. */
  readonly totalMs: number;
  /** For consecutive unnamed waits, without another response in between. */
  readonly unnamedMs: number;
}

export const waitLimits = {
  /** For a single request, and for a job of one item. */
  request: { longestMs: 60_000, totalMs: 60_000, unnamedMs: 60_000 },
  /** For a job of several items. */
  job: { longestMs: 3_600_000, totalMs: Infinity, unnamedMs: 300_000 },
} as const satisfies Record<string, WaitLimits>;

/** The remaining limits of one request or one job. */
export function createWaitBudget({ longestMs, totalMs, unnamedMs }: WaitLimits) {
  let total = 0;
  let unnamed = 0;
  return {
    /**
     * The wait before the request is retried, in milliseconds; null if it must not be retried. `ownMs` is the wait if
     * the server requests none.
     */
    next({ details: { retryAfterMs, waitedMs = 0 } }: Failure, ownMs?: number): number | null {
      // A layer nearer to the wire may have waited already.
      total += waitedMs;
      const isUnnamed = !isNamed(retryAfterMs) && (retryAfterMs !== undefined || ownMs === undefined);
      if (isUnnamed) unnamed += waitedMs;
      if (isUnnamed && unnamed >= unnamedMs) return null;
      // Unnamed waits double: their sum so far is always one second less than the next.
      const unnamedWait = Math.min(unnamed + 1000, longestUnnamedMs);
      const wait = isUnnamed ? unnamedWait : (retryAfterMs ?? ownMs ?? 0);
      if (wait > longestMs || total + wait > totalMs) return null;
      total += wait;
      if (isUnnamed) unnamed += wait;
      return wait;
    },
    /** The failure to report when `next` is null. */
    exhausted(failure: Failure): Failure {
      const { cause, details } = failure;
      const first = cause instanceof Failure && cause.kind === "rate-limited" ? cause : failure;
      const { retryAfterMs = 0, status } = details;
      const isTooLong = retryAfterMs > longestMs;
      const waitedMs = unnamed >= unnamedMs ? unnamed : total;
      if (!isTooLong && waitedMs === 0) return failure;
      const state = status === 429 || status === 403 ? "rate limited" : "unavailable";
      const message = isTooLong
        ? `${first.marked}, which is longer than grantctl waits`
        : `still ${state} after ${Math.round(waitedMs / 1000)} s: ${first.marked}`;
      return new Failure("rate-limited", message, { ...details, waitedMs, cause: first });
    },
    /** Call after any other response: unnamed waits start again with the shortest. */
    restart(): void {
      unnamed = 0;
    },
  };
}

/** True if the server requests a wait of at least a second. */
export function isNamed(retryAfterMs: number | undefined): retryAfterMs is number {
  return retryAfterMs !== undefined && retryAfterMs >= shortestNamedMs;
}

/** True if the server throttles requests in general, so that a later retry may succeed. */
export function isThrottled(error: unknown): error is Failure {
  if (!isFailure(error, "rate-limited")) return false;
  return error.details.status === 429 || error.details.retryAfterMs !== undefined;
}

// ---- The layer

export interface RetryOptions {
  readonly sleep: Sleep;
  /** Null without --debug, so that the trace costs nothing. */
  readonly trace: ((line: string) => void) | null;
  /** A random number in [0, 1), for jitter, so that many clients do not retry at the same instant. */
  readonly random: () => number;
}

const firstBackoffMs = 200;

/** The number of times that a read is sent again. */
const maxRepetitions = 3;

/** Retries requests according to the table at the top. */
export function retryLayer(options: RetryOptions): Layer {
  const { sleep, trace } = options;
  const limiter = createReadLimiter(sleep);
  /** The number of successful reads. */
  let successes = 0;
  const note = (wait: number): void => trace?.(`the same again in ${Math.round(wait)} ms`);

  const write = async (next: Send, request: HttpRequest): Promise<RawResponse> => {
    if (request.intent !== undefined) return next(request);
    const budget = createWaitBudget(waitLimits.request);
    for (;;) {
      try {
        return await next(request);
      } catch (error) {
        const isFinal = request.isAsWritten === true && retryAfterOf(error) === undefined;
        if (!isThrottled(error) || isFinal) throw error;
        const wait = budget.next(error);
        if (wait === null) throw budget.exhausted(error);
        note(wait);
        await sleep(wait, isNamed(retryAfterOf(error)));
      }
    }
  };

  const read = async (next: Send, request: HttpRequest): Promise<RawResponse> => {
    const decideRetry = createRetryDecision(options, () => successes);
    for (;;) {
      const slot = limiter.acquire();
      if (slot !== null) await slot;
      let retry: ReadRetry;
      try {
        const response = await next(request);
        limiter.release();
        successes += 1;
        return response;
      } catch (error) {
        retry = decideRetry(error);
      }
      if ("failure" in retry) {
        limiter.release();
        throw retry.failure;
      }
      note(retry.wait);
      if (retry.isThrottled) limiter.slowDown(retry.wait, retry.isNamed);
      else {
        limiter.release();
        await sleep(retry.wait, retry.isNamed);
      }
    }
  };
  return (next) => (request) => (isWrite(request) ? write : read)(next, request);
}

/** The decision after a failed read: the failure to report, or the wait in milliseconds before it is sent again. */
type ReadRetry =
  | { readonly failure: unknown }
  | { readonly wait: number; readonly isNamed: boolean; readonly isThrottled: boolean };

/** Decides about the retries of one read. `countSuccesses` returns the number of this layer's successful reads. */
function createRetryDecision(
  { random }: Pick<RetryOptions, "random">,
  countSuccesses: () => number,
): (error: unknown) => ReadRetry {
  const budget = createWaitBudget(waitLimits.request);
  let attempt = 0;
  let successesBefore = countSuccesses();
  return (error) => {
    if (!isRetryableRead(error)) return { failure: error };
    const { retryAfterMs } = error.details;
    const isUsedUp = attempt >= maxRepetitions;
    // If other reads have succeeded in the meantime, the server is up and only limits the number of requests.
    const isLimit = isUsedUp && countSuccesses() > successesBefore && isFailure(error, "rate-limited");
    const backoff = firstBackoffMs * 2 ** attempt * (1 + random() / 4);
    const wait = isUsedUp && !isLimit ? null : budget.next(error, backoff);
    if (wait === null) {
      const isOwnWait = retryAfterMs === undefined || (isUsedUp && !isThrottled(error));
      return { failure: isOwnWait ? error : budget.exhausted(error) };
    }
    // A mere limit uses up no attempt.
    if (isLimit) successesBefore = countSuccesses();
    else attempt += 1;
    return { wait, isNamed: isNamed(retryAfterMs), isThrottled: isLimit || isThrottled(error) };
  };
}

function retryAfterOf(error: unknown): number | undefined {
  return isFailure(error) ? error.details.retryAfterMs : undefined;
}

/** True if the same read may succeed later. */
function isRetryableRead(error: unknown): error is Failure {
  if (!isFailure(error)) return false;
  const { transient, retryAfterMs } = error.details;
  return transient === true || (isThrottled(error) && retryAfterMs !== undefined);
}

/** Limits the reads in flight; unlimited until the first throttled response. */
function createReadLimiter(sleep: Sleep) {
  /** The number of slots, which grows by fractions. */
  let slots = Infinity;
  let slotsInUse = 0;
  let pauses = 0;
  /** The number of reads in flight that started before the latest slow-down, so their throttling changes nothing. */
  let old = 0;
  const waiters: (() => void)[] = [];

  const isFree = (): boolean => pauses === 0 && slotsInUse < Math.floor(slots);
  const admit = (): void => {
    while (waiters.length > 0 && isFree()) {
      slotsInUse += 1;
      waiters.shift()?.();
    }
  };
  const pause = async (milliseconds: number, named: boolean): Promise<void> => {
    pauses += 1;
    await sleep(milliseconds, named);
    pauses -= 1;
    admit();
  };

  return {
    /** Takes a slot: null if one is free, otherwise a promise for one. Slots are assigned in order of arrival. */
    acquire(): Promise<void> | null {
      if (waiters.length === 0 && isFree()) {
        slotsInUse += 1;
        return null;
      }
      return new Promise((resolve) => {
        waiters.push(resolve);
      });
    },
    /** Releases the slot after any response but a throttled one. */
    release(): void {
      slotsInUse -= 1;
      if (old > 0) old -= 1;
      else slots += 1 / Math.max(1, Math.floor(slots));
      admit();
    },
    /** Releases the slot and pauses all reads for this time. Several throttled reads of one round halve the limit once. */
    slowDown(milliseconds: number, named: boolean): void {
      if (old > 0) old -= 1;
      else {
        slots = Math.max(1, Math.floor(Math.min(slots, slotsInUse) / 2));
        old = slotsInUse - 1;
      }
      slotsInUse -= 1;
      void pause(milliseconds, named);
    },
  };
}

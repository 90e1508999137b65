// Decides how long to wait before a request is sent again.
//
// | after                                              | a request of its own  | one of a job of several items |
// | -------------------------------------------------- | --------------------- | ----------------------------- |
// | a limit: 429, and GitHub's 403                     | until 60 s are waited | until 65 min are waited       |
// | a read, if the server names the time of its return | three times           | until 65 min are waited       |
// | a read, and another transient failure              | three times           | three times                   |
//
// A limit means that the request had no effect, so even a write is sent again. A wait is named if the server asks for at
// least a second; unnamed ones double (1, 2, 4 … 60 s), so that no server can cause a busy loop. While one request waits
// for a limit, the others of its run wait with it. A job that stops ends all waits.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWrite, type Layer, type RawResponse } from "./request.ts";

// ---- The wait that the server asks for

/** GitHub's wait for a secondary limit without a time. */
const secondaryLimitMs = 60_000;

/** Older servers call it abuse detection. */
const secondaryLimit = /"message"\s*:\s*"[^"]*(?:secondary rate limit|abuse detection mechanism)/i;

/** Larger numbers in a reset header are seconds since the epoch, smaller ones seconds from now. */
const earliestEpoch = 1_000_000_000;

/**
 * Reads the wait that a response asks for, in milliseconds from now, by the server's clock if it sends `Date`; undefined
 * for none. `isLimit`: the response is a rate limit, which GitHub sends with 403, too.
 */
export function readWait({ status, headers, body }: RawResponse, now: number) {
  const sent = Date.parse(headers["date"] ?? "");
  const serverNow = Number.isNaN(sent) ? now : sent;
  const retryAfter = parseRetryAfter(headers["retry-after"] ?? "", serverNow);
  if (status !== 429 && status !== 403) return { retryAfterMs: retryAfter ?? undefined, isLimit: false };
  const secondary = secondaryLimit.test(body.toString("latin1", 0, 4096)) ? secondaryLimitMs : null;
  const wait = retryAfter ?? secondary ?? untilReset(status, headers, serverNow);
  return { retryAfterMs: wait ?? undefined, isLimit: status === 429 || wait !== null };
}

/** `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(header: string, now: number): number | null {
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const at = header.includes(":") ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const limitHeaders = ["x-ratelimit", "ratelimit", "x-rate-limit"];

/**
 * The time until an exhausted limit is reset; null if no header says it. A 403 may have any reason, so it must say that
 * nothing remains; a 429 must not say that something does.
 */
function untilReset(status: number, headers: RawResponse["headers"], now: number): number | null {
  for (const name of limitHeaders) {
    const reset = headers[`${name}-reset`]?.trim() ?? "";
    const remaining = headers[`${name}-remaining`]?.trim() ?? (status === 429 ? "0" : "");
    if (!/^\d+$/.test(reset) || remaining !== "0") continue;
    const seconds = Number(reset);
    return seconds < earliestEpoch ? seconds * 1000 : Math.max(0, seconds * 1000 - now);
  }
  return null;
}

// ---- How long grantctl waits

/**
 * The longest that a request waits in all; in a job of several items, for the hour of GitHub's limits, and somewhat longer,
 * because clocks differ.
 */
export const longestWaitMs = { request: 60_000, job: 3_900_000 } as const;
type Patience = keyof typeof longestWaitMs;

/** The shortest named wait, and the first unnamed one. */
const secondMs = 1000;
const longestUnnamedMs = 60_000;

export function createWaitBudget(longestMs: number) {
  let waited = 0;
  return {
    /** The wait before a request is sent again; null if it must not be. `ownMs`: the wait if the server names none. */
    next({ details: { retryAfterMs } }: Failure, ownMs?: number): number | null {
      // Unnamed waits double, because each is a second more than all before it.
      const own = ownMs ?? Math.min(waited + secondMs, longestUnnamedMs);
      const wait = retryAfterMs !== undefined && retryAfterMs >= secondMs ? retryAfterMs : own;
      if (waited + wait > longestMs) return null;
      waited += wait;
      return wait;
    },
    /** The failure to report when `next` is null. */
    exhausted(failure: Failure): Failure {
      const { cause, details } = failure;
      const first = isFailure(cause, "rate-limited") ? cause : failure;
      if (waited === 0) return failure;
      const state = details.status === 429 || details.status === 403 ? "rate limited" : "unavailable";
      const message = `still ${state} after ${Math.round(waited / 1000)} s: ${first.message}`;
      return new Failure("rate-limited", message, { ...details, cause: first });
    },
  };
}

/** True if the server limits requests, so that the same one may succeed later. */
export function isThrottled(error: unknown): error is Failure {
  if (!isFailure(error, "rate-limited")) return false;
  return error.details.status === 429 || error.details.retryAfterMs !== undefined;
}

export type LimitWaits = ReturnType<typeof createLimitWaits>;

export function createLimitWaits(sleep: (milliseconds: number) => Promise<void>) {
  /** The limit that requests wait for, and the end of all such waits; null if there is none. */
  let held: { readonly limit: Failure; readonly over: Promise<unknown> } | null = null;
  let patience: Patience = "request";
  let isStopped = false;
  let end: (() => void) | null = null;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  /** Waits, but no longer than until `stop`. */
  const wait = (milliseconds: number): Promise<void> => Promise.race([sleep(milliseconds), ended]);
  return {
    patience: () => patience,
    setPatience(which: Patience): void {
      patience = which;
    },
    wait,
    /** Waits for a limit, and lets all other requests wait as well. */
    hold(milliseconds: number, limit: Failure): Promise<void> {
      const waiting = wait(milliseconds);
      const own = { limit, over: Promise.all([held?.over, waiting]) };
      held = own;
      void own.over.then(() => (held = held === own ? null : held));
      return waiting;
    },
    /** Resolves when no request waits for a limit any more; throws the limit if the run stopped meanwhile. */
    async untilOver(): Promise<void> {
      for (let now = held; now !== null; now = held) {
        await now.over;
        if (isStopped) throw now.limit;
      }
    },
    isStopped: () => isStopped,
    /** From now on, nothing is sent again, nor what waits for a limit. */
    stop: (): void => {
      isStopped = true;
      end?.();
      held = null;
    },
  };
}

// ---- The layer

const mostRepetitions = 3;
const firstBackoffMs = 200;

/** Sends requests again according to the table at the top. `trace` is null without --debug, so that it costs nothing. */
export function retryLayer(waits: LimitWaits, trace: ((line: string) => void) | null): Layer {
  return (next) => async (request) => {
    const budget = createWaitBudget(longestWaitMs[waits.patience()]);
    for (let repetitions = 0; ;) {
      await waits.untilOver();
      try {
        return await next(request);
      } catch (error) {
        // No wait is announced that ends at once.
        if (waits.isStopped()) throw error;
        const isTransient = isFailure(error) && error.details.isTransient === true && !isWrite(request);
        const isLimit = isThrottled(error) && (!isTransient || waits.patience() === "job");
        if (!isLimit && !isTransient) throw error;
        if (!isLimit && repetitions === mostRepetitions)
          throw error.details.retryAfterMs === undefined ? error : budget.exhausted(error);
        const wait = budget.next(error, isLimit ? undefined : firstBackoffMs * 2 ** repetitions);
        if (wait === null) throw budget.exhausted(error);
        if (!isLimit) repetitions += 1;
        trace?.(`the same again in ${Math.round(wait)} ms`);
        await (isLimit ? waits.hold(wait, error) : waits.wait(wait));
        if (waits.isStopped()) throw error;
      }
    }
  };
}

// Runs one action over many items, several at once, and reports the outcomes in the order of the items.
//
//   5 failures in a row        the loop stops: the server is at fault
//   one of `fatalKinds`        the loop stops at once, because every further item would have it as well
//
// A loop that stops lets the items in flight finish; all others, and those that wait for a limit, are "not-tried".
import { setImmediate as nextTurn } from "node:timers/promises";
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { isThrottled } from "../http/waiting.ts";
import { notTried, outcomeOf, type Outcome } from "./outcome.ts";

/** Thrown by an action that a signal stopped before it sent anything. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

interface LoopOptions {
  readonly concurrency: number;
  readonly makesAbsent?: (failure: Failure) => boolean;
  readonly isStopped?: () => boolean;
  readonly onStop?: () => void;
}

const ofServer = ["authentication", "otp", "sso", "network", "rate-limited"] as const;
/** Failures that every further item would have as well. */
export const fatalKinds: readonly FailureKind[] = [...ofServer, "usage", "undelivered"];

/** After this many failures in a row that are about no single item, the server is at fault. */
const mostConsecutive = 5;

export class Loop {
  readonly #options: LoopOptions;
  /** Ends when no item waits for a proof any more. */
  #pause: Promise<unknown> = Promise.resolve();
  #hasStopped = false;
  #consecutive = 0;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /**
   * Runs `act` over the items, which leave the queue as they start, so that it may change meanwhile. `report` gets the
   * outcomes, in order and never twice at once. Rejects if it throws, or if `act` throws anything but a Failure.
   */
  async run<Result>(
    queue: Set<string>,
    act: (item: string) => Promise<Result>,
    report: (outcomes: readonly Outcome<Result>[]) => Promise<void>,
  ): Promise<void> {
    const items = queue.values();
    const arrived = new Map<number, Outcome<Result>>();
    let [started, reported] = [0, 0];
    let reporting: Promise<void> | null = null;
    /** One at a time, and until all that arrived meanwhile are reported: a slow receiver gets several at once. */
    const reportArrived = async (): Promise<void> => {
      for (;;) {
        const ready: Outcome<Result>[] = [];
        for (let next; (next = arrived.get(reported)) !== undefined; reported += 1) {
          arrived.delete(reported);
          ready.push(next);
        }
        if (ready.length === 0) break;
        await report(ready);
      }
      reporting = null;
    };
    const work = async (): Promise<void> => {
      for (;;) {
        await this.#resumed();
        const { value: item, done } = items.next();
        if (done === true) break;
        queue.delete(item);
        const position = started;
        started += 1;
        arrived.set(position, await this.#runOne(item, act));
        reporting ??= nextTurn().then(reportArrived);
        // Awaited, so that a slow receiver slows the requests, and a broken one stops them.
        await reporting;
      }
    };
    const workers = Array.from({ length: Math.min(this.#options.concurrency, queue.size) }, work);
    try {
      await Promise.all(workers);
    } catch (error) {
      this.stop();
      // The responses of requests in flight must be kept.
      await Promise.allSettled(workers);
      throw error;
    }
  }

  stop(): void {
    this.#hasStopped = true;
    this.#options.onStop?.();
  }

  /** Starts no item until the promise is settled. */
  pauseUntil(until: Promise<unknown>): void {
    this.#pause = Promise.allSettled([this.#pause, until]);
  }

  async #resumed(): Promise<void> {
    for (let seen: unknown; seen !== this.#pause;) {
      seen = this.#pause;
      await seen;
    }
  }

  async #runOne<Result>(item: string, act: (item: string) => Promise<Result>): Promise<Outcome<Result>> {
    if (this.#isStopped()) return notTried(item);
    try {
      const result = await act(item);
      this.#consecutive = 0;
      return { item, status: "done", result, failure: null };
    } catch (error) {
      if (error instanceof Stopped) return notTried(item);
      if (!isFailure(error)) throw error;
      // A throttled request changed nothing.
      if (isThrottled(error) && this.#isStopped()) return notTried(item);
      this.#countFailure(error);
      return outcomeOf(item, error);
    }
  }

  #countFailure(failure: Failure): void {
    const { kind, details } = failure;
    if (this.#options.makesAbsent?.(failure) === true || details.isAboutItem === true) return;
    this.#consecutive += 1;
    if (fatalKinds.includes(kind) || this.#consecutive >= mostConsecutive) this.stop();
  }

  #isStopped(): boolean {
    return this.#hasStopped || this.#options.isStopped?.() === true;
  }
}

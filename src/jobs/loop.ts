// Runs one action over many items, several at once, and reports the outcomes in the order of the items.
//
//   throttled                  all items wait (http/waiting.ts has the budget); then the same item is sent again
//   5 failures in a row        the loop stops: the server is at fault
//   a failure that every item  the loop stops at once: authentication, network, a receiver that accepts nothing
//   would have
//
// A loop that stops lets the items in flight finish; all others are "not-tried".
import { setImmediate as nextTurn } from "node:timers/promises";
import { isFailure, type Failure } from "../errors/errors.ts";
import { createWaitBudget, hasWaited, isThrottled, longestWaitMs } from "../http/waiting.ts";
import { notTried, outcomeOf, type Outcome } from "./outcome.ts";

/** Thrown by an action that a signal stopped before it sent anything. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

interface LoopOptions {
  readonly concurrency: number;
  /** True for a single item, which waits no longer than a request. */
  readonly isOne: boolean;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly isAbsence?: (failure: Failure) => boolean;
  readonly isStopped?: () => boolean;
}

/** Failures that every further item would have as well. */
const fatalKinds: readonly string[] =
  "authentication otp sso network usage undelivered internal rate-limited".split(" ");

/** After this many failures in a row, absent items aside, the server is at fault, and not the items. */
const maxConsecutive = 5;

export class Loop {
  readonly #options: LoopOptions;
  readonly #budget: ReturnType<typeof createWaitBudget>;
  /** Ends when no item waits for the server, or for a proof, any more. */
  #pause: Promise<unknown> = Promise.resolve();
  #pauses = 0;
  #hasStopped = false;
  #consecutive = 0;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#budget = createWaitBudget(longestWaitMs[options.isOne ? "request" : "job"]);
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
      // The answers of requests in flight must be kept.
      await Promise.allSettled(workers);
      throw error;
    }
  }

  stop(): void {
    this.#hasStopped = true;
  }

  /** Starts no item until the promise is settled. */
  hold(until: Promise<unknown>): void {
    this.#pauses += 1;
    this.#pause = Promise.allSettled([this.#pause, until]);
  }

  /** Waits for a limit in the middle of an action; false if its request must not be sent again. */
  async waitFor(failure: Failure): Promise<boolean> {
    const wait = isThrottled(failure) && !this.#isStopped() ? this.#budget.next(failure) : null;
    if (wait === null) return false;
    const waiting = this.#options.wait(wait);
    this.hold(waiting);
    await waiting;
    return !this.#isStopped();
  }

  /** Resolves when no item is held any more. */
  async #resumed(): Promise<void> {
    for (let waited = 0; waited < this.#pauses;) {
      waited = this.#pauses;
      await this.#pause;
    }
  }

  async #runOne<Result>(item: string, act: (item: string) => Promise<Result>): Promise<Outcome<Result>> {
    for (;;) {
      await this.#resumed();
      const outcome = this.#isStopped() ? notTried(item) : await this.#tryOne(item, act);
      if (outcome !== null) return outcome;
    }
  }

  /** Null if the item is to be sent again. */
  async #tryOne<Result>(
    item: string,
    act: (item: string) => Promise<Result>,
  ): Promise<Outcome<Result> | null> {
    const pausesBefore = this.#pauses;
    try {
      const result = await act(item);
      this.#countSuccess();
      return { item, status: "done", result, failure: null };
    } catch (error) {
      if (error instanceof Stopped) return notTried(item);
      if (!isFailure(error)) throw error;
      const failure = this.#unlessItWaits(error, pausesBefore);
      if (failure === null) return null;
      this.#countFailure(failure);
      return outcomeOf(item, failure);
    }
  }

  /** The failure to report; null if the item waits for a limit. A throttled request changed nothing. */
  #unlessItWaits(error: Failure, pausesBefore: number): Failure | null {
    // The read of a single item.
    if (!isThrottled(error) || (this.#options.isOne && hasWaited(error))) return error;
    // Items in flight share a wait that began after they were sent.
    if (this.#pauses > pausesBefore && !this.#isStopped()) return null;
    const wait = this.#budget.next(error);
    if (wait === null) return this.#budget.exhausted(error);
    this.hold(this.#options.wait(wait));
    return null;
  }

  #countSuccess(): void {
    this.#budget.restart();
    this.#consecutive = 0;
  }

  #countFailure(failure: Failure): void {
    const { kind, details } = failure;
    if (kind !== "rate-limited") this.#budget.restart();
    if (this.#options.isAbsence?.(failure) === true || details.isAboutItem === true) return;
    this.#consecutive += 1;
    if (fatalKinds.includes(kind) || this.#consecutive >= maxConsecutive) this.stop();
  }

  #isStopped(): boolean {
    return this.#hasStopped || this.#options.isStopped?.() === true;
  }
}

// Runs one action over many items, several at once, and reports the outcomes in the order of the items.
//
//   throttled                  all items wait (http/waiting.ts has the budget); then the same item is sent again
//   5 x absent                 while the server has accepted nothing: no item is sent until `clear` allows it, because
//                              wrong credentials are likelier than so many deleted items
//   5 other failures in a row  the loop stops: the server is at fault
//   a failure that every item  the loop stops at once: authentication, network, a receiver that accepts nothing
//   would have
//
// A loop that stops lets the items in flight finish; all others are "not-tried".
import { isFailure, type Failure } from "../errors/errors.ts";
import { createWaitBudget, isThrottled, longestWaitMs } from "../http/waiting.ts";
import { notTried, outcomeOf, type Outcome } from "./outcome.ts";

/** Thrown by an action that a signal stopped before it sent anything. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

export interface LoopOptions<Item> {
  /** The number of items in flight. */
  readonly concurrency: number;
  /** True for a single item, which waits no longer than a request. */
  readonly isOne: boolean;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** True for an answer that says that an item is not there. */
  readonly isAbsence?: (failure: Failure) => boolean;
  /**
   * Called before each item while the credentials are in doubt; resolves if it may be sent, and with true if they are
   * right. Throws "not found" for an item that is not there. Only reads. Absent if the action is harmless with wrong
   * credentials.
   */
  readonly clear?: ((item: Item) => Promise<boolean>) | undefined;
  /** True if no more items are to be started. */
  readonly isStopped?: () => boolean;
}

export type Loop<Item> = ReturnType<typeof createLoop<Item>>;

/** Failures that every further item would have as well. */
const fatalKinds: readonly string[] =
  "authentication otp sso network usage undelivered internal rate-limited".split(" ");

/** After this many absent items without one success, the credentials may be wrong, rather than the items gone. */
const maxAbsent = 5;

/** After this many other failures in a row, the server is at fault, and not the items. */
const maxConsecutive = 5;

/** Outcomes that may wait for their report, as a multiple of the concurrency, so that a loop stops soon if that fails. */
const maxWaiting = 4;

export function createLoop<Item>(options: LoopOptions<Item>) {
  const { concurrency, isOne, clear } = options;
  const budget = createWaitBudget(longestWaitMs[isOne ? "request" : "job"]);
  /** Ends when no item waits for the server, or for a proof, any more. */
  let pause: Promise<unknown> = Promise.resolve();
  let pauses = 0;
  let hasStopped = false;
  /** True if the server has accepted something since the credentials were last in doubt. */
  let isTrusted = false;
  let absent = 0;
  let consecutive = 0;

  const isStopped = (): boolean => hasStopped || options.isStopped?.() === true;
  const isInDoubt = (): boolean => clear !== undefined && absent >= maxAbsent && !isTrusted;
  const hold = (until: Promise<unknown>): void => {
    pauses += 1;
    pause = Promise.allSettled([pause, until]);
  };

  const stop = (): void => {
    hasStopped = true;
  };

  const countFailure = (failure: Failure): void => {
    const { kind, details } = failure;
    if (kind !== "rate-limited") budget.restart();
    if (options.isAbsence?.(failure) === true) absent += 1;
    else if (details.isAboutItem !== true) {
      consecutive += 1;
      if (fatalKinds.includes(kind) || consecutive >= maxConsecutive) hasStopped = true;
    }
  };

  const runOne = async <Result>(
    item: Item,
    act: (item: Item) => Promise<Result>,
  ): Promise<Outcome<Item, Result>> => {
    for (;;) {
      // Not awaited without a pause, so that items start in their order.
      for (let waited = 0; waited < pauses;) {
        waited = pauses;
        await pause;
      }
      if (isStopped()) return notTried(item);
      const pausesBefore = pauses;
      try {
        if (isInDoubt() && (await clear?.(item)) === true) isTrusted = true;
        if (isStopped()) return notTried(item);
        const result = await act(item);
        budget.restart();
        consecutive = 0;
        isTrusted = true;
        return { item, status: "done", result, failure: null };
      } catch (error) {
        if (error instanceof Stopped) return notTried(item);
        if (!isFailure(error)) throw error;
        // A throttled request changed nothing, so the same item is sent again; the read of a single one has waited.
        const mayWait = isThrottled(error) && !(isOne && error.details.isRead === true);
        // Items in flight share a wait that began after they were sent.
        if (mayWait && pauses > pausesBefore && !isStopped()) continue;
        const wait = mayWait ? budget.next(error) : null;
        if (wait !== null) {
          hold(options.wait(wait));
          continue;
        }
        countFailure(error);
        return outcomeOf(item, mayWait ? budget.exhausted(error) : error);
      }
    }
  };

  return {
    /**
     * Runs `act` over the items. `report` gets the outcomes, in order and never twice at once. Rejects if it throws, or
     * if `act` throws anything but a Failure.
     */
    async run<Result>(
      items: readonly Item[],
      act: (item: Item) => Promise<Result>,
      report: (outcomes: readonly Outcome<Item, Result>[]) => Promise<void>,
    ): Promise<void> {
      const arrived = new Map<number, Outcome<Item, Result>>();
      let [started, reported] = [0, 0];
      let reporting: Promise<void> = Promise.resolve();
      const reportArrived = async (): Promise<void> => {
        const ready: Outcome<Item, Result>[] = [];
        for (let next = arrived.get(reported); next !== undefined; next = arrived.get(reported)) {
          arrived.delete(reported);
          ready.push(next);
          reported += 1;
        }
        if (ready.length > 0) await report(ready);
      };
      const work = async (): Promise<void> => {
        while (started < items.length) {
          const position = started;
          started += 1;
          arrived.set(position, await runOne(items[position] as Item, act));
          reporting = reporting.then(reportArrived);
          // Otherwise the report goes on while the next item is sent.
          reporting.catch(stop);
          if (arrived.size > maxWaiting * concurrency) await reporting;
        }
      };
      const workers = Array.from({ length: Math.min(concurrency, items.length) }, work);
      try {
        await Promise.all(workers);
        await reporting;
      } catch (error) {
        stop();
        // The answers of requests in flight must be kept.
        await Promise.allSettled(workers);
        throw error;
      }
    },
    /** Waits for a limit in the middle of an action; false if its request must not be sent again. */
    async waitFor(failure: Failure): Promise<boolean> {
      const wait = isThrottled(failure) && !isStopped() ? budget.next(failure) : null;
      if (wait === null) return false;
      const waiting = options.wait(wait);
      hold(waiting);
      await waiting;
      return !isStopped();
    },
    /** Starts no item until the promise is settled. */
    hold,
    wait: options.wait,
    /** Puts the credentials in doubt again, because nothing could be proven with them. */
    doubt(): void {
      isTrusted = false;
      absent = 0;
    },
    /** Starts no more items. */
    stop,
  };
}

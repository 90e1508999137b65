// Runs one action over many items, several at once, and yields the outcomes in the order of the items.
//
//   throttled                  all items wait (http/waiting.ts has the budget); then the same item is sent again
//   5 x absent                 while the server has accepted nothing: no item is sent until `clear` allows it, because
//                              wrong credentials are likelier than so many deleted items
//   5 other failures in a row  the run stops: the server is at fault
//   a failure that every item  the run stops at once: authentication, network, a receiver that accepts nothing
//   would have
//
// A run that stops lets the items in flight finish; all others are "not-tried".
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { createWaitBudget, isNamed, isThrottled, waitLimits, type WaitLimits } from "../http/waiting.ts";
import type { Context } from "../run/context.ts";

export type Outcome<Item, Result> =
  | { readonly item: Item; readonly state: "done"; readonly result: Result }
  | { readonly item: Item; readonly state: "failed"; readonly failure: Failure }
  | { readonly item: Item; readonly state: "not-tried" };

export interface Waits {
  /** `named`: the server specified the duration. */
  readonly sleep: (milliseconds: number, named: boolean) => Promise<void>;
  /** Null if a throttled item fails at once. */
  readonly limits: WaitLimits | null;
}

/** The waits of a run that changes these items. They end early when `stopped` resolves. */
export function changeWaits(context: Context, items: readonly unknown[], stopped: Promise<void>): Waits {
  const limits = items.length > 1 ? waitLimits.job : waitLimits.request;
  return {
    limits,
    sleep: (milliseconds, named) => Promise.race([context.progress.wait(milliseconds, named), stopped]),
  };
}

/**
 * The waits of a run that only reads these items. There are none for a single one, which the layer that retries reads
 * has already waited for.
 */
export function readWaits({ progress }: Context, items: readonly unknown[]): Waits {
  return {
    limits: items.length > 1 ? waitLimits.job : null,
    sleep: (milliseconds, named) => progress.wait(milliseconds, named),
  };
}

/**
 * Waits after a throttled read that follows an item's change, so that the item is not sent again. The function resolves
 * with false if the read must not be repeated: the limits are reached, or the run has to stop.
 */
export function waitsAfterChange(
  { sleep, limits }: Waits,
  isStopped: () => boolean,
): (failure: Failure) => Promise<boolean> {
  const budget = limits === null ? null : createWaitBudget(limits);
  return async (failure) => {
    if (budget === null || !isThrottled(failure) || isStopped()) return false;
    const wait = budget.next(failure);
    if (wait === null) return false;
    await sleep(wait, isNamed(failure.details.retryAfterMs));
    return !isStopped();
  };
}

export interface RunOptions<Item> {
  readonly concurrency: number;
  readonly waits: Waits;
  /** True for an answer that says that an item is not there. */
  readonly isAbsence?: ((failure: Failure) => boolean) | undefined;
  /**
   * Called before each item while the credentials are in doubt; resolves if it may be sent, and with true if they are
   * right. Throws "not found" for an item that is not there. Must only read. Absent if the action is harmless with wrong
   * credentials.
   */
  readonly clear?: ((item: Item) => Promise<boolean>) | undefined;
  /** No item is started before. */
  readonly startAfter?: Promise<void> | undefined;
  /** True if the run has to stop: items in flight are finished, and no more are started. */
  readonly isStopped?: (() => boolean) | undefined;
}

/**
 * Maximum number of finished outcomes that wait for an earlier, slow item, as a multiple of the concurrency: enough to
 * keep requests in flight meanwhile, and few enough that a run stops soon if its output fails.
 */
const maxWaiting = 4;

/** Runs `act` over the items. A Failure that `act` throws is the item's outcome; any other error ends the run. */
export function runItems<Item, Result>(
  items: readonly Item[],
  options: RunOptions<Item>,
  act: (item: Item) => Promise<Result>,
) {
  const { clear, concurrency, waits } = options;
  const guard = createGuard(waits.limits ?? waitLimits.job, options.isAbsence ?? (() => false));
  const isStopped = (): boolean => guard.isStopped() || options.isStopped?.() === true;

  const clearIfInDoubt = async (item: Item): Promise<void> => {
    if (clear !== undefined && guard.isInDoubt() && (await clear(item))) guard.trust();
  };

  const run = async (item: Item): Promise<Outcome<Item, Result>> => {
    if (options.startAfter !== undefined) await options.startAfter;
    for (;;) {
      // Not awaited if it may be tried at once, so that items start in their order.
      if (guard.mustWait(clear !== undefined)) await guard.whenReady(clear !== undefined);
      if (isStopped()) return { item, state: "not-tried" };
      const waitsBefore = guard.unnamedWaits();
      try {
        await clearIfInDoubt(item);
        if (isStopped()) return { item, state: "not-tried" };
        const result = await guard.watch(act(item));
        guard.succeed();
        return { item, state: "done", result };
      } catch (error) {
        if (!isFailure(error)) throw error;
        // A throttled request changed nothing, so the same item is sent again. Reads of a single item are left to the
        // layer that retries reads.
        const isOfLayer = waits.limits === waitLimits.request && error.details.isRead === true;
        const mayWait = waits.limits !== null && isThrottled(error) && !isOfLayer;
        const wait = mayWait ? guard.nextWait(error, waitsBefore) : null;
        if (wait === null) {
          guard.fail(error);
          return { item, state: "failed", failure: mayWait ? guard.exhausted(error) : error };
        }
        if (wait > 0) guard.wait(waits.sleep(wait, isNamed(error.details.retryAfterMs)));
      }
    }
  };

  async function* orderedOutcomes(): AsyncGenerator<Outcome<Item, Result>, void, undefined> {
    const waiting: Promise<Outcome<Item, Result>>[] = [];
    let started = 0;
    let inFlight = 0;
    let yielded = 0;
    let isOver = false;
    const startMore = (): void => {
      if (isOver) return;
      while (
        started < items.length &&
        inFlight < concurrency &&
        started < yielded + (maxWaiting + 1) * concurrency
      ) {
        const outcome = run(items[started] as Item);
        started += 1;
        inFlight += 1;
        waiting.push(outcome);
        // Awaited when its turn comes; until then a rejection, which is a bug, must not count as unhandled.
        outcome.then(freeSlot, freeSlot);
      }
    };
    const freeSlot = (): void => {
      inFlight -= 1;
      startMore();
    };
    try {
      for (; yielded < items.length; yielded += 1) {
        startMore();
        const outcome = await waiting.shift();
        if (outcome !== undefined) yield outcome;
      }
    } finally {
      isOver = true;
    }
  }

  return {
    outcomes: orderedOutcomes(),
    /** Starts no item until the promise is settled. */
    hold: (until: Promise<unknown>) => guard.wait(until),
    /** Puts the credentials in doubt again, because nothing could be proven with them. */
    doubt: () => guard.doubt(),
    /** Starts no more items. */
    stop: () => guard.stop(),
  };
}

/**
 * Groups items in order, at most `most` at a time: those that arrive within one turn of the event loop, and those that
 * arrived while the previous group was processed.
 */
export async function* groupArrivals<Each>(
  source: AsyncIterable<Each>,
  most: number,
): AsyncGenerator<readonly Each[], void, undefined> {
  if (most === 1) {
    for await (const each of source) yield [each];
    return;
  }
  const iterator = source[Symbol.asyncIterator]();
  const readNext = (): Promise<IteratorResult<Each, unknown>> => {
    const taken = iterator.next();
    // An `await` below throws the failure; without one, it must not count as unhandled.
    taken.catch(() => undefined);
    return taken;
  };
  try {
    for (let next = readNext(); ;) {
      const first = await next;
      if (first.done === true) return;
      const group = [first.value];
      next = readNext();
      const turn = endOfTurn();
      while (group.length < most) {
        // A failure is thrown after the current group is yielded.
        const more = await Promise.race([next.catch(() => null), turn]);
        if (more === null || more.done === true) break;
        group.push(more.value);
        next = readNext();
      }
      yield group;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Failures that every further item would have as well. */
const fatalKinds: readonly FailureKind[] = [
  "authentication",
  "otp",
  "sso",
  "network",
  "usage",
  "undelivered",
  "internal",
];

/** After this many absent items without one success, the credentials may be wrong, rather than the items gone. */
const maxAbsent = 5;

/** After this many other failures in a row, the server is at fault, and not the items. */
const maxConsecutive = 5;

/** Decides when the next item may be sent, and when the run must stop. */
function createGuard(limits: WaitLimits, isAbsence: (failure: Failure) => boolean) {
  const budget = createWaitBudget(limits);
  let unnamedWaits = 0;
  /** The waits that the server requested and that are not over. */
  let pendingWaits = 0;
  let isStopped = false;
  /** True if the server has accepted something since the credentials were last in doubt. */
  let isTrusted = false;
  let absent = 0;
  let consecutiveFailures = 0;
  let inFlight = 0;
  /** Resolvers to call when an action settles or a wait is over. */
  const waiters: (() => void)[] = [];
  const wakeWaiters = (): void => {
    for (const resume of waiters.splice(0)) resume();
  };
  const isInDoubt = (): boolean => absent >= maxAbsent && !isTrusted;
  /**
   * True if an item has to wait: for the server, for a proof, or, if it needs credentials and they are in doubt, for a
   * request in flight that may still show that they are right.
   */
  const mustWait = (needsProof: boolean): boolean =>
    pendingWaits > 0 || (needsProof && isInDoubt() && inFlight > 0);
  const whenReady = async (needsProof: boolean): Promise<void> => {
    while (mustWait(needsProof)) await new Promise<void>((resume) => waiters.push(resume));
  };
  return {
    mustWait,
    whenReady,
    /** Counts an action as in flight until it settles. */
    async watch<T>(action: Promise<T>): Promise<T> {
      inFlight += 1;
      try {
        return await action;
      } finally {
        inFlight -= 1;
        wakeWaiters();
      }
    },
    /** True if so many items are absent that the credentials may be wrong. */
    isInDoubt,
    isStopped: () => isStopped,
    stop(): void {
      isStopped = true;
    },
    trust(): void {
      isTrusted = true;
    },
    doubt(): void {
      isTrusted = false;
      absent = 0;
    },
    succeed(): void {
      budget.restart();
      consecutiveFailures = 0;
      isTrusted = true;
    },
    fail(failure: Failure): void {
      const { kind, details } = failure;
      if (kind !== "rate-limited") budget.restart();
      if (isAbsence(failure)) {
        absent += 1;
        return;
      }
      if (details.isFromEarlierRun === true || details.isAboutItem === true) return;
      consecutiveFailures += 1;
      const isFatal = fatalKinds.includes(kind) && details.isOneDelivery !== true;
      if (isFatal || kind === "rate-limited" || consecutiveFailures >= maxConsecutive) isStopped = true;
    },
    /** Holds all items back until the wait is over. */
    wait(until: Promise<unknown>): void {
      pendingWaits += 1;
      const end = (): void => {
        pendingWaits -= 1;
        wakeWaiters();
      };
      until.then(end, end);
    },
    /** The number of waits started so far whose duration the server did not specify. */
    unnamedWaits: () => unnamedWaits,
    /**
     * The wait for a throttled item, in milliseconds; null if the budget is exhausted. All items share a wait whose
     * duration the server did not specify, so the result is 0 if one has begun since the item was sent (`waitsBefore`).
     */
    nextWait(failure: Failure, waitsBefore: number): number | null {
      if (isNamed(failure.details.retryAfterMs)) return budget.next(failure);
      if (unnamedWaits > waitsBefore) return 0;
      const next = budget.next(failure);
      if (next !== null) unnamedWaits += 1;
      return next;
    },
    exhausted: (failure: Failure) => budget.exhausted(failure),
  };
}

function endOfTurn(): Promise<null> {
  return new Promise((resolve) => {
    setImmediate(() => {
      resolve(null);
    });
  });
}

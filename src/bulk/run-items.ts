// Runs one action over many items, several at once, and yields the outcomes in the order of the items. When the service
// asks to wait, all items wait; when every further item would fail, no more are started.
import { isFailure, type Failure } from "../errors/errors.ts";
import { saysNotFound } from "../errors/not-found.ts";
import { isEndless, isRateLimit, waitOf, waitTooLong } from "../http/wait-out.ts";
import { createGuard } from "./guard.ts";
import type { Proof } from "./proof.ts";

export type Outcome<Item, Result> =
  | { readonly item: Item; readonly state: "done"; readonly result: Result }
  | { readonly item: Item; readonly state: "failed"; readonly failure: Failure }
  | { readonly item: Item; readonly state: "not-tried" };

/** Whether the service did not find the item, which by unproven credentials may mean only that they are wrong. */
export function isNotFound<Item>(
  outcome: Outcome<Item, unknown>,
): outcome is Extract<Outcome<Item, unknown>, { readonly state: "failed" }> {
  return outcome.state === "failed" && saysNotFound(outcome.failure);
}

/**
 * Called before each item while the credentials are in doubt: resolves with whether to act on the item. Throws a
 * Failure where the item does not exist. Must only read.
 */
export type Vet<Item> = (item: Item) => Promise<boolean>;

/** How long the service may put items off. */
export interface Patience {
  /** How long one item may wait in all when the service says how long. */
  readonly longestWaitMs: number;
  /** How long all wait in vain, by pauses of ours, when it does not. */
  readonly longestPausesMs: number;
}

/** `isPause`: the service did not say how long. */
export type Sleep = (milliseconds: number, isPause: boolean) => Promise<void>;

export interface RunOptions<Item> {
  readonly concurrency: number;
  readonly sleep: Sleep;
  readonly patience: Patience;
  readonly proof: Proof;
  /** Null for an action that does no harm with wrong credentials: it needs no vetting. */
  readonly vet: Vet<Item> | null;
  /** Whether the run was asked to stop: items under way are finished, and no more are started. */
  readonly isStopped?: (() => boolean) | undefined;
}

export interface Run<Item, Result> {
  /** An outcome for every item, in order. */
  readonly outcomes: AsyncGenerator<Outcome<Item, Result>, void, undefined>;
  /** Whether the run stopped because too many items were not found by unproven credentials. */
  hasGivenUp(): boolean;
}

/**
 * How many finished outcomes may wait for an earlier, slow item, as a multiple of the concurrency: enough to keep
 * requests going meanwhile, and few enough that a run whose output fails stops soon.
 */
const mostWaiting = 4;

/** Runs `act` over the items. A Failure that `act` throws is the item's outcome; any other error ends the run. */
export function runItems<Item, Result>(
  items: readonly Item[],
  options: RunOptions<Item>,
  act: (item: Item) => Promise<Result>,
): Run<Item, Result> {
  const { vet, concurrency, sleep, patience } = options;
  const guard = createGuard(options.proof, patience.longestPausesMs);
  const isStopped = (): boolean => guard.isStopped() || options.isStopped?.() === true;

  const isGoodToGo = async (item: Item): Promise<boolean> => {
    if (vet === null || !guard.isInDoubt()) return true;
    if (await vet(item)) return !isStopped();
    guard.giveUp();
    return false;
  };

  const run = async (item: Item): Promise<Outcome<Item, Result>> => {
    for (let waited = 0; ;) {
      const ready = guard.untilReady(vet !== null);
      if (ready !== null) await ready;
      if (isStopped()) return { item, state: "not-tried" };
      const pausesBefore = guard.pausesBegun();
      try {
        if (!(await isGoodToGo(item))) return { item, state: "not-tried" };
        const result = await guard.watch(act(item));
        guard.succeed();
        return { item, state: "done", result };
      } catch (error) {
        if (!isFailure(error)) throw error;
        // A 429 says that nothing was changed, so the same item is sent again when the service says so.
        const isPause = isEndless(error);
        const wait = isPause
          ? guard.nextPause(error, pausesBefore)
          : isRateLimit(error)
            ? waitOf(error)
            : null;
        if (wait === null || wait > longestSingleWaitMs || waited + wait > patience.longestWaitMs) {
          guard.fail(error);
          const failure = isPause ? guard.inVain(error) : wait === null ? error : waitTooLong(error);
          return { item, state: "failed", failure };
        }
        if (wait > 0) guard.wait(sleep(wait, isPause));
        waited += wait;
      }
    }
  };

  async function* inOrder(): AsyncGenerator<Outcome<Item, Result>, void, undefined> {
    const waiting: Promise<Outcome<Item, Result>>[] = [];
    let started = 0;
    let underWay = 0;
    let handedOn = 0;
    let isOver = false;
    const startMore = (): void => {
      if (isOver) return;
      while (
        started < items.length &&
        underWay < concurrency &&
        started < handedOn + (mostWaiting + 1) * concurrency
      ) {
        const outcome = run(items[started] as Item);
        started += 1;
        underWay += 1;
        waiting.push(outcome);
        // Awaited when its turn comes; until then a rejection, which is a bug, must not count as unhandled.
        outcome.then(makeRoom, makeRoom);
      }
    };
    const makeRoom = (): void => {
      underWay -= 1;
      startMore();
    };
    try {
      for (; handedOn < items.length; handedOn += 1) {
        startMore();
        const outcome = await waiting.shift();
        if (outcome !== undefined) yield outcome;
      }
    } finally {
      isOver = true;
    }
  }

  return { outcomes: inOrder(), hasGivenUp: () => guard.hasGivenUp() };
}

/** A wait of more than a day is not waited out. */
const longestSingleWaitMs = 24 * 3_600_000;

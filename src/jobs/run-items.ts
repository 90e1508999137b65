// Runs one action over many items, several at once, and yields the outcomes in the order of the items. When the service
// asks to wait, all items wait; when every further item would fail, no more are started.
import { isFailure, type Failure } from "../errors/errors.ts";
import { saysNotFound } from "../errors/not-found.ts";
import { isNamed, isThrottled, waitLimits, type WaitLimits } from "../http/waiting.ts";
import type { Context } from "../run/context.ts";
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

/** `isUnnamed`: the server did not name this wait. */
export type Sleep = (milliseconds: number, isUnnamed: boolean) => Promise<void>;

/** How a run waits when the server throttles it. */
export interface Waits {
  readonly sleep: Sleep;
  /** Null if a throttled item fails at once. */
  readonly limits: WaitLimits | null;
}

/** The waits of a run. Long ones are announced, and `stopped` ends them. */
export function jobWaits(
  { notices, progress }: Context,
  limits: Waits["limits"],
  stopped: Promise<void> | null = null,
): Waits {
  /** The longest named wait in progress: items that were in flight together are told the same. */
  let reported = 0;
  const report = (milliseconds: number, isUnnamed: boolean): void => {
    if (isUnnamed && milliseconds > shortestUnnamedToReportMs)
      notices.note(`rate limited: waiting ${milliseconds / 1000} s (the server does not name a time)`);
    if (isUnnamed || milliseconds <= Math.max(shortestNamedToReportMs, reported)) return;
    reported = milliseconds;
    notices.note(`rate limited: waiting ${Math.ceil(milliseconds / 60_000)} minutes, as the server asks`);
  };
  return {
    limits,
    async sleep(milliseconds, isUnnamed) {
      report(milliseconds, isUnnamed);
      const wait = progress.wait(milliseconds);
      await (stopped === null ? wait : Promise.race([wait, stopped]));
      if (milliseconds === reported) reported = 0;
    },
  };
}

/** The limits for reads of these items: a single read has waited already, in the layer that retries reads. */
export function readLimits(items: readonly unknown[]): Waits["limits"] {
  return items.length > 1 ? waitLimits.job : null;
}

const shortestNamedToReportMs = 60_000;
const shortestUnnamedToReportMs = 10_000;

export interface RunOptions<Item> {
  readonly concurrency: number;
  readonly waits: Waits;
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
  const { vet, concurrency, waits } = options;
  const guard = createGuard(options.proof, waits.limits ?? waitLimits.job);
  const isStopped = (): boolean => guard.isStopped() || options.isStopped?.() === true;

  const isGoodToGo = async (item: Item): Promise<boolean> => {
    if (vet === null || !guard.isInDoubt()) return true;
    if (await vet(item)) return !isStopped();
    guard.giveUp();
    return false;
  };

  const run = async (item: Item): Promise<Outcome<Item, Result>> => {
    for (;;) {
      const ready = guard.untilReady(vet !== null);
      if (ready !== null) await ready;
      if (isStopped()) return { item, state: "not-tried" };
      const waitsBefore = guard.unnamedWaits();
      try {
        if (!(await isGoodToGo(item))) return { item, state: "not-tried" };
        const result = await guard.watch(act(item));
        guard.succeed();
        return { item, state: "done", result };
      } catch (error) {
        if (!isFailure(error)) throw error;
        // A throttled request changed nothing, so the same item is sent again.
        const mayWait = waits.limits !== null && isThrottled(error);
        const wait = mayWait ? guard.nextWait(error, waitsBefore) : null;
        if (wait === null) {
          guard.fail(error);
          return { item, state: "failed", failure: mayWait ? guard.exhausted(error) : error };
        }
        if (wait > 0) guard.wait(waits.sleep(wait, !isNamed(error.details.retryAfterMs)));
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

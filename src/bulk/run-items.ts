// Runs one action over many items, some side by side, and hands the outcomes on in the order of the items. Waits
// when the service asks to, all together; stops starting more when going on would only hammer.
import { Failure, isFailure, riskierKind, type FailureKind } from "../errors/errors.ts";

export type Outcome<Item, Result> =
  | { readonly item: Item; readonly state: "done"; readonly result: Result }
  | { readonly item: Item; readonly state: "failed"; readonly failure: Failure }
  | { readonly item: Item; readonly state: "not-tried" };

export interface RunOptions {
  /** How many items may be under way at once. */
  readonly concurrency: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Whether somebody asked to stop: what is under way is finished, nothing more is started. */
  readonly isStopped?: () => boolean;
}

/** Failures that every further item would meet as well. */
const hopeless: readonly FailureKind[] = [
  "authentication",
  "otp",
  "sso",
  "network",
  "usage",
  "undelivered",
  "internal",
];

/** So many "not found" without one success mean wrong credentials more likely than gone items. */
const mostNotFound = 5;

/** So many other failures in a row are not about the items any more. */
const mostInARow = 5;

/** One wait, and how often an item may be put off. */
const longestWaitMs = 60_000;
const mostWaits = 5;

/** Yields an outcome for every item, in order. `act` throws a Failure for an item that failed. */
export async function* runItems<Item, Result>(
  items: readonly Item[],
  options: RunOptions,
  act: (item: Item) => Promise<Result>,
): AsyncGenerator<Outcome<Item, Result>, void, undefined> {
  const running: Promise<Outcome<Item, Result>>[] = [];
  const guard = createGuard();

  const run = async (item: Item): Promise<Outcome<Item, Result>> => {
    for (let waits = 0; ; waits += 1) {
      await guard.untilNobodyWaits();
      // What is on its way may still prove the credentials.
      await guard.untilDecided();
      if (guard.isStopped() || options.isStopped?.() === true) return { item, state: "not-tried" };
      try {
        const result = await guard.watch(act(item));
        guard.succeed();
        return { item, state: "done", result };
      } catch (error) {
        if (!isFailure(error)) throw error;
        // A refusal for now changed nothing, so the same item may go again when the service says so.
        const wait = waits < mostWaits ? waitOf(error) : null;
        if (wait === null) {
          guard.fail(error);
          return { item, state: "failed", failure: error };
        }
        guard.wait(options.sleep, wait);
      }
    }
  };

  let started = 0;
  for (let position = 0; position < items.length; position += 1) {
    while (started < items.length && started < position + options.concurrency) {
      const outcome = run(items[started] as Item);
      // Awaited in order; until then a bug's rejection must not count as unhandled.
      outcome.catch(() => undefined);
      running.push(outcome);
      started += 1;
    }
    const outcome = await running.shift();
    if (outcome !== undefined) yield outcome;
  }
}

/** How long the service asks to wait, if it is short enough; null for every other failure. */
function waitOf(failure: Failure): number | null {
  const { retryAfterMs } = failure.details;
  if (failure.kind !== "rate-limited" || retryAfterMs === undefined || retryAfterMs > longestWaitMs)
    return null;
  return retryAfterMs;
}

/** What the items of one run know of each other: a wait that they share, and whether going on makes sense. */
function createGuard(): {
  /** Resolves when nobody has to wait, whoever was told to meanwhile. */
  untilNobodyWaits(): Promise<void>;
  /** Resolves when nothing is on its way that could change whether going on makes sense. */
  untilDecided(): Promise<void>;
  /** Notes that something is on its way until it settles. */
  watch<T>(action: Promise<T>): Promise<T>;
  isStopped(): boolean;
  succeed(): void;
  fail(failure: Failure): void;
  wait(sleep: RunOptions["sleep"], milliseconds: number): void;
} {
  let pause = Promise.resolve();
  let isStopped = false;
  let successes = 0;
  let notFound = 0;
  let inARow = 0;
  const onTheirWay = new Set<Promise<void>>();
  const looksHopeless = (): boolean => successes === 0 && notFound >= mostNotFound;
  return {
    async untilNobodyWaits() {
      for (let waited = null; waited !== pause;) {
        waited = pause;
        await waited;
      }
    },
    async untilDecided() {
      while (looksHopeless() && onTheirWay.size > 0) await Promise.race(onTheirWay);
    },
    async watch(action) {
      const settled = action.then(
        () => undefined,
        () => undefined,
      );
      onTheirWay.add(settled);
      try {
        return await action;
      } finally {
        onTheirWay.delete(settled);
      }
    },
    isStopped: () => isStopped || looksHopeless(),
    succeed() {
      successes += 1;
      inARow = 0;
    },
    fail({ kind, details }) {
      if (details.isOld === true) return;
      if (kind === "not-found") notFound += 1;
      else inARow += 1;
      if (hopeless.includes(kind) || kind === "rate-limited" || inARow >= mostInARow) isStopped = true;
    },
    wait(sleep, milliseconds) {
      const until = sleep(milliseconds);
      pause = Promise.all([pause, until]).then(() => undefined);
    },
  };
}

/** Counts outcomes and ends a job that was not wholly done with one failure that says so. */
export interface Tally {
  count(outcome: Outcome<unknown, unknown>): void;
  /** The failure of the job, `incomplete` or riskier, with the given hint; null when all items are done. */
  failure(hint: string | null): Failure | null;
}

/** A tally that begins with what an earlier run had done. */
export function createTally(doneBefore: number): Tally {
  const counts = { done: doneBefore, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let first: Failure | null = null;
  return {
    count(outcome) {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      first ??= outcome.failure;
      const { kind: other } = outcome.failure;
      if (other === "unknown" || other === "undelivered") kind = riskierKind(kind, other);
    },
    failure(hint) {
      if (counts.failed + counts["not-tried"] === 0) return null;
      const tail = first === null ? "" : `; the first failure: ${first.message}`;
      const { done, failed, "not-tried": notTried } = counts;
      return new Failure(kind, `${done} done, ${failed} failed, ${notTried} not tried${tail}`, {
        ...first?.details,
        ...(hint === null ? {} : { hint }),
      });
    },
  };
}

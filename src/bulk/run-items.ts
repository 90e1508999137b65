// Runs one action over many items, some side by side, and hands the outcomes on in the order of the items. Stops
// starting more when going on would only hammer: the same refusal would meet every item.
import { Failure, isFailure, riskierKind, type FailureKind } from "../errors/errors.ts";

export type Outcome<Item, Result> =
  | { readonly item: Item; readonly state: "done"; readonly result: Result }
  | { readonly item: Item; readonly state: "failed"; readonly failure: Failure }
  | { readonly item: Item; readonly state: "not-tried" };

/** Failures that every further item would meet as well. */
const hopeless: readonly FailureKind[] = ["authentication", "otp", "sso", "rate-limited", "network", "usage"];

/** So many "not found" without one success mean wrong credentials more likely than gone items. */
const mostNotFound = 5;

/** Yields an outcome for every item, in order. `act` throws a Failure for an item that failed. */
export async function* runItems<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  act: (item: Item) => Promise<Result>,
): AsyncGenerator<Outcome<Item, Result>, void, undefined> {
  const running: Promise<Outcome<Item, Result>>[] = [];
  let isStopped = false;
  let successes = 0;
  let notFound = 0;

  const run = async (item: Item): Promise<Outcome<Item, Result>> => {
    if (isStopped) return { item, state: "not-tried" };
    try {
      const result = await act(item);
      successes += 1;
      return { item, state: "done", result };
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (error.kind === "not-found") notFound += 1;
      if (hopeless.includes(error.kind) || (successes === 0 && notFound >= mostNotFound)) isStopped = true;
      return { item, state: "failed", failure: error };
    }
  };

  let started = 0;
  for (let position = 0; position < items.length; position += 1) {
    while (started < items.length && started < position + concurrency) {
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

/** Counts outcomes and ends a job that was not wholly done with one failure that says so. */
export function createTally(): {
  count(outcome: Outcome<unknown, unknown>): void;
  /** Throws an `incomplete` failure, or an `unknown` one if the outcome of any item is not known. */
  finish(): void;
} {
  const counts = { done: 0, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let first: Failure | null = null;
  return {
    count(outcome) {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      first ??= outcome.failure;
      kind = riskierKind(kind, outcome.failure.kind);
    },
    finish() {
      if (counts.failed + counts["not-tried"] === 0) return;
      const tail = first === null ? "" : `; the first failure: ${first.message}`;
      throw new Failure(
        kind === "unknown" || kind === "undelivered" ? kind : "incomplete",
        `${counts.done} done, ${counts.failed} failed, ${counts["not-tried"]} not tried${tail}`,
        first?.details ?? {},
      );
    },
  };
}

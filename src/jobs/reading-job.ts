// A job that only reads: no journal, and a signal ends it as usual. Without `vet`, many "not found" do not stop it.
import type { Context } from "../run/context.ts";
import { saysNotFound } from "../errors/not-found.ts";
import type { Job } from "./job.ts";
import type { Proof } from "./proof.ts";
import { jobWaits, readLimits, runItems, type Vet } from "./run-items.ts";
import { reasonOf } from "./tally.ts";

export interface ReadingPlan {
  readonly proof: Proof;
  readonly vet: Vet<string> | null;
  readonly isStopped?: () => boolean;
  /** A hint on how to prove the credentials, for items that were not found by unproven ones. */
  readonly unprovenHint?: string;
}

/** A job that calls `act` with each item. Nothing is sent before the outcomes are read. */
export function startReading<Result>(
  context: Context,
  items: readonly string[],
  { proof, vet, isStopped, unprovenHint }: ReadingPlan,
  act: (item: string) => Promise<Result>,
): Job<Result> {
  const { concurrency } = context.options;
  let wasMissing = false;
  const run = runItems(
    items,
    { concurrency, waits: jobWaits(context, readLimits(items)), proof, vet, isStopped },
    async (item) => {
      try {
        return await act(item);
      } catch (error) {
        wasMissing ||= saysNotFound(error);
        throw error;
      }
    },
  );
  return {
    outcomes: run.outcomes,
    finishedBefore: 0,
    id: null,
    changesSomething: false,
    isProven: () => proof.isGiven(),
    finish: () => undefined,
    async end(failureOf) {
      const isUnproven = wasMissing && !proof.isGiven() && unprovenHint !== undefined;
      const failure = failureOf({
        hint: null,
        remark: isUnproven ? unprovenHint : undefined,
        ...reasonOf(run.hasGivenUp()),
      });
      if (failure !== null) throw failure;
    },
  };
}

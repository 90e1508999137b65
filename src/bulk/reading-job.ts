// A job that only reads, and what every job has at its end: its failure, and why it stopped.
import type { Context } from "../context.ts";
import type { Failure } from "../errors/errors.ts";
import type { Job } from "./job.ts";
import type { Proof } from "./proof.ts";
import { runItems, type Vet } from "./run-items.ts";
import type { Ending } from "./tally.ts";

/** A job that only reads: no journal, and a signal ends it as usual. With null for `vet` it always goes on. */
export function startReading<Result>(
  context: Context,
  items: readonly string[],
  { proof, vet }: { readonly proof: Proof; readonly vet: Vet<string> | null },
  act: (item: string) => Promise<Result>,
): Job<Result> {
  const { concurrency } = context.options;
  const sleep = (milliseconds: number): Promise<void> => context.progress.wait(milliseconds);
  const run = runItems(items, { concurrency, sleep, proof, vet }, act);
  return {
    outcomes: run.outcomes,
    finishedBefore: 0,
    id: null,
    changesSomething: false,
    isProven: () => proof.isGiven(),
    isStopped: () => false,
    stop: () => undefined,
    finish: () => undefined,
    latest: () => undefined,
    noteLost: () => undefined,
    end: (failureOf) => endWith(failureOf({ hint: null, ...reasonOf(run) })),
  };
}

/** Why a run stopped that could not tell gone items from wrong credentials. */
export function reasonOf(run: { hasGivenUp(): boolean }): Pick<Ending, "reason"> {
  return run.hasGivenUp()
    ? {
        reason:
          "stopped: so many not found without one success mean wrong credentials more likely than gone items",
      }
    : {};
}

/** Throws the failure, if there is one. */
function endWith(failure: Failure | null): Promise<void> {
  return failure === null ? Promise.resolve() : Promise.reject(failure);
}

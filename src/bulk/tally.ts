// Counts the outcomes of a job, and makes the one failure, with the totals, of a job that is not wholly done.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import type { Outcome } from "./run-items.ts";

/** The parts of the failure of a job that is not wholly done. */
export interface Ending {
  /** How to go on; null where the first failure's own hint is enough. */
  readonly hint: string | null;
  /** Stands before the hint of the first failure, where the job has no hint of its own. */
  readonly remark?: string;
  /** Why the job stopped before its end, where the failures of its items do not say it. */
  readonly reason?: string;
}

/** The reason of a run that stopped because its items may be gone or its credentials wrong. */
export function reasonOf(run: { hasGivenUp(): boolean }): Pick<Ending, "reason"> {
  return run.hasGivenUp()
    ? {
        reason:
          "stopped: so many not found without one success suggest wrong credentials rather than deleted items",
      }
    : {};
}

export type Tally = ReturnType<typeof createTally>;

/** A tally that begins with the number of items that an earlier run had finished. */
export function createTally(doneBefore: number) {
  const counts = { done: doneBefore, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let first: Failure | null = null;
  const open = (): number => counts.failed + counts["not-tried"];
  const totals = (): string => {
    const { done, failed, "not-tried": notTried } = counts;
    return `${done} done, ${failed} failed, ${notTried} not tried`;
  };
  return {
    count(outcome: Outcome<unknown, unknown>): void {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      first ??= outcome.failure;
      const { kind: other } = outcome.failure;
      if (other === "unknown" || other === "undelivered") kind = riskierKind(kind, other);
    },
    /** How many items are not done. */
    open,
    totals,
    /** The failure of the job, `incomplete` or riskier; null when all items are done. */
    failure({ hint, remark, reason }: Ending): Failure | null {
      if (open() === 0) return null;
      const said = [
        totals(),
        ...(reason === undefined ? [] : [reason]),
        ...(first === null ? [] : [`the first failure: ${first.marked}`]),
      ];
      const hints = hint === null ? [remark, first?.details.hint] : [hint];
      const text = hints.filter((part) => part !== undefined).join("; ");
      return new Failure(kind, said.join("; "), {
        ...first?.details,
        ...(text === "" ? {} : { hint: text }),
      });
    },
  };
}

// Counts the outcomes of a job, and makes the one failure, with the totals, of a job that is not wholly done.
import { joinHints } from "../errors/hints.ts";
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import type { Outcome } from "./run-items.ts";

/** The parts of the failure of a job that is not wholly done. */
export interface Ending {
  /** How to go on; null where the first failure's own hint is enough. */
  readonly hint: string | null;
  /** Stands before the hint of the first failure, where the job has no hint of its own. */
  readonly remark?: string | undefined;
  /** Whether the credentials are proven, so that "not found" is not their fault. */
  readonly isProven?: boolean;
  /** Why the job stopped before its end, where the failures of its items do not say it. */
  readonly reason?: string;
}

/** The reason of a run that stopped because its items may be gone or its credentials wrong. */
export function reasonOf(hasGivenUp: boolean): Pick<Ending, "reason"> {
  return hasGivenUp
    ? {
        reason:
          "stopped: so many not found without one success suggest wrong credentials rather than deleted items",
      }
    : {};
}

export type Tally = ReturnType<typeof createTally>;

/**
 * A tally that begins with the number of items that an earlier run had finished. `doneWord` is for a plan, in which
 * nothing is done.
 */
export function createTally(doneBefore: number, doneWord: "done" | "would be done" = "done") {
  const counts = { done: doneBefore, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let first: Failure | null = null;
  let wasAccepted = false;
  const open = (): number => counts.failed + counts["not-tried"];
  const totals = (): string => {
    const { done, failed, "not-tried": notTried } = counts;
    return `${done} ${doneWord}, ${failed} failed, ${notTried} not tried`;
  };
  return {
    count(outcome: Outcome<unknown, unknown>): void {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      first ??= outcome.failure;
      const { kind: other, details } = outcome.failure;
      wasAccepted ||= details.wasAccepted === true;
      if (other === "unknown" || other === "undelivered") kind = riskierKind(kind, other);
    },
    /** How many items are not done. */
    open,
    totals,
    /** The failure of the job, `incomplete` or riskier; null when all items are done. */
    failure({ hint, remark, reason, isProven }: Ending): Failure | null {
      if (open() === 0) return null;
      const { marked, hint: firstHint } = toldOf(first, isProven === true);
      const said = [
        totals(),
        ...(reason === undefined ? [] : [reason]),
        ...(marked === undefined ? [] : [`the first failure: ${marked}`]),
      ];
      const hints = hint === null ? [wasAccepted ? acceptedRemark : remark, firstHint] : [hint];
      return new Failure(kind, said.join("; "), { ...first?.details, hint: joinHints(hints) });
    },
  };
}

const acceptedRemark =
  "The server accepted the requests, but nothing shows whether they had an effect. You can run the same command again.";

/** What the first failure says: by proven credentials, "not found" says no more than that. */
function toldOf(
  first: Failure | null,
  isProven: boolean,
): { readonly marked?: string; readonly hint?: string | undefined } {
  if (first === null) return {};
  const { kind, marked, details } = first;
  return (isProven && kind === "not-found" ? details.ifProven : undefined) ?? { marked, hint: details.hint };
}

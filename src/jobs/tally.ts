// Counts the outcomes of a job. If it is not wholly done, the counts become its one failure.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import { joinHints } from "../errors/hints.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import type { Context } from "../run/context.ts";
import type { Ending } from "./ending.ts";
import type { Outcome } from "./run-items.ts";

export type Tally = ReturnType<typeof createTally>;

/** `doneBefore`: how many items earlier runs had finished. `doneWord` is for a dry run, in which nothing is done. */
export function createTally(doneBefore: number, doneWord: "done" | "would be done" = "done") {
  const counts = { done: doneBefore, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let first: Failure | null = null;
  let wasAccepted = false;
  /** How many of the failed items were not found. */
  let missing = 0;
  const open = (): number => counts.failed + counts["not-tried"];
  const totals = (unproven = 0): string => {
    const { done, failed, "not-tried": notTried } = counts;
    const notFound = unproven === 0 ? "" : `${unproven} unproven, `;
    return `${done} ${doneWord}, ${notFound}${failed - unproven} failed, ${notTried} not tried`;
  };
  return {
    count(outcome: Outcome<unknown, unknown>): void {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      first ??= outcome.failure;
      if (outcome.failure.kind === "not-found") missing += 1;
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
      const { marked, hint: firstHint } = wordsOf(first, isProven === true);
      const said = [
        totals(isProven === true ? 0 : missing),
        ...(reason === undefined ? [] : [reason]),
        ...(marked === undefined ? [] : [`the first failure: ${marked}`]),
      ];
      const hints = hint === null ? [wasAccepted ? acceptedRemark : remark, firstHint] : [hint];
      return new Failure(kind, said.join("; "), { ...first?.details, hint: joinHints(hints) });
    },
  };
}

/** Prints the totals of a successful job, on a terminal only. The failure of any other job has its totals. */
export function noteTotals({ host, notices }: Context, tally: Tally): void {
  if (host.stderr.isTerminal) notices.note(tally.totals());
}

/** The status of a failed item: "unproven" for "not found" by credentials that may be wrong, or by a gateway. */
export function failedStatus(failure: Failure, isProven: boolean): string {
  return failure.kind === "not-found" && !(isProven && isItemNotFound(failure)) ? "unproven" : failure.kind;
}

const acceptedRemark =
  "The server accepted the requests, but nothing shows whether they had an effect. You can run the same command again.";

/** The message and hint of the first failure: with proven credentials, "not found" means no more than that. */
function wordsOf(
  first: Failure | null,
  isProven: boolean,
): { readonly marked?: string; readonly hint?: string | undefined } {
  if (first === null) return {};
  const { kind, marked, details } = first;
  return (isProven && kind === "not-found" ? details.ifProven : undefined) ?? { marked, hint: details.hint };
}

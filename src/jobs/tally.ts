// Counts the outcomes of a job, and turns the counts into a single failure if the job is incomplete.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import type { Context } from "../run/context.ts";
import type { Ending } from "./ending.ts";
import type { Outcome } from "./run-items.ts";

export type Tally = ReturnType<typeof createTally>;

/**
 * `doneBefore`: the number of items that earlier runs finished. `doneLabel`: the label of completed items in the totals.
 */
export function createTally(doneBefore: number, doneLabel: "done" | "would be done" | "live" = "done") {
  const counts = { done: doneBefore, failed: 0, "not-tried": 0 };
  let kind: FailureKind = "incomplete";
  let firstMissing: Failure | null = null;
  let firstOther: Failure | null = null;
  let wasAccepted = false;
  /**
   * Subtotals. `gone` is part of done; the others are parts of failed: not found by the server, not found by a gateway,
   * unknown outcome, new token not delivered.
   */
  const subtotals = { gone: 0, missing: 0, missingAtGateway: 0, unknown: 0, undelivered: 0 };
  const openCount = (): number => counts.failed + counts["not-tried"];
  const isOver = (isProven: boolean): boolean =>
    isProven && openCount() > 0 && openCount() === subtotals.missing;
  const totals = (isProven = false): string => {
    return [
      `${counts.done - subtotals.gone} ${doneLabel}`,
      ...countClause(subtotals.gone, "already gone"),
      ...countClause(isProven ? subtotals.missing : 0, "not found"),
      ...countClause(subtotals.missingAtGateway + (isProven ? 0 : subtotals.missing), "unproven"),
      ...countClause(subtotals.unknown, "unknown"),
      ...countClause(subtotals.undelivered, "undelivered"),
      `${counts.failed - subtotals.missing - subtotals.missingAtGateway - subtotals.unknown - subtotals.undelivered} failed`,
      `${counts["not-tried"]} not tried`,
    ].join(", ");
  };
  return {
    /** Counts an item as done because it was already gone. */
    countGone(): void {
      counts.done += 1;
      subtotals.gone += 1;
    },
    count(outcome: Outcome<unknown, unknown>): void {
      counts[outcome.state] += 1;
      if (outcome.state !== "failed") return;
      const { failure } = outcome;
      if (isItemNotFound(failure)) {
        subtotals.missing += 1;
        firstMissing ??= failure;
      } else firstOther ??= failure;
      if (failure.kind === "not-found" && !isItemNotFound(failure)) subtotals.missingAtGateway += 1;
      if (failure.kind === "unknown") subtotals.unknown += 1;
      if (failure.kind === "undelivered") subtotals.undelivered += 1;
      wasAccepted ||= failure.details.wasAccepted === true;
      if (failure.kind === "unknown" || failure.kind === "undelivered")
        kind = riskierKind(kind, failure.kind);
    },
    /** The number of items that are not done. */
    openCount,
    totals,
    /** True if all items that are not done are proven not to exist: another run would end the same way. */
    isOver,
    /** The failure of the job, `incomplete` or riskier; null when all items are done. */
    failure({ hint, remark, reason, isProven = false }: Ending): Failure | null {
      if (openCount() === 0) return null;
      // Items that are known not to exist need no explanation.
      const first = firstOther ?? (isProven ? null : firstMissing);
      const clauses = [
        totals(isProven),
        ...(reason === undefined ? [] : [reason]),
        ...(first === null ? [] : [`first error: ${first.marked}`]),
      ];
      const parts = (): readonly (string | undefined)[] => {
        if (hint === null) return combineRemark(wasAccepted ? acceptedRemark : remark, first?.details.hint);
        if (isOver(isProven)) return [nothingLeft];
        return [first?.kind === "network" ? first.details.hint : undefined, hint];
      };
      const { details } = first ?? firstMissing ?? { details: {} };
      return new Failure(kind, clauses.join("; "), { ...details, hint: joinHints(parts()) });
    },
  };
}

/** The remark on the whole job and the hint of one item, which does not say again what was changed. */
function combineRemark(
  remark: string | undefined,
  hint: string | undefined,
): readonly (string | undefined)[] {
  return remark !== undefined && hint === hints.nothingChanged ? [remark, hints.later] : [remark, hint];
}

function countClause(count: number, word: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${word}`];
}

/** Prints the totals of a successful job, on a terminal only. The failure of any other job has its totals. */
export function noteTotals({ host, notices }: Context, tally: Tally): void {
  if (host.stderr.isTerminal) notices.note(tally.totals());
}

/** The status of a failed item: "unproven" for "not found" by credentials that may be wrong, or by a gateway. */
export function failedStatus(failure: Failure, isProven: boolean): string {
  return failure.kind === "not-found" && !(isProven && isItemNotFound(failure)) ? "unproven" : failure.kind;
}

const nothingLeft = "No action is needed: the server does not find these items, so they cannot be changed.";

const acceptedRemark =
  "The server accepted the requests, but nothing shows whether they had an effect. You can run the same command again.";

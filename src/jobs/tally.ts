// Counts the outcomes of a job by their status, and turns them into its last line: a sentence for a successful job, or one
// failure. Its kind is the riskiest; if nothing was done and all items failed in one way, it is that way's.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import { withCommas } from "../errors/words.ts";
import type { Context } from "../run/context.ts";
import type { Ending } from "./ending.ts";
import type { Outcome } from "./run-items.ts";

export type Tally = ReturnType<typeof createTally>;

/** The status of an item in rows and totals. `done` is that of the command, such as `revoked`. */
export type ItemStatus =
  | "done"
  | "not-found"
  | "unproven"
  | "unknown"
  | "undelivered"
  | "failed"
  | "not-tried";

/** In the order of the totals. */
const statuses: readonly ItemStatus[] = [
  "done",
  "not-found",
  "unproven",
  "unknown",
  "undelivered",
  "failed",
  "not-tried",
];

/** Kinds with which a job may end if nothing was done and each failure is of this kind. */
const commonKinds: readonly FailureKind[] = [
  "usage",
  "internal",
  "refused",
  "protocol",
  "authentication",
  "otp",
  "sso",
  "network",
  "rate-limited",
];

/**
 * `doneBefore`: the number of items that earlier runs finished. `done`: the status of completed items, for the totals.
 */
export function createTally(doneBefore: number, done: string) {
  const counts = new Map<ItemStatus, number>([["done", doneBefore]]);
  /** The part of those not found that counts as done. */
  let gone = 0;
  let kind: FailureKind = "incomplete";
  const kinds = new Set<FailureKind>();
  let firstMissing: Failure | null = null;
  let firstOther: Failure | null = null;
  let wasAccepted = false;
  const countOf = (status: ItemStatus): number => counts.get(status) ?? 0;
  const add = (status: ItemStatus): void => void counts.set(status, countOf(status) + 1);
  const openCount = (): number => {
    const all = statuses.reduce((sum, status) => sum + countOf(status), 0);
    return all - countOf("done") - gone;
  };
  /** "not found" was counted while the credentials were unproven: it means something only now. */
  const missing = (): number => countOf("not-found") - gone;
  const isOver = (isProven: boolean): boolean => isProven && openCount() > 0 && openCount() === missing();
  const totals = (isProven = true): string => {
    const notFound = isProven ? missing() : 0;
    const shown: Readonly<Record<ItemStatus, number>> = {
      done: countOf("done"),
      "not-found": gone + notFound,
      unproven: countOf("unproven") + missing() - notFound,
      unknown: countOf("unknown"),
      undelivered: countOf("undelivered"),
      failed: countOf("failed"),
      "not-tried": countOf("not-tried"),
    };
    const words = statuses
      .filter((status) => shown[status] > 0)
      .map(
        (status) =>
          `${withCommas(shown[status])} ${(status === "done" ? done : status).replaceAll("-", " ")}`,
      );
    return words.length === 0 ? `0 ${done.replaceAll("-", " ")}` : words.join(", ");
  };
  const endKind = (isProven: boolean): FailureKind => {
    if (isOver(isProven) && countOf("done") === 0) return "not-found";
    const [only] = kinds;
    const isCommon = kinds.size === 1 && only !== undefined && commonKinds.includes(only);
    return kind === "incomplete" && isCommon && countOf("done") + gone === 0 ? only : kind;
  };
  return {
    /** Counts an item that was not found, which counts as done. */
    countGone(): void {
      add("not-found");
      gone += 1;
    },
    count(outcome: Outcome<unknown, unknown>): void {
      if (outcome.state !== "failed") {
        add(outcome.state);
        return;
      }
      const { failure } = outcome;
      add(countedStatus(failure));
      kinds.add(failure.kind);
      if (isItemNotFound(failure)) firstMissing ??= failure;
      else firstOther ??= failure;
      wasAccepted ||= failure.details.wasAccepted === true;
      if (failure.kind === "unknown" || failure.kind === "undelivered")
        kind = riskierKind(kind, failure.kind);
    },
    /** The number of items that are not done. */
    openCount,
    totals,
    /** True if all items that are not done are proven not to exist: another run would end the same way. */
    isOver,
    /** The failure of the job; null when all items are done. */
    failure({ hint, remark, reason, isProven = false }: Ending): Failure | null {
      if (openCount() === 0) return null;
      // Items that are known not to exist need no explanation.
      const first = firstOther ?? (isProven ? null : firstMissing);
      const isOne = countOf("done") + gone === 0 && openCount() === 1 && first !== null;
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
      return new Failure(endKind(isProven), isOne ? first.marked : clauses.join("; "), {
        ...details,
        hint: joinHints(parts()),
      });
    },
  };
}

/** The failure of one item: "not found" by unproven credentials says nothing of the item. */
export function unprovenFailure(failure: Failure): Failure;
export function unprovenFailure(failure: unknown): unknown;
export function unprovenFailure(failure: unknown): unknown {
  return isItemNotFound(failure) ? new Failure("incomplete", failure.marked, failure.details) : failure;
}

/** The status under which a failure is counted, before the credentials are known to be right. */
function countedStatus(failure: Failure): ItemStatus {
  if (failure.kind === "not-found") return isItemNotFound(failure) ? "not-found" : "unproven";
  return failure.kind === "unknown" || failure.kind === "undelivered" ? failure.kind : "failed";
}

/** The remark on the whole job and the hint of one item, which does not say again what was changed. */
function combineRemark(
  remark: string | undefined,
  hint: string | undefined,
): readonly (string | undefined)[] {
  return remark !== undefined && hint === hints.nothingChanged ? [remark, hints.later] : [remark, hint];
}

/** Prints the totals of a successful job, on a terminal only. The failure of any other job has its totals. */
export function noteTotals({ host, notices }: Context, tally: Tally): void {
  if (host.stderr.isTerminal) notices.note(tally.totals());
}

/** What a row says of an item that is not done. */
interface OpenStatus {
  readonly status: "not-found" | "unproven" | "unknown" | "failed" | "not-tried";
  readonly reason: string | null;
}

/** The status and the reason of an outcome that is not done; "not found" needs proven credentials. */
export function openStatus(
  outcome: Exclude<Outcome<unknown, unknown>, { readonly state: "done" }>,
  isProven: boolean,
  { redactor }: Pick<Context, "redactor">,
): OpenStatus {
  if (outcome.state === "not-tried") return { status: "not-tried", reason: null };
  const { failure } = outcome;
  const counted = countedStatus(failure);
  if (counted === "not-found" && isProven) return { status: counted, reason: null };
  const reason = redactor.redactMessage(failure.marked);
  if (counted === "unknown") return { status: counted, reason };
  return { status: counted === "not-found" || counted === "unproven" ? "unproven" : "failed", reason };
}

const nothingLeft = "No action is needed: the server does not find these items, so they cannot be changed.";

const acceptedRemark =
  "The server accepted the requests, but nothing shows whether they had an effect. You can run the same command again.";

// Counts the outcomes of a job by their status, and turns them into its last line: a sentence for a successful job, or one
// failure. Its kind is the riskiest; if nothing was done and all items failed in one way, it is that way's.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { withCommas } from "../errors/words.ts";
import type { Context } from "../run/context.ts";
import type { Ending } from "./ending.ts";
import type { Outcome } from "./run-items.ts";

/** An outcome with the verdict on an item that the server did not find. */
export type Reported<Result> =
  | Outcome<string, Result>
  | { readonly item: string; readonly state: "gone" }
  | { readonly item: string; readonly state: "unproven"; readonly failure: Failure };

export type Tally = ReturnType<typeof createTally>;

/** The status of an item in rows and totals. `done` is that of the command, such as `revoked`. */
type ItemStatus =
  | "done"
  | "not-found"
  | "unproven"
  | "unknown"
  | "undelivered"
  | "lost"
  | "failed"
  | "not-tried";

/** In the order of the totals. */
const statuses: readonly ItemStatus[] = [
  "done",
  "not-found",
  "unproven",
  "unknown",
  "undelivered",
  "lost",
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

/** `done`: the status of completed items, for the totals. `isGoneDone`: an item that is gone counts as done. */
export function createTally(
  { finishedBefore, missing }: { readonly finishedBefore: number; readonly missing: number },
  done: string,
  isGoneDone: boolean,
) {
  const counts = new Map<ItemStatus, number>([
    ["done", finishedBefore],
    ["not-tried", missing],
  ]);
  let kind: FailureKind = "incomplete";
  const kinds = new Set<FailureKind>();
  const failures: Failure[] = [];
  let wasAccepted = false;
  const countOf = (status: ItemStatus): number => counts.get(status) ?? 0;
  const finished = (): number => countOf("done") + (isGoneDone ? countOf("not-found") : 0);
  const openCount = (): number => statuses.reduce((sum, status) => sum + countOf(status), 0) - finished();
  /** True if nothing is left but items that are gone. */
  const areGone = (): boolean => !isGoneDone && openCount() > 0 && openCount() === countOf("not-found");
  const totals = (): string => {
    const words = statuses
      .filter((status) => countOf(status) > 0)
      .map(
        (status) =>
          `${withCommas(countOf(status))} ${(status === "done" ? done : status).replaceAll("-", " ")}`,
      );
    return words.length === 0 ? `0 ${done.replaceAll("-", " ")}` : words.join(", ");
  };
  const endKind = (): FailureKind => {
    if (areGone() && countOf("done") === 0) return "not-found";
    const [only] = kinds;
    const isCommon = kinds.size === 1 && only !== undefined && commonKinds.includes(only);
    return kind === "incomplete" && isCommon && finished() + countOf("not-found") === 0 ? only : kind;
  };
  return {
    count(outcome: Reported<unknown>, status = statusOf(outcome)): void {
      counts.set(status, countOf(status) + 1);
      if (outcome.state !== "failed" && outcome.state !== "unproven") return;
      const { failure } = outcome;
      kinds.add(failure.kind);
      if (failures.length === 0) failures.push(failure);
      wasAccepted ||= failure.details.wasAccepted === true;
      if (failure.kind === "unknown" || failure.kind === "undelivered")
        kind = riskierKind(kind, failure.kind);
    },
    /** The number of items that are not done. */
    openCount,
    /** The number of items that are gone. */
    goneCount: () => countOf("not-found"),
    totals,
    /** The failure of the job; null when all items are done. */
    failure({ hint, remark }: Ending): Failure | null {
      if (openCount() === 0) return null;
      const [first = null] = failures;
      const isOne = finished() === 0 && openCount() === 1 && first !== null;
      const clauses = [totals(), ...(first === null ? [] : [`first error: ${first.message}`])];
      const parts = (): readonly (string | undefined)[] => {
        if (hint === null) return combineRemark(wasAccepted ? acceptedRemark : remark, first?.details.hint);
        return [first?.kind === "network" ? first.details.hint : undefined, hint];
      };
      return new Failure(endKind(), isOne ? first.message : clauses.join("; "), {
        ...first?.details,
        hint: joinHints(parts()),
      });
    },
  };
}

/** True for an outcome that no later run of the job would change. */
export function isFinal(outcome: Reported<unknown>): boolean {
  if (outcome.state === "failed") return finalKinds.includes(outcome.failure.kind);
  return outcome.state !== "not-tried";
}

const finalKinds: readonly FailureKind[] = ["refused", "not-found"];

function statusOf(outcome: Reported<unknown>): ItemStatus {
  if (outcome.state === "gone") return "not-found";
  if (outcome.state !== "failed") return outcome.state;
  const { kind } = outcome.failure;
  return kind === "unknown" || kind === "undelivered" ? kind : "failed";
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

/** The status and the reason of an outcome that is not done. */
export function openStatus(
  outcome: Exclude<Reported<unknown>, { readonly state: "done" }>,
  { redactor }: Pick<Context, "redactor">,
): OpenStatus {
  if (outcome.state === "not-tried") return { status: "not-tried", reason: null };
  if (outcome.state === "gone") return { status: "not-found", reason: null };
  const reason = redactor.redact(outcome.failure.message);
  if (outcome.state === "unproven") return { status: "unproven", reason };
  return { status: outcome.failure.kind === "unknown" ? "unknown" : "failed", reason };
}

const acceptedRemark =
  "The server accepted the requests, but nothing shows whether they had an effect. You can run the same command again.";

// What became of each item of a job, and of the job: outcomes, the totals of its last line, and its failure. The kind of the
// failure is the riskiest; if nothing was done and all items failed in one way, it is that way's.
import { Failure, riskierKind, type FailureKind } from "../errors/errors.ts";
import { hints, joinSentences } from "../errors/hints.ts";
import { withCommas } from "../errors/words.ts";
import type { Context } from "../run/context.ts";

/** In the order of the totals. */
const statuses = [
  "done",
  "accepted",
  "gone",
  "unproven",
  "unknown",
  "undelivered",
  "lost",
  "failed",
  "not-tried",
] as const;

export type Status = (typeof statuses)[number];

/** The word for a status in a row. Each command has its own word for `done` (`revoked`), and OAuth 2.0 for `not-found`. */
function rowStatus(status: Status, done: string, gone: string): string {
  if (status === "done") return done;
  if (status === "gone") return gone;
  return status === "undelivered" ? "failed" : status;
}

/** What a row says of an outcome: its status, and why the item is not done, without secrets. */
export function rowTexts(
  { status, failure }: Outcome<unknown>,
  done: string,
  { redactor, serverType }: Pick<Context, "redactor" | "serverType">,
): readonly [status: string, reason: string | null] {
  const reason = failure === null ? null : redactor.redact(failure.message);
  return [rowStatus(status, done, serverType.goneStatus), reason];
}

export interface Outcome<Result> {
  readonly item: string;
  readonly status: Status;
  /** Null unless it is done or accepted. */
  readonly result: Result | null;
  /** Null if it is done, accepted, gone or was not tried. */
  readonly failure: Failure | null;
}

/** Thrown by an action that a signal stopped before it sent anything. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/**
 * Delivers the values of settled outcomes, and records the end of their items; calls `stop` if the receiver accepts nothing
 * any more. Resolves with the outcomes as they are reported.
 */
export type Finish<Result> = (
  settled: readonly Outcome<Result>[],
  stop: () => void,
) => Promise<readonly Outcome<Result>[]>;

export function notTried(item: string): Outcome<never> {
  return { item, status: "not-tried", result: null, failure: null };
}

export function outcomeOf(item: string, failure: Failure): Outcome<never> {
  const { kind } = failure;
  const status = kind === "unknown" || kind === "undelivered" ? kind : "failed";
  return { item, status, result: null, failure };
}

/** True if a record would not help a later run with the item: a new job finds the same. */
export function isFinal({ status, failure }: Outcome<unknown>): boolean {
  if (status === "failed") return failure?.kind === "refused" || failure?.kind === "not-found";
  return status !== "not-tried" && status !== "unknown" && status !== "undelivered";
}

/** The parts of a job's failure that do not follow from its outcomes. */
export interface Ending {
  /** How the job goes on, if the hint of the first failure is not enough. */
  readonly hint?: string | undefined;
  readonly remark?: (typeof remarks)[keyof typeof remarks] | undefined;
}

export const remarks = {
  unchanged: "Nothing was changed, so you can run the same command again.",
  ineffective: "Revocations were sent of which nothing shows an effect.",
} as const;

/** The words of a job for an item that is done, as in `revoked`, and whether one that is gone counts as done. */
export interface DoneWords {
  readonly doneWord: string;
  readonly isGoneDone: boolean;
}

/** The numbers of items by their status; no entry for zero. */
export type Counts = ReadonlyMap<Status, number>;

/** Counts outcomes. `goneWord`: for an item that is gone. `earlierCounts`: of items that no outcome of this run is about. */
export class Tally {
  readonly #words: DoneWords;
  readonly #goneWord: string;
  readonly #counts: Map<Status, number>;
  /** Items that an outcome of this run says are gone. */
  readonly gone: string[] = [];
  readonly #kinds = new Set<FailureKind>();
  /** The first failure; of those that leave a token active, if there are any. */
  #first: Failure | null = null;
  #stillActive = 0;

  constructor(words: DoneWords, goneWord = "not-found", earlierCounts: Counts = new Map()) {
    this.#words = words;
    this.#goneWord = goneWord;
    this.#counts = new Map(earlierCounts);
  }

  count({ item, status, failure }: Outcome<unknown>): void {
    if (status === "gone") this.gone.push(item);
    this.#counts.set(status, this.countOf(status) + 1);
    if (failure === null) return;
    this.#kinds.add(failure.kind);
    const { isStillActive = false } = failure.details;
    if (isStillActive) this.#stillActive += 1;
    if (this.#first === null || (isStillActive && this.#stillActive === 1)) this.#first = failure;
  }

  countOf(status: Status): number {
    return this.#counts.get(status) ?? 0;
  }

  total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #finished(): number {
    const gone = this.#words.isGoneDone ? this.countOf("gone") : 0;
    return this.countOf("done") + this.countOf("accepted") + gone;
  }

  /** The numbers of the statuses, as in `3 revoked, 1 not found`. */
  totals(): string {
    const shown = statuses.filter((status) => this.countOf(status) > 0);
    const words = (shown.length === 0 ? ["done" as const] : shown).map((status) => {
      const word =
        status === "undelivered" ? status : rowStatus(status, this.#words.doneWord, this.#goneWord);
      return `${withCommas(this.countOf(status))} ${word.replaceAll("-", " ")}`;
    });
    return words.join(", ");
  }

  /** The failure of the job; null when all items are done. */
  failure({ hint, remark }: Ending = {}): Failure | null {
    const unfinished = this.total() - this.#finished();
    if (unfinished === 0) return null;
    const isOne = this.#finished() === 0 && unfinished === 1;
    const kind = this.#kindOf(unfinished);
    const first = this.#first;
    if (first === null) {
      const isStopped = isOne && this.countOf("not-tried") === 1;
      const message = isStopped ? "stopped before the request was sent" : this.totals();
      return new Failure(kind, message, { hint: hint ?? remark });
    }
    const own = first.details.hint;
    // The failure of one item says itself that nothing was changed.
    const saysItself = remark === remarks.unchanged && (isOne || own === hints.nothingChanged);
    const parts =
      hint === undefined
        ? [saysItself ? undefined : remark, own]
        : [["network", "incomplete"].includes(first.kind) ? own : undefined, hint];
    const active = this.#stillActive === 0 ? "" : `${withCommas(this.#stillActive)} still active: `;
    const message = isOne ? first.message : `${active}${this.totals()}; first error: ${first.message}`;
    return new Failure(kind, message, { ...first.details, hint: joinSentences(parts) });
  }

  /** The riskiest kind; if nothing was done and all failed in one way, that way's. */
  #kindOf(unfinished: number): FailureKind {
    const gone = this.countOf("gone");
    if (this.#finished() === 0 && unfinished === gone) return "not-found";
    const [only] = this.#kinds;
    if (only !== undefined && this.#kinds.size === 1 && this.#finished() + gone === 0) return only;
    return [...this.#kinds].reduce(riskierKind, "incomplete");
  }
}

// The report of a job: a row for each item, in order, and the counts of its last line. From the first absent item on, the
// outcomes are held back, at most a hundred, until it is settled which items are gone (proof.ts).
import { exitCodeOf, Failure, isFailure, QuietExit, riskierKind, usageFailure } from "../errors/errors.ts";
import { joinHints } from "../errors/hints.ts";
import type { ListWriter } from "../output/writers.ts";
import { PipeClosed } from "../output/output-stream.ts";
import type { Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import type { JobOptions } from "./job-options.ts";
import type { Loop } from "./loop.ts";
import type { JournalOperation } from "./operations.ts";
import { rowStatus, type Outcome, type Status, type Tally } from "./outcome.ts";
import { isAbsence, settle, type Absence } from "./proof.ts";
import { sameInputHint } from "./resume-hint.ts";

export type ItemOutcome<Result> = Outcome<string, Result>;

/** The rows and the last line of a job. */
export interface Report<Result, Row extends object> {
  /** The word for an item that is done, as in `revoked`. */
  readonly done: string;
  /** True if an item that is gone counts as done. */
  readonly isGoneDone: boolean;
  readonly presentation: Presentation<Row>;
  /** The row of an item; null for none. */
  readonly createRow: (
    item: string,
    status: string,
    result: Result | null,
    reason: string | null,
  ) => Row | null;
  /** Where the rows go; by default a list of the presentation. */
  readonly list?: ListWriter<Row>;
  /** Rewrites an outcome before it is counted and reported. */
  readonly refine?: (outcome: ItemOutcome<Result>) => ItemOutcome<Result>;
  /** What is proven if all of the items are gone, as a sentence; absent if that is only counted. */
  readonly verified?: (count: number) => string | undefined;
  /** What a terminal leaves out of a long job; what is done by default. */
  readonly hidden?: readonly Status[];
  /** Printed once if an item is gone: what else that may mean. */
  readonly notFoundNote?: string;
}

export interface Work<Result, Row extends object> extends Report<Result, Row> {
  readonly items: readonly string[];
  /** How items that are not found are proven to be gone; null if "not found" is a failure like any other. */
  readonly absence: Absence | null;
}

/** Delivers the values of outcomes; resolves with a failure or null for each. */
export type Deliver<Result> = (
  outcomes: readonly ItemOutcome<Result>[],
) => Promise<readonly (Failure | null)[]>;

interface Running<Result> {
  /** Each part is over and settled before the next begins. */
  readonly parts: readonly (readonly string[])[];
  readonly act: (item: string) => Promise<Result>;
  readonly deliver?: Deliver<Result> | undefined;
  /** Gets outcomes that are settled and delivered. Absent for a job that only reads. */
  readonly settled?: (outcomes: readonly ItemOutcome<Result>[]) => void;
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

/** Runs the loop and reports its outcomes; `finished` items were done before. Resolves with the failure to write the report, or null. */
export async function reportLoop<Result, Row extends object>(
  context: Context,
  work: Work<Result, Row> & { readonly finished: number },
  loop: Loop<string>,
  tally: Tally,
  { parts, act, deliver, settled }: Running<Result>,
): Promise<Failure | null> {
  const { items, absence, refine = (outcome) => outcome } = work;
  const rows = openRows(context, work, settled !== undefined);
  // A single item needs no progress display.
  const progress = items.length > 1 ? context.progress.start("item", items.length, work.finished) : null;
  let reached = work.finished;
  let held: readonly ItemOutcome<Result>[] = [];
  let left = parts.flat().length;
  /** The failure of the receiver, which gets nothing any more. */
  let broken: Failure | null = null;
  const isAbsent = ({ status, failure }: ItemOutcome<Result>): boolean =>
    absence !== null && status === "failed" && failure !== null && isAbsence(failure, absence);

  const handOver = async (
    outcomes: readonly ItemOutcome<Result>[],
  ): Promise<readonly ItemOutcome<Result>[]> => {
    if (deliver === undefined) return outcomes;
    const failures = broken === null ? await deliver(outcomes) : outcomes.map(() => broken);
    broken ??= failures.find((failure) => failure !== null) ?? null;
    if (broken !== null) loop.stop();
    return outcomes.map((outcome, index) => {
      const failure = failures[index] ?? null;
      if (failure === null || outcome.status !== "done") return outcome;
      return { ...outcome, status: "undelivered", result: null, failure };
    });
  };
  const flush = async (): Promise<void> => {
    const outcomes = await handOver((await settleHeld(held, isAbsent, absence, loop, context)).map(refine));
    held = [];
    left -= outcomes.length;
    for (const outcome of outcomes) tally.count(outcome);
    settled?.(outcomes);
    await rows.add(outcomes, left);
  };

  for (const part of parts) {
    await loop.run(part, act, async (outcomes) => {
      reached += outcomes.length;
      progress?.reach(reached, items.length);
      held = [...held, ...outcomes];
      if (held.length >= mostHeld || !held.some(isAbsent)) await flush();
    });
    if (held.length > 0) await flush();
  }
  progress?.end();
  const failure = await rows.end();
  const gone = tally.countOf("not-found");
  if (gone > 0 && work.notFoundNote !== undefined) context.notices.note(work.notFoundNote);
  if (gone > 0 && gone < items.length && absence?.typesShown !== undefined)
    context.notices.note(`note: ${absence.typesShown()}`);
  return failure;
}

/** The outcomes with a verdict on each absent item. No item is started meanwhile. */
async function settleHeld<Result>(
  held: readonly ItemOutcome<Result>[],
  isAbsent: (outcome: ItemOutcome<Result>) => boolean,
  absence: Absence | null,
  loop: Loop<string>,
  { options }: Context,
): Promise<readonly ItemOutcome<Result>[]> {
  const absent = held.flatMap((outcome) =>
    outcome.failure !== null && isAbsent(outcome) ? [{ item: outcome.item, failure: outcome.failure }] : [],
  );
  if (absence === null || absent.length === 0) return held;
  const settling = settle(absent, absence, {
    concurrency: options.concurrency,
    wait: loop.wait,
  });
  loop.hold(settling);
  const { verdicts, rejection, isProven } = await settling;
  // Rejected credentials stop the job.
  if (rejection !== null) loop.stop();
  else if (!isProven) loop.doubt();
  return held.map((outcome) => {
    const verdict = verdicts.get(outcome.item);
    if (verdict === undefined) return outcome;
    return verdict.state === "gone"
      ? { ...outcome, status: "not-found", failure: null }
      : { ...outcome, status: verdict.state, failure: verdict.failure };
  });
}

/** On a terminal, a job of more items shows only the rows that its user looks for, and the totals. */
const mostShown = 50;

/** Prints the rows of outcomes. A job that changes something goes on if they cannot be written. */
function openRows<Result, Row extends object>(
  { printer, stdout, redactor, serverType }: Context,
  {
    items,
    done,
    isGoneDone,
    presentation,
    createRow,
    list = printer.openList(presentation),
    hidden = isGoneDone ? ["done", "not-found"] : ["done"],
  }: Work<Result, Row>,
  changesSomething: boolean,
) {
  let failure: Failure | null = null;
  let isClosed = false;
  const isTable = stdout.isTerminal && !printer.isJson;
  const isShown = ({ status }: ItemOutcome<Result>): boolean =>
    !isTable || (status !== "not-tried" && (items.length <= mostShown || !hidden.includes(status)));
  const catchFailure = (error: unknown): void => {
    if (error instanceof PipeClosed) isClosed = true;
    else if (!changesSomething || !isFailure(error)) throw error;
    else
      failure ??= new Failure(
        "undelivered",
        `the change was made, but the report could not be written: ${error.message}`,
        {
          cause: error,
          hint: "Run the same command again to see the result: what is done is reported as `not-found`.",
        },
      );
  };
  return {
    /** Throws a QuietExit if nobody reads the rows of a job that only reads, of which `left` outcomes are missing. */
    async add(outcomes: readonly ItemOutcome<Result>[], left: number): Promise<void> {
      const rows = outcomes.filter(isShown).flatMap(({ item, status, result, failure: why }) => {
        const reason = why === null ? null : redactor.redact(why.message);
        return createRow(item, rowStatus(status, done, serverType.goneStatus), result, reason) ?? [];
      });
      if (rows.length > 0) await list.add(rows).catch(catchFailure);
      if (isClosed && !changesSomething && left > 0) throw new QuietExit(exitCodeOf("incomplete"));
    },
    /** Resolves with the failure to write the rows; null if they were written, or nobody reads them. */
    async end(): Promise<Failure | null> {
      await list.end().catch(catchFailure);
      return failure;
    },
  };
}

/** What is proven if all of the items are gone; otherwise undefined. */
export function whatIsVerified(
  { items, verified, absence }: Pick<Work<unknown, object>, "items" | "verified" | "absence">,
  tally: Tally,
): string | undefined {
  const gone = tally.countOf("not-found");
  return gone === items.length ? joinHints([verified?.(gone), absence?.typesShown?.()]) : undefined;
}

/** The last line of a successful job: what was proven, or on a terminal the totals. The failure of any other job has its totals. */
export function noteEnd(
  { host, notices }: Context,
  work: Pick<Work<unknown, object>, "items" | "verified" | "absence">,
  tally: Tally,
): void {
  const sentence = whatIsVerified(work, tally);
  if (sentence !== undefined) notices.note(sentence);
  else if (work.items.length > 1 && host.stderr.isTerminal) notices.note(tally.totals());
}

/** The failure of a job that failed in part and whose report could not be written: the riskier of the two. */
export function combineFailures(failed: Failure | null, unreported: Failure | null): Failure | null {
  if (failed === null || unreported === null) return failed ?? unreported;
  const kind = riskierKind(failed.kind, unreported.kind);
  return new Failure(kind, `${failed.message}; ${unreported.message}`, failed.details);
}

/**
 * Prints the report of a job without items, and notes that there was nothing to do. Throws a usage failure with
 * --resume, because the job to resume had items.
 */
export async function reportNothing<Row extends object>(
  context: Context,
  what: string,
  { resume }: JobOptions,
  presentation: Presentation<Row>,
  operation: JournalOperation | null,
): Promise<void> {
  if (resume !== undefined)
    throw usageFailure(
      "this is not the input that the job was started with",
      operation === null ? "Run `grantctl recover list` to see unfinished jobs." : sameInputHint(operation),
    );
  context.notices.note(`no ${what}`);
  await context.printer.printList([], presentation);
}

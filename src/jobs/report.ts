// Reports jobs. All reports share the loop `reportJob`: from the first absent item on it holds outcomes back, at most a
// hundred, until it is settled which of them are gone (proof.ts); then it passes them to a sink. `reportOutcomes` has the sink that prints a row
// per item; delivery/ has sinks that also deliver new tokens. The job's failure, with its totals, is thrown at the end.
import { exitCodeOf, Failure, isFailure, QuietExit, riskierKind, usageFailure } from "../errors/errors.ts";
import { gatherRows } from "../printing/list-writers.ts";
import { PipeClosed } from "../printing/output-stream.ts";
import type { Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import type { Ending } from "./ending.ts";
import type { Job } from "./job.ts";
import type { JournalOperation } from "./operations.ts";
import { isAbsence } from "./proof.ts";
import { commandLine, sameInputHint } from "./resume-hint.ts";
import { groupArrivals, type Outcome } from "./run-items.ts";
import { createTally, isFinal, noteTotals, openStatus, type Reported } from "./tally.ts";
import type { JobOptions } from "./job-options.ts";

export interface OutcomeReport<Result, Row extends object> {
  readonly total: number;
  readonly presentation: Presentation<Row>;
  readonly createRow: (item: string, status: string, result: Result | null, reason: string | null) => Row;
  /** The status of an item that is done. */
  readonly done: string;
  /** True if an item that is gone counts as done. */
  readonly isGoneDone: boolean;
  /** The failure of a job if all of its items are gone; absent if that counts as incomplete. */
  readonly allGone?: (count: number) => Failure;
  /** Printed once if an item is gone: what else that may mean. */
  readonly notFoundNote?: string;
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
  if (resume !== undefined) {
    throw usageFailure(
      "this is not the input that the job was started with",
      operation === null ? "Run `grantctl recover list` to see unfinished jobs." : sameInputHint(operation),
    );
  }
  context.notices.note(`no ${what}`);
  await context.printer.printList([], presentation);
}

function createReportRow<Result, Row extends object>(
  outcome: Reported<Result>,
  report: OutcomeReport<Result, Row>,
  context: Context,
): Row {
  const { item } = outcome;
  if (outcome.state === "done") return report.createRow(item, report.done, outcome.result, null);
  const { status, reason } = openStatus(outcome, context);
  return report.createRow(item, status, null, reason);
}

/** The failure of a single item that was not sent because a signal came first. */
export function stoppedFailure({ hint, remark }: Ending): Failure {
  return new Failure("incomplete", "stopped before the request was sent", { hint: hint ?? remark });
}

/** Adds to the unknown outcome of a single item the command that looks it up in the journal later. */
function withRecoverHint(failure: Failure | null, id: string | null, total: number): Failure | null {
  if (failure?.kind !== "unknown" || id === null || total > 1) return failure;
  return failure.with({
    hint: `grantctl does not retry this request. Run \`${commandLine("recover", "show", id)}\` to see what is known about it.`,
  });
}

/** Prints a row for each item and counts them; throws the job's failure. */
export async function reportOutcomes<Result, Row extends object>(
  context: Context,
  job: Job<Result>,
  report: OutcomeReport<Result, Row>,
): Promise<void> {
  const rows = openRows(context, job, report.presentation);
  const tally = createTally(job, report.done, report.isGoneDone);
  const isListed = listsUntried(context);
  let taken = 0;
  let gone = 0;
  await reportJob(context, job, {
    total: report.total,
    async addOutcomes(outcomes) {
      const added: Row[] = [];
      for (const outcome of outcomes) {
        if (outcome.state === "gone") gone += 1;
        tally.count(outcome);
        if (outcome.state !== "not-tried" || isListed) added.push(createReportRow(outcome, report, context));
      }
      await rows.add(added);
      taken += outcomes.length;
      // A job that only reads stops when its output is closed. The rest is unknown, so the exit code is not 0.
      if (rows.isClosed() && !job.changesSomething && taken < report.total)
        throw new QuietExit(exitCodeOf("incomplete"));
    },
    async end() {
      await rows.end();
      if (gone > 0 && report.notFoundNote !== undefined) context.notices.note(report.notFoundNote);
    },
    failureOf(ending) {
      const own = gone > 0 && gone === report.total ? report.allGone?.(gone) : undefined;
      const failure = combineFailures(own ?? tally.failure(ending), rows.failure());
      if (failure === null && report.total > 1) noteTotals(context, tally);
      return withRecoverHint(failure, job.id, report.total);
    },
  });
}

/**
 * Opens the list of a report. A job that changes something continues if its report cannot be written: a job half done is
 * worse than no report.
 */
function openRows<Row extends object>(
  context: Context,
  { changesSomething }: Job<unknown>,
  presentation: Presentation<Row>,
) {
  const list = gatherRows(context.printer.openList(presentation));
  let failure: Failure | null = null;
  let isClosed = false;
  const handleError = (error: unknown): void => {
    if (error instanceof PipeClosed) isClosed = true;
    else if (!changesSomething || !isFailure(error)) throw error;
    else
      failure ??= new Failure("undelivered", `${notReported}: ${error.message}`, {
        cause: error,
        hint: "Run the same command again to see the result: what is done is reported as `not-found`.",
      });
  };
  return {
    async add(rows: readonly Row[]): Promise<void> {
      for (let start = 0; start < rows.length; start += rowsAtOnce)
        await list.add(rows.slice(start, start + rowsAtOnce)).catch(handleError);
    },
    end: () => list.end().catch(handleError),
    /** True if the reader has closed its end of the pipe. */
    isClosed: () => isClosed,
    /** The failure to write the report; null if it was written, or nobody reads it. */
    failure: () => failure,
  };
}

/** The part of a report that differs between jobs: it prints rows, or delivers tokens and prints rows. */
export interface ReportSink<Result> {
  readonly total: number;
  /** Maximum number of outcomes that are gathered before `addOutcomes` is called; 1 by default. */
  readonly maxOutcomes?: number;
  /** Takes outcomes in item order. */
  addOutcomes(outcomes: readonly Reported<Result>[]): Promise<void>;
  /** True for a gone item that every run must report until the job ends, because its new value is lost. */
  mustRepeat?(item: string): boolean;
  end(): Promise<void>;
  /** The failure with which the job ends; null if everything is done. */
  failureOf(ending: Ending): Failure | null;
}

/** Runs a job and reports it. */
export async function reportJob<Result>(
  context: Context,
  job: Job<Result>,
  sink: ReportSink<Result>,
): Promise<void> {
  // A single item needs no progress display.
  const progress = sink.total > 1 ? context.progress.start("item", sink.total, job.finishedBefore) : null;
  const { absence } = job;
  let held: Outcome<string, Result>[] = [];
  let seen = 0;
  let hasAbsent = false;
  let isOver = true;
  const isAbsent = (outcome: Outcome<string, Result>): boolean =>
    absence !== null && outcome.state === "failed" && isAbsence(outcome.failure, absence);
  const flush = async (): Promise<void> => {
    const outcomes = hasAbsent ? await settleHeld(held, isAbsent, job) : held;
    held = [];
    hasAbsent = false;
    isOver &&= outcomes.every((each) => isFinal(each) && !leavesEarlierOpen(each, job));
    for (const { item, state } of outcomes)
      if (state === "gone" && sink.mustRepeat?.(item) !== true) job.finish(item);
    await sink.addOutcomes(outcomes);
  };

  if (job.last?.outcomesBefore === 0) job.last.start();
  for await (const outcomes of groupArrivals(job.outcomes, sink.maxOutcomes ?? 1)) {
    for (const outcome of outcomes) {
      progress?.advance();
      held.push(outcome);
      hasAbsent ||= isAbsent(outcome);
      seen += 1;
    }
    const isBeforeLast = seen === job.last?.outcomesBefore;
    if (!hasAbsent || held.length >= mostHeld || isBeforeLast) await flush();
    if (isBeforeLast) job.last?.start();
  }
  progress?.end();
  await flush();
  await sink.end();
  await job.end((ending) => sink.failureOf(ending), isOver);
}

/** True for an outcome that says nothing of an earlier request that got no answer. */
function leavesEarlierOpen(
  { item, state }: Reported<unknown>,
  job: Pick<Job<unknown>, "earlierState">,
): boolean {
  return (state === "failed" || state === "unproven") && job.earlierState(item) !== undefined;
}

/** The outcomes with a verdict on each absent item. */
async function settleHeld<Result>(
  held: readonly Outcome<string, Result>[],
  isAbsent: (outcome: Outcome<string, Result>) => boolean,
  job: Job<Result>,
): Promise<readonly Reported<Result>[]> {
  const absent = held.flatMap((outcome) =>
    outcome.state === "failed" && isAbsent(outcome) ? [{ item: outcome.item, failure: outcome.failure }] : [],
  );
  const { verdicts } = await job.settleAbsent(absent);
  return held.map((outcome) => {
    const verdict = verdicts.get(outcome.item);
    return verdict === undefined ? outcome : { item: outcome.item, ...verdict };
  });
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

/** True if each item that was not tried gets a line; on a terminal, only their number is shown. */
export function listsUntried({ printer, stdout }: Context): boolean {
  return !stdout.isTerminal || printer.isJson;
}

/** The failure of a job that failed in part and whose report could not be written: the riskier of the two. */
function combineFailures(failed: Failure | null, unreported: Failure | null): Failure | null {
  if (failed === null || unreported === null) return failed ?? unreported;
  const kind = riskierKind(failed.kind, unreported.kind);
  return new Failure(kind, `${failed.message}; ${unreported.message}`, failed.details);
}

/** Rows per write, because `heldBack` may have too many outcomes for a single call. */
const rowsAtOnce = 1000;

const notReported = "the change was made, but the report could not be written";

// A job: one action for each of its items, reported as rows and a last line. A single item is a job of one.
//
//   runJob    changes something, with a record, so that --resume continues it after any interruption: no item is skipped,
//             and no finished item is sent again
//   runReads  only reads, for checks, and for a dry run (`previewJob`)
//
//   each item    its request, its record and its receiver (item-runner.ts); loop.ts runs them
//   order        an item that vouches for the others is changed last (queue.ts)
//   the end      the record is deleted if each item has its final outcome and no value is kept, or nothing was changed;
//                otherwise it stays, and the failure has the command that continues the job
//
// After the first signal, requests in flight are finished and no more are started; a second one ends the process at once.
import { Failure, isFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import { createItemRunner, type ItemChange } from "./item-runner.ts";
import type { BegunJob, Job, JobStart } from "./job.ts";
import { conclude, type JobReport, type ReportedItems } from "./job-output.ts";
import type { Entry, Journal } from "./journal.ts";
import { entriesOf, hasChanged, leftOf } from "./leftover.ts";
import { runItems } from "./loop.ts";
import { remarks, type Ending } from "./outcome.ts";
import type { Proof } from "./proof.ts";
import { createQueue, type SearchWitness } from "./queue.ts";
import { continueHint, type JobEnd } from "./resume-hint.ts";
import { finishOnSignal } from "./signals.ts";

/** How a job changes its items, and what it reports. */
export interface JobPlan<Result, Row extends object> {
  /** Null if "not found" is a failure like any other. */
  readonly proof: Proof | null;
  readonly report: JobReport<Result, Row>;
  readonly change: ItemChange<Result>;
  readonly searchWitness?: SearchWitness;
  /** Delivers values of an earlier run whose items the input lacks. Throws the failure of the receiver. */
  readonly redeliver?: (entries: readonly Entry[]) => Promise<void>;
}

/** The plan of a job whose items are given: each can be read. */
export interface ChangePlan<Found, Result, Row extends object> extends JobPlan<Result, Row> {
  readonly proof: Proof;
  readonly change: ItemChange<Result, Found> & { readonly read: (item: string) => Promise<Found> };
  /** The read of an item in a dry run; by default that of the change. Throws "not found". */
  readonly preview?: (item: string) => Promise<Found>;
  /** The row of an item in a dry run, by default as if its change had no result. */
  readonly createPreviewRow?: JobReport<Found, Row>["createRow"];
}

/** Runs a job that changes something. Throws its failure at the end. */
export async function runJob<Result, Row extends object>(
  context: Context,
  job: Job,
  start: JobStart,
  plan: JobPlan<Result, Row>,
): Promise<void> {
  const { proof, report, change, searchWitness } = plan;
  const reported = { items: job.items, proof, report };
  context.waits.setPatience(job.items.length > 1 ? "job" : "request");
  const searchReadsAll = change.readBy === "searchWitness";
  const { tasks, receiver } = start;
  const queue = createQueue(tasks, { proof, searchWitness, searchReadsAll });
  if (searchReadsAll || proof?.hasWitness === false) await queue.findWitness();
  const signals = finishOnSignal(context);
  try {
    const begun = await job.begin(start, change.creation);
    const { earlierCounts, journal, toRedeliver } = begun;
    if (toRedeliver.length > 0) await plan.redeliver?.(toRedeliver).catch(withSeeLeft);
    for (const { key } of toRedeliver) journal.markTaken(key);
    const { isStopped } = signals;
    const runner = createItemRunner({ change, proof, job, begun, tasks, queue, isStopped }, context);
    void signals.stopRequested.then(context.waits.stop);
    const tally = await runItems(context, reported, {
      parts: queue.parts,
      earlierCounts,
      isStopped,
      act: runner.run,
      finish: runner.finish,
      replaceWitness: () => queue.findWitness(isStopped),
    }).catch(async (error: unknown) => {
      throw isFailure(error) ? await unreported(error, journal) : error;
    });
    const gone = [...begun.earlierGone, ...tally.gone];
    const areFinal = runner.areFinal() && earlierCounts.get("not-tried") === 0;
    const hint = await removeOrHint(job, begun, { receiver, tally, areFinal }, context);
    const ending = { gone, isStopped, hint, remark: remarkOn(journal) };
    const failure = await conclude(context, reported, tally, ending);
    if (failure !== null) throw signals.explain(failure);
  } finally {
    signals.release();
    await receiver?.close?.();
  }
}

const seeLeft = "Run `grantctl recover list` to see what is left.";

/** Rejects with the failure of values of an earlier run, which are still in the record. */
function withSeeLeft(error: unknown): never {
  throw isFailure(error) ? error.with({ hint: seeLeft }) : error;
}

/** The failure of a report that could not be written, after all items in flight: undelivered only if anything is left. */
async function unreported(cause: Failure, journal: Journal): Promise<Failure> {
  if (leftOf(journal.contents) !== null)
    return new Failure(
      "undelivered",
      `changes were sent, but the report could not be written: ${cause.message}`,
      { cause, hint: seeLeft },
    );
  await journal.remove();
  const what = hasChanged(journal.contents) ? "all is done and delivered, but the report" : "the report";
  return new Failure("incomplete", `${what} could not be written: ${cause.message}`, { cause });
}

/** Removes the record of a job that is over; if something is left, resolves with a hint that has the command which goes on. */
async function removeOrHint(job: Job, begun: BegunJob, ended: JobEnd, context: Context) {
  const { journal } = begun;
  const left = leftOf(journal.contents);
  // With final outcomes, only a value or a line that cannot be read is of use to a later run.
  const isNeeded = ended.areFinal ? left === "value" || left === "damaged" : hasChanged(journal.contents);
  if (isNeeded) return continueHint(job, begun, ended, context);
  await journal.remove();
  return undefined;
}

function remarkOn({ contents }: Journal): Ending["remark"] {
  if (!hasChanged(contents)) return remarks.unchanged;
  return entriesOf(contents, "ineffective").length > 0 ? remarks.ineffective : undefined;
}

/**
 * Reads each item in a dry run, and reports what would be done with it. `inWords`: the action on the items that were found;
 * continues "would …".
 */
export async function previewJob<Found, Result, Row extends object>(
  context: Context,
  items: readonly string[],
  { proof, change, preview = change.read, report, createPreviewRow }: ChangePlan<Found, Result, Row>,
  inWords: (items: readonly string[], known: ReadonlyMap<string, Found>) => string,
): Promise<void> {
  const known = new Map<string, Found>();
  let unread = items.length;
  const read = async (item: string): Promise<Found> => {
    unread -= 1;
    const found = await preview(item);
    known.set(item, found);
    return found;
  };
  const createRow: JobReport<Found, Row>["createRow"] =
    createPreviewRow ?? ((item, status, _, reason) => report.createRow(item, status, null, reason));
  const asPreview = {
    isPreview: true,
    doneWord: "would-change",
    omittedStatuses: [],
    list: undefined,
  } as const;
  try {
    await runReads(context, { items, proof, read, report: { ...report, ...asPreview, createRow } });
  } finally {
    const found = items.filter((item) => known.has(item));
    // A run that ended early does not know how many there are.
    if (found.length > 0 && unread === 0) context.notices.note(`would ${inWords(found, known)}`);
    else if (items.length === 0) context.notices.note("nothing is left to change");
  }
}

/** Runs a job that only reads, which a signal ends as usual. `read` throws "not found" for what the server does not have. */
export async function runReads<Result, Row extends object>(
  context: Context,
  job: ReportedItems<Result, Row> & {
    readonly proof: Proof;
    readonly read: (item: string) => Promise<Result>;
  },
): Promise<void> {
  const { items, proof, read } = job;
  context.waits.setPatience(items.length > 1 ? "job" : "request");
  const tally = await runItems(context, job, {
    parts: [new Set(items)],
    earlierCounts: new Map(),
    isStopped: () => false,
    act: (item) => proof.ask(item, read),
  });
  const failure = await conclude(context, job, tally, { gone: tally.gone });
  if (failure !== null) throw failure;
}

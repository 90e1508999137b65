// A job: one action for each of its items, reported as rows and a last line. A single item is a job of one.
//
//   runJob    changes something, with a record, so that --resume continues it after any interruption: no item is skipped,
//             and no finished item is sent again
//   runReads  only reads, for checks, and for a dry run (`previewJob`)
//
//   each item    its request, its record and its receiver (item-change.ts)
//   absent       if the server does not find an item, its outcome and those after it are held back, at most a hundred, and
//                no item is started until it is settled which of the absent ones are gone (proof.ts)
//   witness      without a proof token, an item that the server finds is changed last, because until then it vouches for the
//                others. Once the last witness is absent itself, another one is looked for among the items not yet started
//   the end      the record is deleted if each item has its final answer and no value is kept, or nothing was changed;
//                otherwise it stays, and the failure has the command that continues the job
//
// After the first signal, requests in flight are finished and no more are started; a second one ends the process at once.
import { Failure, isFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import { createItemChanges, type ItemChanges, type ItemPlan } from "./item-change.ts";
import type { Job, BegunJob, JobMeans } from "./job-journal.ts";
import { conclude, openRows, type Work } from "./job-output.ts";
import type { Entry, Journal } from "./journal.ts";
import { entriesOf, hasChanged, leftOf } from "./leftover.ts";
import { Loop } from "./loop.ts";
import { remarks, type Counts, type Outcome, Tally } from "./outcome.ts";
import type { Proof, Absent } from "./proof.ts";
import { continueHint } from "./resume-hint.ts";
import { finishOnSignal } from "./signals.ts";

/** The result of a search for items that vouch for the others. */
export interface FoundWitnesses {
  /** To be changed last; none if the search found none. */
  readonly witnesses: ReadonlySet<string>;
  /** Items that need not be sent, because the server does not find them, or refuses them; with its responses. */
  readonly unsent: ReadonlyMap<string, Failure>;
}

export interface JobPlan<Result, Row extends object>
  extends Omit<Work<Result, Row>, "items">, ItemPlan<Result>, JobMeans {
  /** The items that are still to be changed. */
  readonly toChange: readonly string[];
  /** Reads items, whenever there is no witness, until one is found that vouches for the others. */
  readonly searchWitnesses?: (items: readonly string[], isStopped: () => boolean) => Promise<FoundWitnesses>;
  /** True if `searchWitnesses` reads all items, once and before the first change, whether or not there is a witness. */
  readonly readsAll?: boolean | undefined;
  /** Delivers values of an earlier run whose items the input lacks. Throws the failure of the receiver. */
  readonly redeliver?: (entries: readonly Entry[]) => Promise<void>;
}

/** Runs a job that changes something. Throws its failure at the end, and a usage failure if the record is another job's. */
export async function runJob<Result, Row extends object>(
  context: Context,
  job: Job,
  plan: JobPlan<Result, Row>,
): Promise<void> {
  const { items, operation } = job;
  const work = { ...plan, items, operation };
  context.waits.beginJob(items);
  const queue = new Queue(plan);
  if (plan.readsAll === true || plan.proof?.hasWitness === false) await queue.findWitness();
  const signals = finishOnSignal(context);
  try {
    const begun = await job.begin(plan);
    if (begun.toRedeliver.length > 0) await plan.redeliver?.(begun.toRedeliver);
    const { before, journal } = begun;
    const changes = createItemChanges(plan, begun, context, signals);
    void signals.stopRequested.then(context.waits.stop);
    const tally = await runItems(context, work, {
      parts: queue.fill(begun.toReport),
      before,
      isStopped: signals.isStopped,
      findWitness: () => queue.findWitness(signals.isStopped),
      act: (item) => changes.change(item, queue.unsent.get(item)),
      finish: changes.finish,
    }).catch(async (error: unknown) => {
      throw isFailure(error) ? await unreported(error, journal) : error;
    });
    const areFinal = changes.areFinal() && before.get("not-tried") === 0;
    const failure = await concludeJob(context, work, begun, { tally, areFinal });
    if (failure !== null) throw signals.explain(failure);
  } finally {
    signals.release();
    await plan.receiver?.close?.();
  }
}

/** The failure of a report that could not be written, after all items in flight: undelivered only if anything is left. */
async function unreported(cause: Failure, journal: Journal): Promise<Failure> {
  const isChanged = hasChanged(journal.contents);
  if (isChanged && leftOf(journal.contents) !== null)
    return new Failure(
      "undelivered",
      `changes were sent, but the report could not be written: ${cause.message}`,
      { cause, hint: "Run `grantctl recover list` to see what is left." },
    );
  await journal.remove();
  const what = isChanged ? "all is done and delivered, but the report" : "the report";
  return new Failure("incomplete", `${what} could not be written: ${cause.message}`, { cause });
}

/** The failure of a job that is over; null for a successful one. Removes the record, or adds the command that continues it. */
async function concludeJob<Result, Row extends object>(
  context: Context,
  work: Work<Result, Row> & JobMeans & Pick<Job, "operation">,
  begun: BegunJob,
  { tally, areFinal }: { tally: Tally; areFinal: boolean },
): Promise<Failure | null> {
  const { journal } = begun;
  const { contents } = journal;
  const left = leftOf(contents);
  const isUnchanged = !hasChanged(contents);
  const isRemoved = isUnchanged || (areFinal && left !== "value" && left !== "damaged");
  const state = { areFinal, isUndelivered: tally.countOf("undelivered") > 0 };
  const hint = isRemoved ? undefined : await continueHint(work, begun, state, context);
  if (isRemoved) await journal.remove();
  const wasAnswered = entriesOf(contents, "ineffective").length > 0;
  const remark = isUnchanged ? remarks.unchanged : wasAnswered ? remarks.answered : undefined;
  return conclude(context, work, tally, { hint, remark });
}

/** The items in the order of their changes. */
class Queue<Result, Row extends object> {
  readonly unsent = new Map<string, Failure>();
  #first: Set<string>;
  readonly #last = new Set<string>();
  readonly #plan: JobPlan<Result, Row>;
  /** False after a search to the end of the items. */
  #mayFind = true;

  constructor(plan: JobPlan<Result, Row>) {
    this.#plan = plan;
    this.#first = new Set(plan.toChange);
  }

  /** The parts of these items, with those whose values are only given again. */
  fill(toReport: readonly string[]): readonly Set<string>[] {
    this.#first = new Set(toReport.filter((item) => !this.#last.has(item)));
    return [this.#first, this.#last];
  }

  /** Moves a witness to the end, once the last one is absent; false if none of the items that are not started is one. */
  async findWitness(isStopped = (): boolean => false): Promise<boolean> {
    const { proof, searchWitnesses, readsAll, toChange } = this.#plan;
    if (searchWitnesses === undefined || !this.#mayFind || isStopped()) return false;
    const candidates = toChange.filter((item) => this.#first.has(item) && !this.unsent.has(item));
    const { witnesses, unsent } = await searchWitnesses(candidates, isStopped);
    for (const [item, failure] of unsent) this.unsent.set(item, failure);
    this.#mayFind = witnesses.size > 0 && readsAll !== true;
    if (witnesses.size === 0) return false;
    // Those that vouched until now are absent themselves.
    for (const item of this.#last) this.#first.add(item);
    this.#last.clear();
    for (const item of witnesses) if (this.#first.delete(item)) this.#last.add(item);
    proof?.keep([...this.#last]);
    return true;
  }
}

interface ReadPlan<Result, Row extends object> extends Work<Result, Row> {
  readonly proof: Proof;
  readonly act: (item: string) => Promise<Result>;
}

/**
 * Reads each item in a dry run, and reports what would be done with it. `inWords`: the action on the items that were found;
 * continues "would …".
 */
export async function previewJob<Result, Row extends object>(
  context: Context,
  plan: Omit<ReadPlan<Result, Row>, "done" | "hidden">,
  inWords: (items: readonly string[], known: ReadonlyMap<string, Result>) => string,
): Promise<void> {
  const known = new Map<string, Result>();
  const act = async (item: string): Promise<Result> => {
    const found = await plan.act(item);
    known.set(item, found);
    return found;
  };
  try {
    await runReads(context, { ...plan, act, done: "would-change", hidden: [] });
  } finally {
    const found = plan.items.filter((item) => known.has(item));
    if (found.length > 0) context.notices.note(`would ${inWords(found, known)}`);
    else if (plan.items.length === 0) context.notices.note("nothing is left to change");
  }
}

/** Runs a job that only reads, which a signal ends as usual. */
export async function runReads<Result, Row extends object>(
  context: Context,
  plan: ReadPlan<Result, Row>,
): Promise<void> {
  const { items, proof } = plan;
  context.waits.beginJob(items);
  const tally = await runItems(context, plan, {
    parts: [new Set(items)],
    before: new Map(),
    isStopped: () => false,
    act: (item) => proof.read(item, plan.act),
  });
  const failure = conclude(context, plan, tally);
  if (failure !== null) throw failure;
}

interface Running<Result> {
  /** Each part is over and settled before the next begins. */
  readonly parts: readonly Set<string>[];
  readonly before: Counts;
  readonly isStopped: () => boolean;
  /** Finds a witness among the items that are not started, once the last one is absent. */
  readonly findWitness?: () => Promise<boolean>;
  readonly act: (item: string) => Promise<Result>;
  /** Ends the items of a job that changes something: `createItemChanges`. */
  readonly finish?: ItemChanges<Result>["finish"];
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

async function runItems<Result, Row extends object>(
  context: Context,
  work: Work<Result, Row>,
  running: Running<Result>,
): Promise<Tally> {
  const { items, proof, inspectGone, refine = (outcome) => outcome } = work;
  const { parts, before, act, isStopped, finish } = running;
  const { loop, settle } = openLoop(context, work, running);
  const tally = new Tally(work, context.serverType.goneStatus, before);
  const rows = openRows(context, work, finish !== undefined);
  let unprinted = parts.reduce((sum, { size }) => sum + size, 0);
  // A resumed input may lack items that earlier runs reached.
  const total = tally.total() + unprinted;
  let reached = tally.total() - tally.countOf("not-tried");
  // A single item needs no progress display.
  const progress = items.length > 1 ? context.progress.start("item", total, reached) : null;
  let held: readonly Outcome<Result>[] = [];
  const gone: string[] = [];
  const flush = async (): Promise<void> => {
    const settled = (await settle(held)).map(refine);
    const outcomes = (await finish?.(settled, () => loop.stop())) ?? settled;
    held = [];
    unprinted -= outcomes.length;
    for (const outcome of outcomes) {
      tally.count(outcome);
      if (outcome.status === "not-found") gone.push(outcome.item);
    }
    await rows.add(outcomes, unprinted);
  };

  for (const [index, part] of parts.entries()) {
    // The items of this part are about to be changed, and are no witnesses.
    if (finish !== undefined) proof?.keep(parts.slice(index + 1).flatMap((later) => [...later]));
    await loop.run(part, act, async (outcomes) => {
      reached += outcomes.length;
      progress?.reach(reached, total);
      held = [...held, ...outcomes];
      if (held.length >= mostHeld || absentOf(held, proof).length === 0) await flush();
    });
    if (held.length > 0) await flush();
  }
  progress?.end();
  await rows.end();
  if (gone.length === 0 || isStopped()) return tally;
  await inspectGone?.(gone);
  const types = gone.length < items.length ? proof?.typesShown() : undefined;
  if (types !== undefined) context.notices.note(`note: ${types}`);
  return tally;
}

function openLoop<Result>(
  { options, waits }: Context,
  { proof }: Pick<Work<Result, object>, "proof">,
  { isStopped, findWitness }: Running<Result>,
) {
  const loop = new Loop({
    concurrency: options.concurrency,
    onStop: waits.stop,
    makesAbsent: (failure) => proof?.makesAbsent(failure) === true,
    isStopped,
  });
  return {
    loop,
    /** The outcomes with a verdict on each absent item. No item is started meanwhile. */
    settle: async (held: readonly Outcome<Result>[]): Promise<readonly Outcome<Result>[]> => {
      const absent = absentOf(held, proof);
      if (proof === null || absent.length === 0) return held;
      const settling = proof.settle(absent, { wait: waits.wait, findWitness });
      loop.pauseUntil(settling);
      const { verdicts, isRejected } = await settling;
      if (isRejected) loop.stop();
      return held.map((outcome) => ({ ...outcome, ...verdicts.get(outcome.item) }));
    },
  };
}

function absentOf(outcomes: readonly Outcome<unknown>[], proof: Proof | null): readonly Absent[] {
  return outcomes.flatMap(({ item, status, failure }) =>
    status === "failed" && failure !== null && proof?.makesAbsent(failure) === true
      ? [{ item, failure }]
      : [],
  );
}

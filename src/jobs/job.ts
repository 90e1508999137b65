// A job: one action for each of its items, reported as rows and a last line. A single item is a job of one.
//
//   runJob    changes something, with a record, so that --resume continues it after any interruption: no item is skipped,
//             and no finished item is sent again
//   runReads  only reads, for checks, and for a dry run (`planJob`)
//
//   each item    `sent` in the record, then `act`; then done, failed, or still sent, which is unknown
//   absent ones  the outcomes from the first one on are held back, at most a hundred, until it is settled which of them are
//                gone (proof.ts); no item is started meanwhile
//   `last`       items that are changed when all others are settled, because they vouch for them until then
//   --resume     an item that an earlier run sent has `earlierEntry`: `act` first determines whether it took effect
//   the end      the record is deleted if everything is done and delivered, or nothing was changed; otherwise it is kept,
//                and the failure has the command that continues the job
//
// After the first signal, requests in flight are finished and no more are started; a second one ends the process at once.
import { Failure, isFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Context } from "../run/context.ts";
import {
  createIntent,
  createItemRecord,
  type ItemRecord,
  openJournal,
  type JobEntries,
  type Resumable,
} from "./job-journal.ts";
import type { Entry, Journal } from "./journal.ts";
import { entriesOf, hasChanged, howToGoOn, leftOf } from "./leftover.ts";
import { Loop } from "./loop.ts";
import { createTally, isFinal, remarks, type Before, type Outcome, type Tally } from "./outcome.ts";
import type { Absence, Absent } from "./proof.ts";
import { conclude, openRows, type Work } from "./report.ts";
import { finishOnSignal, type StopSignals } from "./signals.ts";

export interface Attempt {
  /** Must be attached to the item's request. */
  readonly intent: Intent;
  /**
   * The entry of an item that an earlier run sent, or whose response it kept: `act` must determine whether that request
   * took effect before it sends another. Otherwise undefined.
   */
  readonly earlierEntry: Entry | undefined;
  readonly record: ItemRecord;
  /** True after a signal: nothing more is to be changed. */
  readonly isStopped: () => boolean;
  /** Waits for a limit that a read after the item's change met; false if the read must not be repeated. */
  readonly waitFor: (failure: Failure) => Promise<boolean>;
}

export interface JobPlan<Result, Row extends object> extends Work<Result, Row>, Resumable {
  /** False for a result that any credentials could get. */
  readonly isProof?: (result: Result) => boolean;
  readonly last?: ReadonlySet<string>;
  /** Does the work for one item. Throws a Failure. */
  readonly act: (item: string, attempt: Attempt) => Promise<Result>;
  /**
   * True if this run found that an earlier request for the item had no effect. Absent if `act` determines that before it
   * sends a request.
   */
  readonly foundUnchanged?: (item: string) => boolean;
  /**
   * Delivers the values of outcomes, which finishes their items: resolves with a failure or null for each outcome. Absent if
   * `act` delivers them, or there are none.
   */
  readonly deliver?: (outcomes: readonly Outcome<Result>[]) => Promise<readonly (Failure | null)[]>;
  /** Delivers values of an earlier run whose items the input lacks. Throws the failure of the receiver. */
  readonly giveAgain?: (entries: readonly Entry[]) => Promise<void>;
}

/** Runs a job that changes something. Throws its failure at the end, and a usage failure if the record is another job's. */
export async function runJob<Result, Row extends object>(
  context: Context,
  plan: JobPlan<Result, Row>,
): Promise<void> {
  const signals = finishOnSignal(context);
  try {
    const entries = await openJournal(context, plan);
    if (entries.givenAgain.length > 0) await plan.giveAgain?.(entries.givenAgain);
    const endings = createEndings(plan, entries);
    const { last = new Set() } = plan;
    const { pending, before, journal } = entries;
    const tally = await runItems(context, plan, {
      parts: [pending.filter((item) => !last.has(item)), pending.filter((item) => last.has(item))],
      act: (item, loop) => actOnItem(item, plan, entries, { loop, context, signals }),
      changes: { signals, before, finish: (outcomes, loop) => endings.finish(outcomes, loop) },
    }).catch(async (error: unknown) => {
      throw isFailure(error) ? await unreported(error, journal) : error;
    });
    const areFinal = endings.areFinal() && before.missing === 0;
    const failure = await concludeJob(context, plan, entries, { tally, areFinal });
    if (failure !== null) throw signals.explain(failure);
  } finally {
    signals.release();
    await plan.receiver?.close?.();
  }
}

export interface ReadPlan<Result, Row extends object> extends Work<Result, Row> {
  readonly absence: Absence;
  readonly act: (item: string) => Promise<Result>;
}

/**
 * Reads each item in a dry run, and reports what would be done with it. `inWords`: the action on the items that were found;
 * continues "would …".
 */
export async function planJob<Result, Row extends object>(
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
  const { items, absence } = plan;
  const tally = await runItems(context, plan, {
    parts: [items],
    act: (item) => absence.read(item, plan.act),
  });
  const failure = conclude(context, plan, tally, { hint: null, remark: undefined });
  if (failure !== null) throw failure;
}

interface Running<Result> {
  /** Each part is over and settled before the next begins. */
  readonly parts: readonly (readonly string[])[];
  readonly act: (item: string, loop: Loop) => Promise<Result>;
  /** For a job that changes something. */
  readonly changes?: {
    readonly signals: StopSignals;
    readonly before: Before;
    /** Delivers and records outcomes that are settled; resolves with them as they are reported. */
    readonly finish: (
      outcomes: readonly Outcome<Result>[],
      loop: Loop,
    ) => Promise<readonly Outcome<Result>[]>;
  };
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

/** Acts on the items and reports the outcomes. Resolves with their counts. */
async function runItems<Result, Row extends object>(
  context: Context,
  work: Work<Result, Row>,
  { parts, act, changes }: Running<Result>,
): Promise<Tally> {
  const { items, absence, refine = (outcome) => outcome } = work;
  const { progress: display } = context;
  const wait = (milliseconds: number): Promise<void> =>
    Promise.race([display.wait(milliseconds), changes?.signals.stopRequested ?? never]);
  const loop = new Loop({
    concurrency: context.options.concurrency,
    isOne: items.length === 1,
    wait,
    isAbsence: (failure) => absence?.isAbsence(failure) === true,
    isStopped: () => changes?.signals.isStopped() === true,
  });
  const { goneStatus } = context.serverType;
  const tally = createTally(work, goneStatus, changes?.before);
  const rows = openRows(context, work, changes !== undefined);
  let reached = tally.total() - tally.countOf("not-tried");
  // A single item needs no progress display.
  let left = parts.flat().length;
  const total = tally.total() + left;
  const progress = items.length > 1 ? display.start("item", total, reached) : null;
  let held: readonly Outcome<Result>[] = [];
  const gone: string[] = [];
  const flush = async (): Promise<void> => {
    const settled = (await settleHeld(held, absence, loop, wait)).map(refine);
    const outcomes = (await changes?.finish(settled, loop)) ?? settled;
    held = [];
    left -= outcomes.length;
    for (const outcome of outcomes) {
      tally.count(outcome);
      if (outcome.status === "not-found") gone.push(outcome.item);
    }
    await rows.add(outcomes, left);
  };

  for (const [index, part] of parts.entries()) {
    if (changes !== undefined) absence?.keep(parts.slice(index + 1).flat());
    await loop.run(
      part,
      (item) => act(item, loop),
      async (outcomes) => {
        reached += outcomes.length;
        progress?.reach(reached, total);
        held = [...held, ...outcomes];
        if (held.length >= mostHeld || absentOf(held, absence).length === 0) await flush();
      },
    );
    if (held.length > 0) await flush();
  }
  progress?.end();
  await rows.end();
  if (gone.length > 0 && changes?.signals.isStopped() !== true) await work.noteGone?.(gone);
  const types = absence?.typesShown();
  if (gone.length > 0 && gone.length < items.length && types !== undefined)
    context.notices.note(`note: ${types}`);
  return tally;
}

const never = new Promise<void>(() => undefined);

function absentOf(outcomes: readonly Outcome<unknown>[], absence: Absence | null): readonly Absent[] {
  return outcomes.flatMap(({ item, status, failure }) =>
    status === "failed" && failure !== null && absence?.isAbsence(failure) === true
      ? [{ item, failure }]
      : [],
  );
}

/** The outcomes with a verdict on each absent item. No item is started meanwhile. */
async function settleHeld<Result>(
  held: readonly Outcome<Result>[],
  absence: Absence | null,
  loop: Loop,
  wait: (milliseconds: number) => Promise<void>,
): Promise<readonly Outcome<Result>[]> {
  const absent = absentOf(held, absence);
  if (absence === null || absent.length === 0) return held;
  const settling = absence.settle(absent, wait);
  loop.hold(settling);
  const { verdicts, isRejected } = await settling;
  if (isRejected) loop.stop();
  return held.map((outcome) => ({ ...outcome, ...verdicts.get(outcome.item) }));
}

/** Sends an item and records what became of it. */
async function actOnItem<Result>(
  item: string,
  plan: Pick<JobPlan<Result, object>, "absence" | "act" | "isProof" | "foundUnchanged" | "deliver">,
  { journal, keyOf, findEarlierEntry }: JobEntries,
  { loop, context, signals }: { loop: Loop; context: Context; signals: StopSignals },
): Promise<Result> {
  const { absence } = plan;
  const key = keyOf(item);
  const earlierEntry = findEarlierEntry(item);
  /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
  const isUnchanged = (): boolean =>
    earlierEntry === undefined || (plan.foundUnchanged?.(item) ?? intent.hasBeenSent());
  const intent = createIntent(journal, key, context, { isUnchanged, isStopped: signals.isStopped });
  const attempt: Attempt = {
    intent,
    record: createItemRecord(journal, key),
    earlierEntry,
    waitFor: (failure) => loop.waitFor(failure),
    isStopped: signals.isStopped,
  };
  const send = (): Promise<Result> => plan.act(item, attempt);
  try {
    // A value of an earlier run proves nothing of this one.
    const isProof = (result: Result): boolean => intent.hasBeenSent() && plan.isProof?.(result) !== false;
    // What an earlier run may have sent, `act` reads first.
    const isReadFirst = earlierEntry !== undefined;
    const result = await (absence?.change(item, send, isProof, isReadFirst) ?? send());
    // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
    if (plan.deliver === undefined) journal.note({ item: key.item, state: "done", was_accepted: false });
    return result;
  } catch (error) {
    if (!isFailure(error)) throw error;
    const mayHaveEffect =
      isFailure(error, "unknown", "undelivered", "incomplete") || !isUnchanged() || intent.isUnkept();
    const state = journal.latestEntry(key.item)?.state;
    const wasAnswered = error.details.isRevocationAnswered === true;
    // Nothing was changed: a later run may send the item again. With `deliver`, the answer was that to the only request.
    const isNoted =
      state === "sent" ||
      (state === "failed" && wasAnswered) ||
      (state === "answered" && plan.deliver !== undefined);
    if (!mayHaveEffect && isNoted)
      journal.note({ ...key, state: "failed", ...(wasAnswered ? { was_accepted: true } : {}) });
    throw error.kind === "undelivered" ? journal.explain(key.item, error) : error;
  }
}

/** Delivers the values of outcomes, and records the end of their items. */
function createEndings<Result>(
  plan: Pick<JobPlan<Result, object>, "deliver">,
  { journal, keyOf, findEarlierEntry }: JobEntries,
) {
  /** The failure of the receiver, which gets nothing any more. */
  let broken: Failure | null = null;
  let areFinal = true;
  const deliver = async (outcomes: readonly Outcome<Result>[]): Promise<readonly Outcome<Result>[]> => {
    if (plan.deliver === undefined) return outcomes;
    const failures = broken === null ? await plan.deliver(outcomes) : outcomes.map(() => broken);
    broken ??= failures.find((failure) => failure !== null) ?? null;
    return outcomes.map((outcome, index) => {
      const failure = failures[index] ?? null;
      if (failure === null || outcome.status !== "done") return outcome;
      const explained = journal.explain(keyOf(outcome.item).item, failure);
      return { ...outcome, status: "undelivered", result: null, failure: explained };
    });
  };
  const record = (outcome: Outcome<Result>): void => {
    const { item, status } = outcome;
    const { item: key } = keyOf(item);
    // A failure now says nothing of an earlier request that got no answer.
    const leavesOpen =
      (status === "failed" || status === "unproven") &&
      (findEarlierEntry(item)?.state ?? "failed") !== "failed";
    areFinal &&= isFinal(outcome) && !leavesOpen;
    if (status === "not-found")
      journal.note({ item: key, state: journal.latestEntry(key)?.state ?? "failed", gone: true });
    else if (status === "accepted" || (status === "done" && plan.deliver !== undefined))
      journal.note({ item: key, state: "done", was_accepted: status === "accepted" });
  };
  return {
    async finish(outcomes: readonly Outcome<Result>[], loop: Loop): Promise<readonly Outcome<Result>[]> {
      const delivered = await deliver(outcomes);
      if (broken !== null) loop.stop();
      delivered.forEach(record);
      return delivered;
    },
    /** True if no later run of the job would change an outcome. */
    areFinal: (): boolean => areFinal,
  };
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

/** The failure of a job that is over; null for a successful one. Removes the record, or says how the job goes on. */
async function concludeJob<Result, Row extends object>(
  context: Context,
  plan: JobPlan<Result, Row>,
  entries: JobEntries,
  { tally, areFinal }: { readonly tally: Tally; readonly areFinal: boolean },
): Promise<Failure | null> {
  const { journal } = entries;
  const { contents } = journal;
  const left = leftOf(contents);
  const isUnchanged = !hasChanged(contents);
  const isRemoved = isUnchanged || (areFinal && left !== "value" && left !== "damaged");
  const state = { areFinal, isUndelivered: tally.countOf("undelivered") > 0 };
  const hint = isRemoved ? null : await howToGoOn(plan, entries, state, context);
  if (isRemoved) await journal.remove();
  const wasAnswered = entriesOf(contents, "ineffective").length > 0;
  const remark = isUnchanged ? remarks.unchanged : wasAnswered ? remarks.answered : undefined;
  return conclude(context, plan, tally, { hint, remark });
}

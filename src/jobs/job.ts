// A job: one action for each of its items, reported as rows and a last line. A single item is a job of one.
//
//   runJob    changes something, with a record, so that --resume continues it after any interruption: no item is skipped,
//             and no finished item is sent again
//   runReads  only reads, for checks and dry runs
//
//   each item    `sent` in the record, then `act`; then done, failed or unknown in the record
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
import { createIntent, extractTokenFromBody, type JournalKey } from "./intent.ts";
import { openJournal, type JobEntries, type Resumable } from "./job-journal.ts";
import type { Entry, Journal } from "./journal.ts";
import { isFileOfJob, keptValues } from "./leftover.ts";
import { createLoop, type Loop } from "./loop.ts";
import { traitsOf } from "./operations.ts";
import { createTally, isFinal, type Tally } from "./outcome.ts";
import { isAbsence, type Absence } from "./proof.ts";
import {
  combineFailures,
  noteEnd,
  reportLoop,
  whatIsVerified,
  type Deliver,
  type ItemOutcome,
  type Work,
} from "./report.ts";
import { commandLine, resumeHint } from "./resume-hint.ts";
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

/** The record of one item, for an action of several steps. */
export interface ItemRecord {
  /** The item in the record. */
  readonly key: string;
  /** The entries of all items when the record was opened. */
  readonly earlierEntries: ReadonlyMap<string, Entry>;
  latestEntry(): Entry | undefined;
  /** Adds these fields to the entry; resolves when they are on disk. */
  update(more: Partial<Omit<Entry, "item">>): Promise<void>;
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
  readonly deliver?: Deliver<Result>;
}

/** Runs a job that changes something. Throws its failure at the end, and a usage failure if the record is another job's. */
export async function runJob<Result, Row extends object>(
  context: Context,
  plan: JobPlan<Result, Row>,
): Promise<void> {
  const signals = finishOnSignal(context);
  try {
    const entries = await openJournal(context, plan);
    try {
      await runRecorded(context, plan, entries, signals);
    } finally {
      await entries.journal.close();
    }
  } finally {
    signals.release();
  }
}

async function runRecorded<Result, Row extends object>(
  context: Context,
  plan: JobPlan<Result, Row>,
  entries: JobEntries,
  signals: StopSignals,
): Promise<void> {
  const { absence, last = new Set() } = plan;
  const { journal, keyOf, pending, missing, findEarlierEntry } = entries;
  const loop = createLoop<string>({
    concurrency: context.options.concurrency,
    isOne: plan.items.length === 1,
    wait: (milliseconds) => Promise.race([context.progress.wait(milliseconds), signals.stopRequested]),
    isStopped: signals.isStopped,
    ...(absence === null
      ? {}
      : { isAbsence: (failure) => isAbsence(failure, absence), clear: clearUnsent(absence, entries) }),
  });
  const finished = entries.head.items.length - missing - pending.length;
  const tally = createTally(plan.done, plan.isGoneDone, { finished, missing }, context.serverType.goneStatus);
  const parts = [pending.filter((item) => !last.has(item)), pending.filter((item) => last.has(item))];
  const finish = ({ item }: ItemOutcome<Result>): void => {
    journal.note({ item: keyOf(item).item, state: "done" });
  };
  let isOver = true;
  const failed = await reportLoop(context, { ...plan, finished }, loop, tally, {
    parts,
    act: (item) => actOnItem(item, plan, entries, { loop, context, signals }),
    deliver: plan.deliver,
    settled(outcomes) {
      for (const outcome of outcomes) {
        const { item, status } = outcome;
        // A failure now says nothing of an earlier request that got no answer.
        const leavesOpen =
          (status === "failed" || status === "unproven") && findEarlierEntry(item) !== undefined;
        isOver &&= isFinal(outcome) && !leavesOpen;
        if (status === "not-found" || (status === "done" && plan.deliver !== undefined)) finish(outcome);
      }
    },
  });
  const isKept = missing > 0 || entries.items.some((item) => holdsValue(entries.latestEntry(item)));
  const isRemoved = isOver && !isKept;
  const isUnchanged = !journal.hasEffect();
  const ending = isUnchanged
    ? { hint: null, remark: unchangedRemark }
    : { hint: isRemoved ? null : await howToGoOn(plan, entries, tally.countOf("undelivered") > 0, context) };
  const failure = combineFailures(endOf(plan, tally, ending), failed);
  if (isUnchanged || isRemoved) await journal.remove();
  if (failure === null) {
    noteEnd(context, plan, tally);
    return;
  }
  const code = signals.exitCode();
  // A signal's exit code replaces only that of "incomplete": a riskier failure matters more than the signal.
  throw code !== null && failure.kind === "incomplete" ? failure.with({ signalCode: code }) : failure;
}

/** False for an answer without a token, which nobody needs once the item is settled. */
function holdsValue(entry: Entry | undefined): boolean {
  return entry?.state === "answered" && extractTokenFromBody(entry.body) !== null;
}

/** A loop over items that are only read. */
export function createReadLoop(
  items: readonly string[],
  absence: Absence,
  { options, progress }: Context,
): Loop<string> {
  return createLoop({
    concurrency: options.concurrency,
    isOne: items.length === 1,
    wait: progress.wait,
    isAbsence: (failure) => isAbsence(failure, absence),
  });
}

/** Runs a job that only reads, which a signal ends as usual. An item that is found is a witness for those that are not. */
export async function runReads<Result, Row extends object>(
  context: Context,
  plan: Work<Result, Row> & { readonly absence: Absence; readonly act: (item: string) => Promise<Result> },
): Promise<void> {
  const { items, absence } = plan;
  const loop = createReadLoop(items, absence, context);
  const tally = createTally(plan.done, plan.isGoneDone, undefined, context.serverType.goneStatus);
  const failed = await reportLoop(context, { ...plan, finished: 0 }, loop, tally, {
    parts: [items],
    async act(item) {
      const begun = absence.moment();
      try {
        const result = await plan.act(item);
        absence.noteFound(item);
        absence.noteAcceptance(begun, item);
        return result;
      } catch (error) {
        absence.noteAnswer();
        throw error;
      }
    },
  });
  const failure = combineFailures(endOf(plan, tally, { hint: null }), failed);
  if (failure !== null) throw failure;
  noteEnd(context, plan, tally);
}

const unchangedRemark = "Nothing was changed, so you can run the same command again.";

/** The failure of the job; null if everything is done. */
function endOf(
  work: Pick<Work<unknown, object>, "items" | "verified" | "isGoneDone" | "absence">,
  tally: Tally,
  ending: Parameters<Tally["failure"]>[0],
): Failure | null {
  const sentence = work.isGoneDone ? undefined : whatIsVerified(work, tally);
  const failure = sentence === undefined ? tally.failure(ending) : new Failure("not-found", sentence);
  return tally.countOf("lost") === 0
    ? failure
    : (failure?.with({ hint: "Create new tokens to replace the lost ones." }) ?? null);
}

/** The hint of a job that is not over: the command that continues it, and the one that shows the value of a single item. */
async function howToGoOn(
  { items, operation, receiver }: Pick<JobPlan<unknown, object>, "items" | "operation" | "receiver">,
  { head, journal }: JobEntries,
  isUndelivered: boolean,
  context: Context,
): Promise<string> {
  const contents = journal.contents();
  const isWritten = await isFileOfJob(contents);
  const hasValue = items.length === 1 && isUndelivered && keptValues(contents).length > 0;
  const taker = hasValue && receiver?.toCommand !== undefined ? ["--to-command", receiver.toCommand] : [];
  const show = commandLine("recover", "show", journal.id, ...taker);
  if (hasValue && operation !== "rotate") return `Run \`${show}\` to get the token.`;
  if (!traitsOf(operation).isResumable)
    return `It may still take effect. Run \`${show}\` to see what is known about it.`;
  // This run may have been given another receiver than the first one.
  const own = { ...head, argv: [...context.host.argv], reads_input: context.standardInput.wasRead() };
  const resume = resumeHint(own, journal.id, context, isWritten);
  return hasValue ? `${resume} To get only the new token, run \`${show}\`.` : resume;
}

/**
 * Clears items while the credentials are in doubt: the witness is asked once, and without one each item is read before
 * it is sent. Items that an earlier run may have sent need not be cleared: `act` reads them first.
 */
function clearUnsent(
  absence: Absence,
  { findEarlierEntry }: JobEntries,
): ((item: string) => Promise<boolean>) | undefined {
  if (absence.isReadOnly) return undefined;
  let asking: Promise<boolean> | null = null;
  return async (item) => {
    if (findEarlierEntry(item) !== undefined || absence.isReadInVain(item)) return false;
    asking ??= hasWitness(absence);
    if (await asking) {
      asking = null;
      return true;
    }
    try {
      await absence.read(item);
    } catch (error) {
      if (isFailure(error, "not-found")) absence.noteAbsent(item);
      throw error;
    }
    return true;
  };
}

async function hasWitness(absence: Absence): Promise<boolean> {
  try {
    return (await absence.ask([])) !== null;
  } catch (error) {
    if (!isFailure(error) || isFailure(error, "authentication", "otp")) throw error;
    return false;
  }
}

interface RunningJob {
  readonly loop: Loop<string>;
  readonly context: Context;
  readonly signals: StopSignals;
}

/** Sends an item and records what became of it. */
async function actOnItem<Result>(
  item: string,
  plan: Pick<JobPlan<Result, object>, "absence" | "act" | "isProof" | "foundUnchanged" | "deliver">,
  { journal, keyOf, findEarlierEntry }: JobEntries,
  { loop, context, signals }: RunningJob,
): Promise<Result> {
  const { absence } = plan;
  const key = keyOf(item);
  const earlierEntry = findEarlierEntry(item);
  /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
  const isUnchanged = (): boolean =>
    earlierEntry === undefined || (plan.foundUnchanged?.(item) ?? intent.hasBeenSent());
  const intent = createIntent(journal, key, context, { isUnchanged, isStopped: signals.isStopped });
  absence?.noteChange(item);
  const begun = absence?.moment() ?? 0;
  try {
    const record = createItemRecord(journal, key);
    const waitFor: Attempt["waitFor"] = (failure) => loop.waitFor(failure);
    const result = await plan.act(item, {
      intent,
      record,
      earlierEntry,
      waitFor,
      isStopped: signals.isStopped,
    });
    // The server knows tokens of this form.
    absence?.noteFound(item);
    absence?.noteChange(item);
    // A value of an earlier run proves nothing of this one.
    if (intent.hasBeenSent() && plan.isProof?.(result) !== false) absence?.noteAcceptance(begun, item);
    // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
    if (plan.deliver === undefined) journal.note({ item: key.item, state: "done" });
    return result;
  } catch (error) {
    if (!isFailure(error)) throw error;
    absence?.noteAnswer();
    const mayHaveEffect = isFailure(error, "unknown", "undelivered", "incomplete") || !isUnchanged();
    // Nothing was changed: a later run may send the item again.
    if (!mayHaveEffect && journal.latestEntry(key.item)?.state === "sent")
      journal.note({ ...key, state: "failed" });
    throw error;
  }
}

function createItemRecord(journal: Journal, key: JournalKey): ItemRecord {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    key: key.item,
    earlierEntries: journal.earlierEntries,
    latestEntry,
    update: (more) => journal.mark({ ...key, state: latestEntry()?.state ?? "failed", ...more }),
  };
}

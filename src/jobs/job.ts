// A job: one action for each of its items. A single item is a job, too.
//
// A job that changes something has a journal, so that --resume continues it after any interruption: no item is skipped,
// and no finished item is sent again. A command creates a JobPlan with the items and the action. A report (report.ts)
// iterates over the outcomes, which starts the requests, and then calls `end`.
//
//   startJob        job-journal.ts opens the journal, run-items.ts runs the items
//   each item       sent in the journal, then `act`, then `deliver`; done, failed or unknown in the journal
//   settleAbsent    decides about items that the server did not find (proof.ts); no item is started meanwhile
//   --resume        an item that an earlier run sent has `earlierEntry`: `act` first determines whether it took effect
//   end             the journal is removed or kept (ending.ts); the failure has the command that resumes the job
//
// startReadJob creates a job that only reads, for dry runs and checks.
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { isNamed } from "../http/waiting.ts";
import type { Context } from "../run/context.ts";
import { withEarlyClose, createEnding, endJournal, startStoppable, type Ending } from "./ending.ts";
import { createIntent, type JournalKey } from "./intent.ts";
import { openJournal, type JobEntries } from "./job-journal.ts";
import type { JobOptions } from "./job-options.ts";
import type { Entry, Journal, Receiver } from "./journal.ts";
import { isFileOfJob } from "./leftover.ts";
import type { JournalOperation } from "./operations.ts";
import { isAbsence, pauseMs, settle, type Absence, type Absent, type Settled } from "./proof.ts";
import { resumeHint } from "./resume-hint.ts";
import { changeWaits, readWaits, runItems, waitsAfterChange, type Outcome } from "./run-items.ts";

/** The journal's entry of one item, for an action of several steps. */
export interface ItemRecord {
  latestEntry(): Entry | undefined;
  /** Adds these fields to the entry; resolves when they are on disk. */
  update(more: Partial<Omit<Entry, "item">>): Promise<void>;
}

export interface Attempt {
  /** Must be attached to the item's request. */
  readonly intent: Intent;
  readonly record: ItemRecord;
  /**
   * The entry of an item that an earlier run sent, or whose response it kept: `act` must determine whether that request
   * took effect before it sends another. Otherwise undefined.
   */
  readonly earlierEntry: Entry | undefined;
  /**
   * Waits before a throttled read that follows the item's change is repeated; false if it must not be. The item's entry
   * stays as it is meanwhile, so that a crash leaves an unknown outcome.
   */
  readonly waitFor: (failure: Failure) => Promise<boolean>;
}

export interface JobPlan<Result> {
  readonly operation: JournalOperation;
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  readonly items: readonly string[];
  /** Where the values go; absent if there are none. */
  readonly receiver?: Receiver | undefined;
  /** True if a resumed job gives its receiver all values again: a file or standard output, but not a command. */
  readonly redelivers?: boolean;
  /** How items that are not found are proven to be gone; null if "not found" is a failure like any other. */
  readonly absence: Absence | null;
  /** What the journal has of an item besides its key, by which a person, or a later look, recognises it. */
  readonly describe?: (item: string) => Omit<JournalKey, "item">;
  /** False for a result that any credentials could get. */
  readonly isProof?: (result: Result) => boolean;
  /** Items that are changed only after all others are settled, because they vouch for them until then. */
  readonly last?: ReadonlySet<string>;
  /** Does the work for one item. Throws a Failure. */
  readonly act: (item: string, attempt: Attempt) => Promise<Result>;
  /**
   * True if this run found that an earlier request for the item had no effect. Absent if `act` determines that before it
   * sends a request.
   */
  readonly foundUnchanged?: (item: string) => boolean;
  /**
   * Delivers an item's new token at once, concurrently with other items, which finishes the item. Throws an undelivered
   * failure if the receiver did not accept it: the token stays in the journal. "in order": the report delivers the
   * tokens in item order, and calls `finish` for each. Absent if there is no token to deliver: an item is then finished
   * when its request succeeds.
   */
  readonly deliver?: ((item: string, made: Result) => Promise<void>) | "in order";
  /** Deliver the responses that an earlier run kept before anything is sent. */
  readonly keptFirst?: boolean;
}

/** The part of a job that its report needs. */
export interface Job<Result> {
  readonly outcomes: AsyncGenerator<Outcome<string, Result>, void, undefined>;
  /** The number of items that earlier runs had finished. */
  readonly finishedBefore: number;
  /** The number of unfinished items of a resumed job that its input lacks. */
  readonly missing: number;
  /** The ID for `grantctl recover`; null for a job without a journal. */
  readonly id: string | null;
  /**
   * The items that are changed last, once the others are settled: their number of outcomes before, and the function that
   * starts them; null if there are none.
   */
  readonly last: { readonly outcomesBefore: number; readonly start: () => void } | null;
  /** True if the job changes something, so that it continues even if its report cannot be written. */
  readonly changesSomething: boolean;
  /** As in the plan. */
  readonly absence: Absence | null;
  /** Decides about items that the server did not find. */
  settleAbsent(items: readonly Absent[]): Promise<Settled>;
  /** The state of an item that an earlier run may have sent, or whose response it kept; otherwise undefined. */
  earlierState(item: string): Entry["state"] | undefined;
  /** Notes that an item is finished: its request succeeded, and its new token, if it has one, was delivered. */
  finish(item: string): void;
  /**
   * Ends the job: deletes the journal if everything is done and no token is kept in it. Throws the job's failure, with
   * the resume hint and the exit code of the signal that stopped it. `isOver`: no later run could do more.
   */
  end(failureOf: (ending: Ending) => Failure | null, isOver?: boolean): Promise<void>;
}

/** A job that changes something, with its journal. */
export interface JournalledJob<Result> extends Job<Result> {
  readonly id: string;
  /** True if a signal or `stop` has stopped it. */
  isStopped(): boolean;
  /** Starts no more items; items in flight still have their outcomes. */
  stop(): void;
  /** The journal's entry of an item; undefined if it has none. */
  latestEntry(item: string): Entry | undefined;
}

/**
 * Opens or resumes the journal. Nothing is sent until the outcomes are iterated. Throws a usage failure if the journal
 * belongs to another job.
 */
export function startJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
): Promise<JournalledJob<Result>> {
  return startStoppable(context, async (signals) => {
    const entries = await openJournal(context, options, plan);
    const { journal, pending, keyOf, latestEntry } = entries;
    const work = createItemWork(plan, entries, () => context.host.now());
    let mustStop = false;
    const isStopped = (): boolean => mustStop || signals.isStopped();
    const waits = changeWaits(context, plan.items, signals.stopRequested);
    const runOptions = {
      concurrency: context.options.concurrency,
      waits,
      isAbsence: absenceTest(plan.absence),
      clear: clearUnsent(plan, entries),
      isStopped,
    };
    const { parts, last } = splitPending(plan, entries);
    let resolveSettled: (() => void) | null = null;
    const othersSettled = new Promise<void>((resolve) => {
      resolveSettled = resolve;
    });
    const runs = [...parts, last].map((part) =>
      runItems<string, Result>(
        part,
        part === last ? { ...runOptions, startAfter: othersSettled } : runOptions,
        (item) => work.processItem(item, waitsAfterChange(waits, isStopped)),
      ),
    );
    async function* chainRuns(): Job<Result>["outcomes"] {
      for (const run of runs) yield* run.outcomes;
    }
    return {
      outcomes: withEarlyClose(chainRuns(), journal, signals),
      finishedBefore: entries.head.items.length - entries.missing - pending.length,
      missing: entries.missing,
      id: journal.id,
      last:
        last.length === 0
          ? null
          : { outcomesBefore: pending.length - last.length, start: () => resolveSettled?.() },
      changesSomething: true,
      absence: plan.absence,
      settleAbsent: (items) => settleInRuns(items, plan.absence, runs, context),
      isStopped,
      stop() {
        mustStop = true;
      },
      earlierState: (item) => entries.findEarlierEntry(item)?.state,
      latestEntry,
      finish: (item) => {
        journal.note({ item: keyOf(item).item, state: "done" });
      },
      async end(failureOf, isOver = false) {
        signals.release();
        const isWritten = await isFileOfJob({ head: entries.head, entries: journal.latestEntries() });
        // This run may have been given another receiver than the first one.
        const own = {
          ...entries.head,
          argv: [...context.host.argv],
          reads_input: context.standardInput.wasRead(),
        };
        const hint = (): string => resumeHint(own, journal.id, context, isWritten);
        const hasKept =
          entries.missing > 0 || entries.items.some((item) => latestEntry(item)?.state === "answered");
        const isRemoved = isOver && !hasKept && journal.hasEffect();
        const failure = failureOf(isRemoved ? { hint: null } : createEnding(journal, hint));
        await endJournal(journal, signals, { failure, hasKept, isOver });
      },
    };
  });
}

function absenceTest(absence: Absence | null): ((failure: Failure) => boolean) | undefined {
  return absence === null ? undefined : (failure) => isAbsence(failure, absence);
}

/**
 * Clears items while the credentials are in doubt: the witness is asked once, and without one each item is read before
 * it is sent. Items that an earlier run may have sent need not be cleared: `act` reads them first.
 */
function clearUnsent(
  { absence }: Pick<JobPlan<unknown>, "absence">,
  { findEarlierEntry }: JobEntries,
): ((item: string) => Promise<boolean>) | undefined {
  if (absence === null || absence.isReadOnly) return undefined;
  let asking: Promise<boolean> | null = null;
  return async (item) => {
    if (findEarlierEntry(item) !== undefined || absence.isReadInVain(item)) return false;
    asking ??= hasWitness(absence);
    if (await asking) asking = null;
    else await readFirst(item, absence);
    return true;
  };
}

async function readFirst(item: string, absence: Absence): Promise<void> {
  try {
    await absence.read(item);
  } catch (error) {
    if (isFailure(error, "not-found")) absence.noteAbsent(item);
    throw error;
  }
}

async function hasWitness(absence: Absence): Promise<boolean> {
  try {
    return (await absence.ask([])) !== null;
  } catch (error) {
    if (!isFailure(error) || isFailure(error, "authentication", "otp")) throw error;
    return false;
  }
}

/** Settles absent items while the runs start no others, and stops the runs if the credentials were rejected. */
async function settleInRuns(
  items: readonly Absent[],
  absence: Absence | null,
  runs: readonly Pick<ReturnType<typeof runItems>, "hold" | "doubt" | "stop">[],
  { options, progress }: Context,
): Promise<Settled> {
  if (absence === null) throw new Error("these items cannot be absent");
  const settling = settle(items, absence, {
    concurrency: options.concurrency,
    wait: ({ details }) => progress.wait(details.retryAfterMs ?? pauseMs, isNamed(details.retryAfterMs)),
  });
  for (const run of runs) run.hold(settling);
  const settled = await settling;
  for (const run of runs) {
    if (settled.rejection !== null) run.stop();
    else if (!settled.isProven) run.doubt();
  }
  return settled;
}

/** The pending items in parts, each of which must be over before the next begins, and those that are changed last. */
function splitPending(
  { keptFirst, last = new Set() }: Pick<JobPlan<unknown>, "keptFirst" | "last">,
  { pending, findEarlierEntry }: JobEntries,
): { readonly parts: readonly (readonly string[])[]; readonly last: readonly string[] } {
  const isKept = (item: string): boolean =>
    keptFirst === true && ["answered", "done"].includes(findEarlierEntry(item)?.state ?? "");
  const others = pending.filter((item) => !last.has(item));
  return {
    parts: [others.filter(isKept), others.filter((item) => !isKept(item))],
    last: pending.filter((item) => last.has(item)),
  };
}

/**
 * A job that only reads: it has no journal, and a signal ends it as usual. Nothing is sent until the outcomes are
 * iterated. An item that is found is a witness for those that are not.
 */
export function startReadJob<Result>(
  context: Context,
  items: readonly string[],
  absence: Absence,
  act: (item: string) => Promise<Result>,
): Job<Result> {
  const { concurrency } = context.options;
  const options = { concurrency, waits: readWaits(context, items), isAbsence: absenceTest(absence) };
  const run = runItems<string, Result>(items, options, async (item) => {
    const begun = absence.moment();
    try {
      const result = await act(item);
      absence.noteFound(item);
      absence.noteAcceptance(begun);
      return result;
    } catch (error) {
      absence.noteAnswer();
      throw error;
    }
  });
  return {
    outcomes: run.outcomes,
    finishedBefore: 0,
    missing: 0,
    id: null,
    last: null,
    changesSomething: false,
    absence,
    settleAbsent: (absent) => settleInRuns(absent, absence, [run], context),
    earlierState: () => undefined,
    finish: () => undefined,
    async end(failureOf) {
      const failure = failureOf({ hint: null });
      if (failure !== null) throw failure;
    },
  };
}

/** Failures after which something was changed, or may have been. */
const kindsThatLeaveEntries: readonly FailureKind[] = ["unknown", "undelivered", "incomplete"];

/** Processes the pending items. */
function createItemWork<Result>(
  plan: JobPlan<Result>,
  { journal, keyOf, findEarlierEntry }: JobEntries,
  now: () => number,
) {
  return {
    async processItem(item: string, waitFor: Attempt["waitFor"]): Promise<Result> {
      const key = keyOf(item);
      const earlierEntry = findEarlierEntry(item);
      /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
      const isUnchanged = (): boolean =>
        earlierEntry === undefined || (plan.foundUnchanged?.(item) ?? intent.hasBeenSent());
      const intent = createIntent(journal, key, now, isUnchanged);
      plan.absence?.noteChange(item);
      const begun = plan.absence?.moment() ?? 0;
      try {
        const result = await plan.act(item, {
          intent,
          record: createItemRecord(journal, key),
          earlierEntry,
          waitFor,
        });
        const { deliver } = plan;
        if (deliver !== undefined && deliver !== "in order") await deliver(item, result);
        // The server knows tokens of this form.
        plan.absence?.noteFound(item);
        plan.absence?.noteChange(item);
        // A value of an earlier run proves nothing of this one.
        if (intent.hasBeenSent() && plan.isProof?.(result) !== false) plan.absence?.noteAcceptance(begun);
        // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
        if (deliver !== "in order") journal.note({ item: key.item, state: "done" });
        return result;
      } catch (error) {
        if (!isFailure(error)) throw error;
        plan.absence?.noteAnswer();
        if (!isUnchanged()) throw error;
        // Nothing was changed: a later run may send the item again.
        if (!kindsThatLeaveEntries.includes(error.kind) && journal.latestEntry(key.item)?.state === "sent")
          journal.note({ ...key, state: "failed" });
        throw error;
      }
    },
  };
}

function createItemRecord(journal: Journal, key: JournalKey): ItemRecord {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    latestEntry,
    update: (more) => journal.mark({ ...key, state: latestEntry()?.state ?? "failed", ...more }),
  };
}

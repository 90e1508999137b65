// A job: one action for each of its items, reported as rows and a last line. A single item is a job of one.
//
//   runJob    changes something, with a record, so that --resume continues it after any interruption: no item is skipped,
//             and no finished item is sent again
//   runReads  only reads, for checks, and for a dry run (`planJob`)
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
import {
  createIntent,
  type JournalKey,
  openJournal,
  type JobEntries,
  type Resumable,
} from "./job-journal.ts";
import type { Entry, Journal } from "./journal.ts";
import {
  entriesOf,
  hasChanged,
  isFileOfJob,
  leftOf,
  forLaterRuns,
  resumeHint,
  showHint,
} from "./leftover.ts";
import type { Loop } from "./loop.ts";
import { traitsOf } from "./operations.ts";
import { isFinal, type Outcome } from "./outcome.ts";
import type { Absence } from "./proof.ts";
import { conclude, runItems, type Work } from "./report.ts";
import { commandLine } from "../config/command-words.ts";
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
    await runRecorded(context, plan, await openJournal(context, plan), signals);
  } finally {
    signals.release();
    await plan.receiver?.close?.();
  }
}

async function runRecorded<Result, Row extends object>(
  context: Context,
  plan: JobPlan<Result, Row>,
  entries: JobEntries,
  signals: StopSignals,
): Promise<void> {
  const { last = new Set() } = plan;
  const { journal, pending, before, givenAgain } = entries;
  if (givenAgain.length > 0) await plan.giveAgain?.(givenAgain);
  const endings = new Endings(plan, entries);
  const tally = await runItems(context, plan, {
    parts: [pending.filter((item) => !last.has(item)), pending.filter((item) => last.has(item))],
    act: (item, loop) => actOnItem(item, plan, entries, { loop, context, signals }),
    changes: {
      signals,
      before,
      finish: (outcomes, loop) => endings.finish(outcomes, loop),
    },
  }).catch(async (error: unknown) => {
    throw isFailure(error) ? await unreported(error, journal) : error;
  });
  const left = leftOf(journal.contents);
  const isUnchanged = !hasChanged(journal.contents);
  const isRemoved =
    isUnchanged || (endings.areFinal && before.missing === 0 && left !== "value" && left !== "damaged");
  const isUndelivered = tally.countOf("undelivered") > 0;
  const state = { isOver: endings.areFinal, isUndelivered };
  const hint = isRemoved ? null : await howToGoOn(plan, entries, state, context);
  if (isRemoved) await journal.remove();
  const failure = conclude(context, plan, tally, { hint, isUnchanged });
  if (failure !== null) throw signals.explain(failure);
}

/** Delivers the values of outcomes, and records the end of their items. */
class Endings<Result> {
  readonly #plan: Pick<JobPlan<Result, object>, "deliver">;
  readonly #entries: JobEntries;
  /** The failure of the receiver, which gets nothing any more. */
  #broken: Failure | null = null;
  /** True while no later run of the job would change an outcome. */
  areFinal = true;

  constructor(plan: Pick<JobPlan<Result, object>, "deliver">, entries: JobEntries) {
    this.#plan = plan;
    this.#entries = entries;
  }

  async finish(
    outcomes: readonly Outcome<Result>[],
    loop: Pick<Loop, "stop">,
  ): Promise<readonly Outcome<Result>[]> {
    const failures = await this.#deliver(outcomes);
    this.#broken ??= failures.find((failure) => failure !== null) ?? null;
    if (this.#broken !== null) loop.stop();
    const finished = outcomes.map((outcome, index): Outcome<Result> => {
      const failure = failures[index] ?? null;
      if (failure === null || outcome.status !== "done") return outcome;
      return { ...outcome, status: "undelivered", result: null, failure };
    });
    for (const outcome of finished) this.#record(outcome);
    return finished;
  }

  async #deliver(outcomes: readonly Outcome<Result>[]): Promise<readonly (Failure | null)[]> {
    const { deliver } = this.#plan;
    if (deliver === undefined) return [];
    if (this.#broken !== null) return outcomes.map(() => this.#broken);
    const { journal, keyOf } = this.#entries;
    const failures = await deliver(outcomes);
    return failures.map(
      (each, index) => each && journal.explain(keyOf(outcomes[index]?.item ?? "").item, each),
    );
  }

  #record(outcome: Outcome<Result>): void {
    const { journal, keyOf, findEarlierEntry } = this.#entries;
    const { item, status } = outcome;
    // A failure now says nothing of an earlier request that got no answer.
    const leavesOpen =
      (status === "failed" || status === "unproven") &&
      (findEarlierEntry(item)?.state ?? "failed") !== "failed";
    this.areFinal &&= isFinal(outcome) && !leavesOpen;
    const key = keyOf(item).item;
    const was_accepted = status === "accepted";
    if (status === "not-found")
      journal.note({ item: key, state: journal.latestEntry(key)?.state ?? "failed", gone: true });
    else if (was_accepted || (status === "done" && this.#plan.deliver !== undefined))
      journal.note({ item: key, state: "done", was_accepted });
  }
}

/** The failure of a report that could not be written, after all items in flight: undelivered only if anything was changed. */
async function unreported(cause: Failure, journal: Journal): Promise<Failure> {
  if (hasChanged(journal.contents))
    return new Failure(
      "undelivered",
      `changes were sent, but the report could not be written: ${cause.message}`,
      { cause, hint: "Run `grantctl recover list` to see what is left." },
    );
  await journal.remove();
  return new Failure("incomplete", `the report could not be written: ${cause.message}`, { cause });
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
  const failure = conclude(context, plan, tally, { hint: null, isUnchanged: false });
  if (failure !== null) throw failure;
}

/** The hint of a job that is not over: the command that continues it, and the one that shows the value of a single item. */
async function howToGoOn(
  { items, operation, receiver }: Pick<JobPlan<unknown, object>, "items" | "operation" | "receiver">,
  { head, journal }: JobEntries,
  { isOver, isUndelivered }: { readonly isOver: boolean; readonly isUndelivered: boolean },
  context: Context,
): Promise<string> {
  const { contents } = journal;
  // This run may have been given another receiver than the first one.
  const isWritten = await isFileOfJob(receiver?.outputFile, contents);
  const hasValue = items.length === 1 && isUndelivered && entriesOf(contents, "kept").length > 0;
  // Only another command, or none, gets further than the one that failed.
  if (hasValue && (operation !== "rotate" || receiver?.toCommand !== undefined))
    return showHint(journal.id, receiver?.toCommand);
  const show = commandLine("recover", "show", journal.id);
  if (isOver && leftOf(contents) === "value")
    return `Run \`${show}\` to see the answers that did not fit, and then \`${commandLine("recover", "forget", journal.id)}\`.`;
  if (!traitsOf(operation).isResumable)
    return `${isUndelivered ? "" : "It may still take effect. "}Run \`${show}\` to see what is known about it.`;
  const own = {
    ...head,
    argv: forLaterRuns(context.host.argv),
    reads_input: context.standardInput.wasRead(),
  };
  return resumeHint(own, journal.id, context, isWritten);
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
    const mayHaveEffect = isFailure(error, "unknown", "undelivered", "incomplete") || !isUnchanged();
    const state = journal.latestEntry(key.item)?.state;
    const wasAccepted = error.details.revocation === "accepted";
    // Nothing was changed: a later run may send the item again. With `deliver`, the answer was that to the only request.
    if (!mayHaveEffect && (state === "sent" || (state === "answered" && plan.deliver !== undefined)))
      journal.note({ ...key, state: "failed", ...(wasAccepted ? { was_accepted: true } : {}) });
    throw error.kind === "undelivered" ? journal.explain(key.item, error) : error;
  }
}

function createItemRecord(journal: Journal, key: JournalKey): ItemRecord {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    key: key.item,
    latestEntry,
    update: (more) => journal.mark({ ...key, state: latestEntry()?.state ?? "failed", ...more }),
  };
}

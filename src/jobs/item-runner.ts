// The change of one item, between its request, its record (journal.ts has the states) and its receiver. The request, and a
// response with a value, are on disk before the next step. What follows may be lost: a later run looks before it sends again.
import { isFailure, type Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Context } from "../run/context.ts";
import { createIntent, type ItemIntent } from "./intent.ts";
import type { BegunJob, Job, Tasks } from "./job.ts";
import type { Creation, Entry, EntryStart, Journal } from "./journal.ts";
import { isFinal, type Finish, type Outcome } from "./outcome.ts";
import type { Proof } from "./proof.ts";
import type { Queue } from "./queue.ts";

/** The arguments of the action on an item. */
export interface Attempt {
  /** Must be attached to the item's request. */
  readonly intent: Intent;
  /** As `Job.earlierEntryOf`. */
  readonly earlierEntry: Entry | undefined;
  readonly entry: EntryHandle;
  /** True after a signal: nothing more is to be changed. */
  readonly isStopped: () => boolean;
}

/** How a job changes an item. */
export interface ItemChange<Result, Found = unknown> {
  /** Sends the requests for one item. Throws a Failure. */
  readonly act: (item: string, attempt: Attempt) => Promise<Result>;
  /** The result in the record of an item that is only to be delivered; by default, `act` finds it. */
  readonly readRecorded?: (item: string, attempt: Attempt) => Promise<Result>;
  /** False for a response, in base64, that is not one to the item's request. `entry`: what the record has of the item. */
  readonly fits?: (item: string, body: string, entry: Entry | undefined) => Promise<boolean>;
  /** Reads an item: in a dry run, for the question, and if an earlier run has sent it, before `act`. Throws "not found". */
  readonly read?: (item: string) => Promise<Found>;
  /** What reads each item before its request; by default nothing, but for `read` of one that an earlier run has sent. */
  readonly readBy?: "act" | "searchWitness";
  /** The fields of a creation, by which a person or a later run recognises its token. */
  readonly creation?: Creation;
  /** False for a result that any credentials could get. */
  readonly showsCredentials?: (result: Result) => boolean;
  /**
   * True if this run has found that an earlier request for the item had no effect. By default once it has sent its own, which
   * follows a read.
   */
  readonly earlierHadNoEffect?: (item: string) => boolean;
  /**
   * Delivers the values of outcomes, which finishes their items: resolves with a failure or null for each outcome. Undefined if
   * `act` delivers them, or there are none.
   */
  readonly deliver?: (
    outcomes: readonly Outcome<Result>[],
    onTaken: (position: number) => Promise<void>,
  ) => Promise<readonly (Failure | null)[]>;
}

interface RunnerOptions<Result> extends Pick<Attempt, "isStopped"> {
  readonly change: ItemChange<Result>;
  readonly proof: Proof | null;
  readonly job: Pick<Job, "earlierEntryOf">;
  readonly begun: Pick<BegunJob, "journal" | "startOf">;
  readonly tasks: Tasks;
  readonly queue: Pick<Queue, "decided" | "rest">;
}

export interface ItemRunner<Result> {
  /** Does the task of an item. Throws a Failure; one that a read has found before is thrown as if it were the change's. */
  readonly run: (item: string) => Promise<Result>;
  readonly finish: Finish<Result>;
  /** True if a record would not help a later run with any item. */
  readonly areFinal: () => boolean;
}

/** Runs the changes of a job's items. */
export function createItemRunner<Result>(
  { change, proof, job, begun: { journal, startOf }, tasks, queue, isStopped }: RunnerOptions<Result>,
  context: Context,
): ItemRunner<Result> {
  /** The failure of the receiver, which gets nothing any more. */
  let closed: Failure | null = null;
  let areFinal = true;

  async function run(item: string): Promise<Result> {
    const decided = queue.decided.get(item);
    if (decided === undefined) markAhead(item);
    const [start, earlierEntry] = [startOf(item), job.earlierEntryOf(item)];
    /** True if what this run sees is all there is to know: no earlier request may have had an effect. */
    const isConclusive = (): boolean =>
      earlierEntry === undefined || (change.earlierHadNoEffect?.(item) ?? intent.reachedSending());
    const isUnseen = (result: Result): boolean => change.showsCredentials?.(result) === false;
    const fits = (body: string) => change.fits?.(item, body, journal.latestEntry(start.key));
    const intent: ItemIntent = createIntent(journal, start, context, { isConclusive, isStopped, fits });
    const attempt = { intent, entry: createEntryHandle(journal, start), earlierEntry, isStopped };
    try {
      if (decided !== undefined) throw decided;
      const recorded = tasks.get(item) === "deliver" ? change.readRecorded : undefined;
      const result = await (recorded?.(item, attempt) ?? send(item, attempt, intent));
      // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
      if (change.deliver === undefined)
        journal.markUnsynced({ key: start.key, state: "done", effect_unseen: isUnseen(result) });
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      const mayHaveEffect =
        isFailure(error, "unknown", "undelivered", "incomplete") || !isConclusive() || intent.isUnsaved();
      if (!mayHaveEffect) markUnchanged(start);
      throw error.kind === "undelivered" ? await journal.keepOrExplain(start.key, error) : error;
    }
  }

  /** Sends the requests of an item, after a read of one that an earlier run has sent. */
  async function send(item: string, attempt: Attempt, { reachedSending }: ItemIntent): Promise<Result> {
    const { readBy, read } = change;
    if (attempt.earlierEntry !== undefined && readBy === undefined && read !== undefined)
      await (proof?.ask(item, read) ?? read(item));
    const act = (): Promise<Result> => change.act(item, attempt);
    // A value that an earlier run left proves nothing of this one.
    const showsCredentials = (result: Result): boolean =>
      reachedSending() && change.showsCredentials?.(result) !== false;
    return proof?.sendChange(item, act, showsCredentials) ?? act();
  }

  const finish: Finish<Result> = async (outcomes, stop) => {
    const delivered = await deliverAll(outcomes);
    if (closed !== null) stop();
    delivered.forEach(recordOutcome);
    return delivered;
  };

  async function deliverAll(outcomes: readonly Outcome<Result>[]): Promise<readonly Outcome<Result>[]> {
    if (change.deliver === undefined) return outcomes;
    const markTaken = (position: number): Promise<void> => {
      const { item, status } = outcomes[position] ?? {};
      if (item !== undefined && status === "done") journal.markTaken(startOf(item).key);
      return journal.written();
    };
    const failures = closed === null ? await change.deliver(outcomes, markTaken) : outcomes.map(() => closed);
    closed ??= failures.find((failure) => failure !== null) ?? null;
    const explain = async (outcome: Outcome<Result>, index: number): Promise<Outcome<Result>> => {
      const failure = failures[index] ?? null;
      if (failure === null || outcome.status !== "done") return outcome;
      const explained = await journal.keepOrExplain(startOf(outcome.item).key, failure);
      return { ...outcome, status: "undelivered", result: null, failure: explained };
    };
    return Promise.all(outcomes.map(explain));
  }

  // ---- The record

  /** Marks items as sent before their turn, several at once, so that a request seldom waits for the disk. */
  function markAhead(item: string): void {
    const { concurrency } = context.options;
    // Not if a value is at stake, or if a read decides whether anything is sent.
    if (journal.keepsValues || change.readBy !== undefined || journal.aheadCount > concurrency) return;
    const mark = (next: string): void => {
      if (job.earlierEntryOf(next) === undefined && !queue.decided.has(next))
        journal.markAhead(startOf(next));
    };
    mark(item);
    for (const next of queue.rest) {
      if (journal.aheadCount >= 2 * concurrency) break;
      mark(next);
    }
  }

  /** Records that an item was not changed, so that a later run may send it again. */
  function markUnchanged(start: EntryStart): void {
    const state = journal.latestEntry(start.key)?.state;
    // Nothing was sent; or one of several requests was answered, and a later run goes on from there.
    if (state === undefined || (state === "answered" && change.deliver === undefined)) return;
    journal.markUnsynced({ ...start, state: "unchanged" });
  }

  function recordOutcome(outcome: Outcome<Result>): void {
    const { item, status } = outcome;
    const { key } = startOf(item);
    // A failure now says nothing of an earlier request that got no response.
    const leavesOpen =
      (status === "failed" || status === "unproven") &&
      (job.earlierEntryOf(item)?.state ?? "unchanged") !== "unchanged";
    areFinal &&= isFinal(outcome) && !leavesOpen;
    if (status === "gone")
      journal.markUnsynced({ key, state: journal.latestEntry(key)?.state ?? "unchanged", gone: true });
  }

  return { run, finish, areFinal: () => areFinal };
}

/** The entry of the item in the record, for an action of several steps. */
export interface EntryHandle {
  readonly key: string;
  latest(): Entry | undefined;
  /** Adds these fields; resolves when they are on disk. */
  mark(more: Partial<Omit<Entry, "key">>): Promise<void>;
  /** The same, but a power cut may lose it. Ignores errors of the disk. */
  markUnsynced(more: Partial<Omit<Entry, "key">>): void;
}

function createEntryHandle(journal: Journal, start: EntryStart): EntryHandle {
  const latest = (): Entry | undefined => journal.latestEntry(start.key);
  const state = (): Entry["state"] => latest()?.state ?? "unchanged";
  return {
    key: start.key,
    latest,
    mark: (more) => journal.mark({ ...start, state: state(), ...more }),
    markUnsynced: (more) => journal.markUnsynced({ ...start, state: state(), ...more }),
  };
}

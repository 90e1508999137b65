// The change of one item, between its request, its record (journal.ts has the states) and its receiver. The request, and a
// response with a value, are on disk before the next step. What follows may be lost: a later run looks before it sends again.
import { isFailure, type Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { isGatewayTimeout } from "../http/responses.ts";
import { parseOrNull } from "../json.ts";
import type { Context } from "../run/context.ts";
import { hashOf, lastEight } from "../token.ts";
import type { BegunJob, Job } from "./job.ts";
import type { Creation, Entry, EntryStart, Journal } from "./journal.ts";
import { extractToken, extractIdFromBody } from "../api/token-responses.ts";
import { Stopped } from "./loop.ts";
import { isFinal, type Outcome } from "./outcome.ts";
import type { Proof } from "./proof.ts";
import type { createQueue } from "./run-job.ts";

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
  /** True if `act` or `searchWitness` reads each item before its request. */
  readonly readsItself?: boolean;
  /** The fields of a creation, by which a person or a later run recognises its token. */
  readonly creation?: Creation;
  /** False for a result that any credentials could get. */
  readonly showsCredentials?: (result: Result) => boolean;
  /** True if this run found that an earlier request for the item had no effect; by default if it sends one. */
  readonly foundNoEffect?: (item: string) => boolean;
  /**
   * Delivers the values of outcomes, which finishes their items: resolves with a failure or null for each outcome. Undefined if
   * `act` delivers them, or there are none.
   */
  readonly deliver?: (
    outcomes: readonly Outcome<Result>[],
    onTaken: (position: number) => Promise<void>,
  ) => Promise<readonly (Failure | null)[]>;
}

export type ItemRunner<Result> = ReturnType<typeof createItemRunner<Result>>;

/** Runs the changes of a job's items. */
export function createItemRunner<Result>(
  { change, proof }: { readonly change: ItemChange<Result>; readonly proof: Proof | null },
  job: Pick<Job, "earlierEntryOf">,
  { journal, startOf, tasks }: Pick<BegunJob, "journal" | "startOf" | "tasks">,
  { unsent, rest }: ReturnType<typeof createQueue>,
  context: Context,
  { isStopped }: Pick<Attempt, "isStopped">,
) {
  /** The failure of the receiver, which gets nothing any more. */
  let closed: Failure | null = null;
  let areFinal = true;

  /** Does the task of an item. The response to a read that has decided about it is thrown as if it were the change's. */
  async function run(item: string): Promise<Result> {
    const decided = unsent.get(item);
    if (decided === undefined) markAhead(item);
    const [start, earlierEntry] = [startOf(item), job.earlierEntryOf(item)];
    /** True if this response alone decides whether the item was changed. `isSent`: this run has sent its request. */
    const isConclusive = (isSent: boolean): boolean =>
      earlierEntry === undefined || (change.foundNoEffect?.(item) ?? isSent);
    const fits = (body: string) => change.fits?.(item, body, journal.latestEntry(start.key));
    const intent = createIntent(journal, start, context, { isConclusive, isStopped, fits });
    const attempt = { intent, entry: createEntryHandle(journal, start), earlierEntry, isStopped };
    try {
      if (decided !== undefined) throw decided;
      const recorded = tasks.get(item) === "deliver" ? change.readRecorded : undefined;
      const result = await (recorded?.(item, attempt) ?? send(item, attempt, intent));
      // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
      if (change.deliver === undefined) markDone(item);
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      const mayHaveEffect =
        isFailure(error, "unknown", "undelivered", "incomplete") ||
        !isConclusive(intent.reachedSending()) ||
        intent.isUnsaved();
      if (!mayHaveEffect) markUnchanged(start, error);
      throw error.kind === "undelivered" ? await journal.keepOrExplain(start.key, error) : error;
    }
  }

  /** Sends the requests of an item, after a read of one that an earlier run has sent. */
  async function send(item: string, attempt: Attempt, { reachedSending }: ItemIntent): Promise<Result> {
    const { readsItself = false, read } = change;
    if (attempt.earlierEntry !== undefined && !readsItself && read !== undefined)
      await (proof?.ask(item, read) ?? read(item));
    const act = (): Promise<Result> => change.act(item, attempt);
    // A value that an earlier run left proves nothing of this one.
    const showsCredentials = (result: Result): boolean =>
      reachedSending() && change.showsCredentials?.(result) !== false;
    return proof?.sendChange(item, act, showsCredentials) ?? act();
  }

  /**
   * Delivers the values of settled outcomes, and records the end of their items; stops if the receiver accepts nothing any
   * more. Resolves with the outcomes as they are reported.
   */
  async function finish(outcomes: readonly Outcome<Result>[], stop: () => void) {
    const delivered = await deliverAll(outcomes);
    if (closed !== null) stop();
    delivered.forEach(recordOutcome);
    return delivered;
  }

  async function deliverAll(outcomes: readonly Outcome<Result>[]): Promise<readonly Outcome<Result>[]> {
    if (change.deliver === undefined) return outcomes;
    const markTaken = (position: number): Promise<void> => {
      const { item, status } = outcomes[position] ?? {};
      if (item !== undefined && status === "done") markDone(item);
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
    if (journal.keepsValues || change.readsItself === true || journal.aheadCount > concurrency) return;
    const mark = (next: string): void => {
      if (job.earlierEntryOf(next) === undefined && !unsent.has(next)) journal.markAhead(startOf(next));
    };
    mark(item);
    for (const next of rest) {
      if (journal.aheadCount >= 2 * concurrency) break;
      mark(next);
    }
  }

  function markDone(item: string, wasAccepted = false): void {
    const { key } = startOf(item);
    journal.markUnsynced({ key, state: "done", was_accepted: wasAccepted, to_redeliver: false });
  }

  /** Records that an item was not changed, so that a later run may send it again. */
  function markUnchanged(start: EntryStart, { details }: Failure): void {
    const state = journal.latestEntry(start.key)?.state;
    const accepted = details.isRevocationAnswered === true ? { was_accepted: true } : null;
    // Nothing was sent; or one of several requests was answered, and a later run goes on from there.
    if (state === undefined || (state === "answered" && change.deliver === undefined && !accepted)) return;
    journal.markUnsynced({ ...start, state: "unchanged", ...accepted });
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
    else if (status === "accepted") markDone(item, true);
  }

  /** `areFinal`: true if a record would not help a later run with any item. */
  return { run, finish, areFinal: () => areFinal };
}

type ItemIntent = Intent & { reachedSending: () => boolean; isUnsaved: () => boolean };

interface IntentOptions extends Pick<Attempt, "isStopped"> {
  readonly isConclusive?: (isSent: boolean) => boolean;
  readonly fits?: (body: string) => Promise<boolean> | undefined;
}

/**
 * Marks the item as sent before the request, which is not sent after a signal. Keeps the response of a success, and that of
 * a failure of the server that contains a new token. Records after a 4xx that nothing was changed, unless an earlier request
 * may have had an effect, about which the response to this one says nothing.
 */
export function createIntent(
  journal: Journal,
  start: EntryStart,
  { host, options, redactor }: Pick<Context, "host" | "options" | "redactor">,
  { isStopped, isConclusive = () => true, fits }: IntentOptions,
): ItemIntent {
  /** For a run, whose value nobody needs again: only the ID of the new authorization is kept. */
  const isOfRun = start.creation !== undefined && !journal.keepsValues;
  /** True from the mark to a 4xx, after which the same request may follow, as with a one-time password. */
  let isMarked = false;
  /** True once this run has sent a request. For an item that an earlier run sent, a read has then found it unchanged. */
  let reachedSending = false;
  /** True if the response may have a value that the record could not keep. */
  let isUnsaved = false;
  return {
    reachedSending: () => reachedSending,
    isUnsaved: () => isUnsaved,
    async beforeSending() {
      if (isMarked) return;
      if (isStopped()) throw new Stopped();
      const until = new Date(host.now() + options.timeout * 1000).toISOString();
      await journal.mark({ ...start, state: "sent", until });
      isMarked = true;
      reachedSending = true;
    },
    async keepResponse(status, body) {
      const text = body.toString("utf8");
      const token = text === "" ? null : extractToken(text);
      // It may also be in a message.
      if (token !== null) redactor.add(token);
      // A gateway that gave up on the server says nothing of the request.
      if (status >= 400 && status < 500 && !isGatewayTimeout(status)) {
        isMarked = false;
        if (isConclusive(reachedSending)) journal.markUnsynced({ ...start, state: "unchanged" });
        return;
      }
      const id = isOfRun && status < 300 ? extractIdFromBody(body.toString("base64")) : null;
      if (id !== null) await journal.mark({ ...start, state: "answered", id });
      // A reset whose response contains the old token created no new one, so there is nothing to keep.
      const isOld = token !== null && hashOf(token) === start.key;
      if (!journal.keepsValues || isOld || !mayHaveValue(status, text, token)) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      const kept = body.toString("base64");
      const is_unfit = token !== null && (await fits?.(kept)) === false;
      await journal.mark({ state: "answered", body: kept, is_unfit, ...start }).catch(() => {
        isUnsaved = true;
      });
    },
  };
}

/** True for a success, and for a failure with a token that matches its `token_last_eight`. */
function mayHaveValue(status: number, text: string, token: string | null): boolean {
  if (status >= 200 && status < 300) return text !== "";
  if (!text.includes('"token_last_eight"')) return false;
  const response = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  return token !== null && token.length > 8 && response?.token_last_eight === lastEight(token);
}

/** The part of one item in a record, for an action of several steps. */
export type EntryHandle = ReturnType<typeof createEntryHandle>;

function createEntryHandle(journal: Journal, start: EntryStart) {
  const latest = (): Entry | undefined => journal.latestEntry(start.key);
  return {
    key: start.key,
    latest,
    /** Adds these fields to the entry; resolves when they are on disk. */
    update: (more: Partial<Omit<Entry, "key">>): Promise<void> =>
      journal.mark({ ...start, state: latest()?.state ?? "unchanged", ...more }),
  };
}

// A job: one action for each of its items. A single item is a job, too.
//
// A job that changes something has a journal, so that --resume continues it after any interruption: no item is skipped,
// and no finished item is sent again. A command creates a JobPlan with the items and the action. A report (report.ts)
// iterates over the outcomes, which starts the requests, and then calls `end`.
//
//   startJob        job-journal.ts opens the journal, run-items.ts runs the items
//   each item       planned and sent in the journal, then `act`, then `deliver`; done, failed or unknown in the journal
//   --resume        an item that an earlier run sent has `earlierEntry`: `act` first determines whether it took effect
//   end             the journal is removed or kept (ending.ts); the failure has the command that resumes the job
//
// startReadJob creates a job that only reads, for dry runs and checks.
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Entry } from "../journal/entries.ts";
import { createIntent, planIntents, type Journal, type JournalItem } from "../journal/journal.ts";
import { isJob, traitsOf, type JournalOperation } from "../journal/operations.ts";
import type { Context } from "../run/context.ts";
import { withEarlyClose, createEnding, endJournal, startStoppable, type Ending } from "./ending.ts";
import { openJournal, type JobEntries } from "./job-journal.ts";
import type { JobOptions } from "./job-options.ts";
import type { Proof } from "./proof.ts";
import { commandLine, resumeHint } from "./resume-hint.ts";
import { changeWaits, readWaits, runItems, waitsAfterChange, type Outcome, type Vet } from "./run-items.ts";

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
  /** The identity of the receiver of the new tokens, a file or a command. */
  readonly outputFile?: string | undefined;
  /**
   * True if the new tokens go to standard output and it is redirected to a file, which a resumed job must append to.
   */
  readonly isRedirected?: boolean;
  /** Given by the first success of `act` or `vet`, which proves the credentials. */
  readonly proof: Proof;
  /**
   * A read that tests the credentials after many "not found", before anything else is changed; null for an action that
   * tests them itself.
   */
  readonly vet: Vet<string> | null;
  /**
   * A read that tries to prove the credentials at the end, if items were not found and nothing has proven them until
   * then.
   */
  readonly prove?: () => Promise<unknown>;
  /** The last eight characters of an item that is a token, by which a person recognises it in the journal. */
  readonly lastEightOf?: ((item: string) => string) | undefined;
  /** Does the work for one item. Throws a Failure. */
  readonly act: (item: string, attempt: Attempt) => Promise<Result>;
  /**
   * True if this run found that an earlier request for the item had no effect. Absent if `act` determines that before it
   * sends a request.
   */
  readonly foundUnchanged?: (item: string) => boolean;
  /** Verifies that an item that was not found no longer exists; throws a Failure if it does. */
  readonly confirm?: (item: string) => Promise<void>;
  /**
   * Delivers an item's new token at once, concurrently with other items, which finishes the item. Throws an undelivered
   * failure if the receiver did not accept it: the token stays in the journal. "in order": the report delivers the
   * tokens in item order, and calls `finish` for each. Absent if there is no token to deliver: an item is then finished
   * when its request succeeds.
   */
  readonly deliver?: ((item: string, made: Result) => Promise<void>) | "in order";
  /**
   * True if the receiver no longer has the token in this response, which an earlier run delivered: it is then delivered
   * again. Absent if the receiver cannot check that; delivered tokens then do not stay in the journal.
   */
  readonly isMissing?: ((body: string) => Promise<boolean>) | undefined;
  /** Deliver the responses that an earlier run kept before anything is sent. */
  readonly keptFirst?: boolean;
  /** For a rotation: the old tokens are not deleted. */
  readonly keepsOld?: boolean;
}

/** The part of a job that its report needs. */
export interface Job<Result> {
  readonly outcomes: AsyncGenerator<Outcome<string, Result>, void, undefined>;
  /** The number of items that earlier runs had finished. */
  readonly finishedBefore: number;
  /** The ID for `grantctl recover`; null for a job without a journal. */
  readonly id: string | null;
  /** True if the job changes something, so that it continues even if its report cannot be written. */
  readonly changesSomething: boolean;
  /** True if the server has accepted the credentials in this run. */
  isProven(): boolean;
  /** Tries to prove the credentials before the job ends; never throws a Failure. Absent if they need no proof. */
  prove?(): Promise<void>;
  /** As in the plan. */
  readonly confirm?: JobPlan<Result>["confirm"];
  /** Notes that an item is finished: its request succeeded, and its new token, if it has one, was delivered. */
  finish(item: string): void;
  /**
   * Ends the job: deletes the journal if everything is done and no token is kept in it. Throws the job's failure, with
   * the resume hint and the exit code of the signal that stopped it. `isOver`: no later run could do more.
   */
  end(failureOf: (ending: Ending) => Failure | null, isOver?: () => boolean): Promise<void>;
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
  /** Undoes `finish` if the delivered token was lost again, so that the journal keeps it. */
  unfinish(item: string): void;
  /** Records the result of checking a request without a response: a clause for messages, or that its token is lost. */
  recordLookup(item: string, found: Pick<Entry, "known" | "isLost">): void;
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
    // A single token request is recorded as "sent" directly, without "planned": that would cost a second sync, with no
    // other request in flight meanwhile.
    const { length: total } = plan.items;
    const isPlanned = isJob({ operation: plan.operation, total });
    const work = createItemWork(plan, entries, isPlanned);
    let mustStop = false;
    const isStopped = (): boolean => mustStop || signals.isStopped();
    const waits = changeWaits(context, plan.items, signals.stopRequested);
    const runOptions = {
      concurrency: context.options.concurrency,
      waits,
      proof: plan.proof,
      vet: vetUnsent(plan, entries),
      isStopped,
    };
    const runs = splitPending(plan, entries).map((part) =>
      runItems(part, runOptions, (item) => work.processItem(item, waitsAfterChange(waits, isStopped))),
    );
    const hasStoppedEarly = (): boolean => runs.some((run) => run.hasStoppedEarly());
    async function* chainRuns(): Job<Result>["outcomes"] {
      for (const run of runs) yield* run.outcomes;
    }
    return {
      outcomes: withEarlyClose(chainRuns(), journal, signals),
      finishedBefore: plan.items.length - pending.length,
      id: journal.id,
      changesSomething: true,
      isProven: () => plan.proof.isProven(),
      async prove() {
        if (!isStopped() && !hasStoppedEarly()) await tryToProve(plan.prove);
      },
      confirm: plan.confirm,
      isStopped,
      stop() {
        mustStop = true;
      },
      latestEntry,
      finish: (item) => {
        journal.note({ item: keyOf(item).item, state: "done" });
      },
      unfinish: (item) => {
        journal.note({ item: keyOf(item).item, state: "answered" });
      },
      recordLookup: (item, found) => {
        journal.note({ ...keyOf(item), state: latestEntry(item)?.state ?? "sent", ...found });
      },
      async end(failureOf, isOver) {
        signals.release();
        await work.abandon();
        const { operation, items, isRedirected } = plan;
        const hint = (): string =>
          work.unresolvedCount() > 0
            ? unresolvedHint(operation, journal.id)
            : resumeHint(context, operation, journal, isRedirected);
        const failure = failureOf({ reason: stopReason(hasStoppedEarly()), ...createEnding(journal, hint) });
        const hasKept = items.some((item) => latestEntry(item)?.state === "answered");
        await endJournal(journal, signals, { failure, hasKept, isOver: isOver?.() === true });
      },
    };
  });
}

/** Items that an earlier run may have sent need no vetting: `act` first determines whether they were. */
function vetUnsent(
  { vet }: Pick<JobPlan<unknown>, "vet">,
  { findEarlierEntry }: JobEntries,
): Vet<string> | null {
  return vet === null ? null : async (item) => findEarlierEntry(item) !== undefined || (await vet(item));
}

/** The pending items; with `keptFirst` in two parts, the first of which must be over before the second begins. */
function splitPending(
  { keptFirst }: Pick<JobPlan<unknown>, "keptFirst">,
  { pending, findEarlierEntry }: JobEntries,
): readonly (readonly string[])[] {
  if (keptFirst !== true) return [pending];
  const isKept = (item: string): boolean => findEarlierEntry(item)?.state === "answered";
  return [pending.filter(isKept), pending.filter((item) => !isKept(item))];
}

export interface ReadJobPlan {
  readonly proof: Proof;
  /** If null, many "not found" do not stop the job. */
  readonly vet: Vet<string> | null;
  readonly isStopped?: () => boolean;
  /** As in a JobPlan. */
  readonly prove?: (() => Promise<unknown>) | undefined;
}

/**
 * A job that only reads: it has no journal, and a signal ends it as usual. Nothing is sent until the outcomes are
 * iterated.
 */
export function startReadJob<Result>(
  context: Context,
  items: readonly string[],
  { proof, vet, prove, isStopped }: ReadJobPlan,
  act: (item: string) => Promise<Result>,
): Job<Result> {
  const { concurrency } = context.options;
  const run = runItems(items, { concurrency, waits: readWaits(context, items), proof, vet, isStopped }, act);
  return {
    outcomes: run.outcomes,
    finishedBefore: 0,
    id: null,
    changesSomething: false,
    isProven: () => proof.isProven(),
    async prove() {
      if (!run.hasStoppedEarly()) await tryToProve(prove);
    },
    finish: () => undefined,
    async end(failureOf) {
      const failure = failureOf({ hint: null, reason: stopReason(run.hasStoppedEarly()) });
      if (failure !== null) throw failure;
    },
  };
}

const effectOrGone = "the request of an earlier run took effect, or it was gone before";

/** Failures after which something was changed, or may have been. */
const kindsThatLeaveEntries: readonly FailureKind[] = ["unknown", "undelivered", "incomplete"];

/** Processes the pending items. `isPlanned`: items are recorded in the journal ahead of their turn. */
function createItemWork<Result>(
  plan: JobPlan<Result>,
  { journal, pending, keyOf, findEarlierEntry }: JobEntries,
  isPlanned: boolean,
) {
  const unsent = isPlanned ? pending.filter((item) => findEarlierEntry(item) === undefined) : [];
  const intents = planIntents(journal, unsent.map(keyOf));
  let done = 0;
  /** Items that an earlier run had sent and that this run could not find. */
  let notFound = 0;
  return {
    async processItem(item: string, waitFor: Attempt["waitFor"]): Promise<Result> {
      const key = keyOf(item);
      const earlierEntry = findEarlierEntry(item);
      const planned = intents.ready(key.item);
      /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
      const isUnchanged = (): boolean =>
        earlierEntry === undefined || (plan.foundUnchanged?.(item) ?? intent.hasBeenSent());
      const intent = createIntent(journal, key, planned, isUnchanged);
      try {
        const result = await plan.act(item, {
          intent,
          record: createItemRecord(journal, key),
          earlierEntry,
          waitFor,
        });
        const { deliver } = plan;
        if (deliver !== undefined && deliver !== "in order") await deliver(item, result);
        done += 1;
        // Not awaited: if the record is lost, a later run checks the item instead of sending it again.
        if (deliver !== "in order") journal.note({ item: key.item, state: "done" });
        return result;
      } catch (error) {
        if (!isFailure(error)) throw error;
        if (!isUnchanged()) {
          if (!isFailure(error, "not-found", "unknown")) throw error;
          notFound += 1;
          // The result of the earlier run could not be determined, so the item's entry is not changed.
          const found = error.kind === "unknown" ? error.marked : `${error.marked}; ${effectOrGone}`;
          throw error.with({ isFromEarlierRun: true }, found);
        }
        // The "planned" record may not be on disk yet, and would then follow the "failed" record that revokes it.
        await planned?.catch(() => undefined);
        const state = journal.latestEntry(key.item)?.state;
        // Nothing was changed: a later run may send the item again.
        if (!kindsThatLeaveEntries.includes(error.kind) && (state === "sent" || state === "planned"))
          journal.note({ ...key, state: "failed" });
        throw error;
      }
    },
    /** Records that planned items whose turn never came were not sent. */
    abandon: () => intents.abandon().catch(() => undefined),
    /**
     * The number of remaining items if none of them was found and nothing proves the credentials, so that another run
     * would end the same way; otherwise 0.
     */
    unresolvedCount: () => (!plan.proof.isProven() && notFound === pending.length - done ? notFound : 0),
  };
}

/** Tries to prove the credentials; a Failure leaves them unproven. */
async function tryToProve(prove: (() => Promise<unknown>) | undefined): Promise<void> {
  try {
    await prove?.();
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
}

function createItemRecord(journal: Journal, key: JournalItem): ItemRecord {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    latestEntry,
    update: (more) => journal.mark({ ...key, state: latestEntry()?.state ?? "planned", ...more }),
  };
}

/** Why a run stopped because its items may be gone or its credentials may be wrong; undefined if it did not. */
function stopReason(hasStoppedEarly: boolean): string | undefined {
  return hasStoppedEarly
    ? "stopped: so many not found without one success suggest wrong credentials rather than deleted items"
    : undefined;
}

/** The hint if no remaining item was found and the credentials are unproven, so that resuming would end the same way. */
function unresolvedHint(operation: JournalOperation, id: string): string {
  const proof = traitsOf(operation).command.startsWith("token ")
    ? "To verify that the tokens are gone, resume the job with --proof-token-file FILE. "
    : "";
  return `${proof}If the credentials are right, nothing is left to do: run \`${commandLine("recover", "forget", id)}\`.`;
}

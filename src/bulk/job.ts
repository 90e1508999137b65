// A job that changes something at the service, for each of its items. Its journal lets it be resumed after any
// interruption: no item is skipped, and no finished item is sent again. A single item is a job, too.
import type { Context } from "../run/context.ts";
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { isJob, type Entry } from "../journal/entries.ts";
import { hashesOf, hashOf } from "../journal/hashes.ts";
import { createIntent, type JournalItem } from "../journal/intent.ts";
import { planIntents } from "../journal/planned-intents.ts";
import { finishOnSignal, type StopSignals } from "./finish-on-signal.ts";
import { closingEarly, endingOf, endJournal } from "./end-journal.ts";
import type { JobOptions, JobPlan } from "./job-plan.ts";
import { writingWaits } from "./job-waits.ts";
import { entryOf, nameOf, openJournal } from "./open-journal.ts";
import { lineAsTyped, commandLine } from "./resume-line.ts";
import { runItems, type Outcome } from "./run-items.ts";
import { asOld, keptFirst, mayHaveBeenSent, recordOf } from "./taken-up.ts";
import { reasonOf, type Ending } from "./tally.ts";

/** The part of a job that its report needs. */
export interface Job<Result> {
  readonly outcomes: AsyncGenerator<Outcome<string, Result>, void, undefined>;
  /** The number of items that earlier runs had finished. */
  readonly finishedBefore: number;
  /** The id that `grantctl recover` takes; null for a job without a journal. */
  readonly id: string | null;
  /** Whether the job changes something, so that it goes on even where its report cannot be written. */
  readonly changesSomething: boolean;
  /** Whether the service has accepted the credentials in this run. */
  isProven(): boolean;
  /** Notes that an item is finished: its request succeeded, and its new token, if it has one, was delivered. */
  finish(item: string): void;
  /**
   * Ends the job: deletes the journal if everything is done and no token is kept in it. Throws the job's failure, with
   * the command that resumes it, or the quiet exit of the signal that stopped it.
   */
  end(failureOf: (ending: Ending) => Failure | null): Promise<void>;
}

/** A job that changes something, with its journal. */
export interface JournalledJob<Result> extends Job<Result> {
  readonly id: string;
  /** Whether a signal or `stop` asked it to stop. */
  isStopped(): boolean;
  /** Starts no more items; items under way still have their outcomes. */
  stop(): void;
  /** The journal's entry of an item; undefined where it has none. */
  latest(item: string): Entry | undefined;
  /** Undoes `finish` where the delivered token was lost again, so that the journal keeps it. */
  unfinish(item: string): void;
  /** Whether the journal keeps an item's answer, because its token is not delivered. */
  isKept(item: string): boolean;
  /** Notes the outcome of a request that was never answered: a sentence on it, or that its token is lost. */
  noteFound(item: string, found: Pick<Entry, "known" | "isLost">): void;
}

/**
 * Opens or resumes the journal. Nothing is sent before the outcomes are read. Throws a usage failure for a journal
 * that is not of this job.
 */
export async function startJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
): Promise<JournalledJob<Result>> {
  const signals = finishOnSignal(context);
  try {
    return await journalledJob(context, options, plan, signals);
  } catch (error) {
    signals.release();
    throw error;
  }
}

async function journalledJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
  signals: StopSignals,
): Promise<JournalledJob<Result>> {
  const hashes = hashesOf(plan.items);
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const journal = await openJournal(context, options, plan, [...hashes.values()]);
  const beforeOf = (item: string): Entry | undefined => entryOf(journal, hashFor(item));
  const items = plan.items.filter((item) => beforeOf(item)?.state !== "done");
  const journalItemOf = (item: string): JournalItem => ({
    item: hashFor(item),
    ...(plan.lastEightOf === undefined ? {} : { last_eight: plan.lastEightOf(item) }),
  });
  // A single request for a token is written as "sent" at once and not first as "planned": that would cost a second
  // sync, with no other request under way meanwhile.
  const { length: total } = plan.items;
  const isPlanned = isJob({ operation: plan.operation, total, shard: options.shard });
  const intents = planIntents(
    journal,
    items.filter((item) => isPlanned && !mayHaveBeenSent(beforeOf(item))).map(journalItemOf),
  );

  let hasToStop = false;
  let doneNow = 0;
  /** How many items were not found in this run, although an earlier run had sent them. */
  let notFoundNow = 0;
  const isStopped = (): boolean => hasToStop || signals.isStopped();
  const act = async (item: string): Promise<Result> => {
    const journalItem = journalItemOf(item);
    const before = beforeOf(item);
    const isTakenUp = mayHaveBeenSent(before);
    const planned = intents.ready(journalItem.item);
    const intent = createIntent(journal, journalItem, planned);
    try {
      const record = recordOf(journal, journalItem);
      const result = await (isTakenUp && plan.takeUp !== undefined
        ? plan.takeUp(item, before, intent, record)
        : plan.act(item, intent, record));
      const { deliver } = plan;
      const isOut = deliver === undefined || (deliver !== "in order" && (await deliver(item, result)));
      doneNow += 1;
      // Not awaited: where the record is lost, a later run checks the item again and does not send it.
      if (isOut) journal.note({ item: journalItem.item, state: "done" });
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (isTakenUp && !intent.hasBeenSent()) {
        const old = asOld(error);
        if (old.details.isOld === true) notFoundNow += 1;
        throw old;
      }
      // The failure says that nothing was changed: a later run may send the item again.
      const isUnchanged = !leavesSomething.includes(error.kind);
      // The plan may still be on its way to the disk, and would come after the note that takes it back.
      await planned?.catch(() => undefined);
      const state = journal.latest(journalItem.item)?.state;
      if (isUnchanged && (state === "sent" || state === "planned")) {
        journal.note({ ...journalItem, state: "failed" });
      }
      throw error;
    }
  };

  const parts = plan.takesKeptFirst === true ? keptFirst(items, beforeOf) : [items];
  const runs = parts.map((part) =>
    runItems(
      part,
      {
        concurrency: context.options.concurrency,
        ...writingWaits(context, plan.items, options, signals),
        proof: plan.proof,
        // Items that an earlier run may have sent need no vetting: `takeUp` finds out first whether they were.
        vet: async (item) => mayHaveBeenSent(beforeOf(item)) || (await plan.vet(item)),
        isStopped,
      },
      act,
    ),
  );
  async function* oneAfterTheOther(): Job<Result>["outcomes"] {
    for (const run of runs) yield* run.outcomes;
  }
  const isKept = (item: string): boolean => journal.latest(hashFor(item))?.state === "answered";
  return {
    outcomes: closingEarly(oneAfterTheOther(), journal, signals),
    finishedBefore: plan.items.length - items.length,
    id: journal.id,
    changesSomething: true,
    isProven: () => plan.proof.isGiven(),
    isStopped,
    stop() {
      hasToStop = true;
    },
    finish: (item) => {
      journal.note({ item: hashFor(item), state: "done" });
    },
    unfinish: (item) => {
      journal.note({ item: hashFor(item), state: "answered" });
    },
    latest: (item) => journal.latest(hashFor(item)),
    isKept,
    noteFound: (item, found) => {
      const journalItem = journalItemOf(item);
      journal.note({ ...journalItem, state: journal.latest(journalItem.item)?.state ?? "sent", ...found });
    },
    async end(failureOf) {
      signals.release();
      await intents.abandon().catch(() => undefined);
      // All remaining items were not found and nothing proves the credentials: another run would end the same way.
      const isAtItsEnd = !plan.proof.isGiven() && notFoundNow === items.length - doneNow && notFoundNow > 0;
      const failure = failureOf({
        ...reasonOf({ hasGivenUp: () => runs.some((run) => run.hasGivenUp()) }),
        ...endingOf(journal, () =>
          isAtItsEnd
            ? `if the credentials are right, there is nothing more to do for ${notFoundNow === 1 ? "it" : "them"}: ${commandLine("recover", "forget", journal.id)}`
            : `continue it with the same input${plan.isRedirected === true ? ", and >> in the place of >" : ""}: ${lineAsTyped(context, nameOf(journal, context), plan.picked)}`,
        ),
      });
      await endJournal(context, journal, signals, failure, plan.items.some(isKept));
    },
  };
}

/** Failures after which something was changed, or may have been. */
const leavesSomething: readonly FailureKind[] = ["unknown", "undelivered", "incomplete"];

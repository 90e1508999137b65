// A job over items that change something: with a journal, so that it can be taken up again after any interruption,
// nothing skipped and nothing finished sent again. One item is a job like many.
import type { Context } from "../run/context.ts";
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { isJob, type Entry } from "../journal/entries.ts";
import { hashOf } from "../journal/hashes.ts";
import { createIntent, type JournalItem } from "../journal/intent.ts";
import { planIntents } from "../journal/planned-intents.ts";
import { finishOnSignal, type StopSignals } from "./finish-on-signal.ts";
import { endJournal } from "./end-journal.ts";
import type { JobOptions, JobPlan } from "./job-plan.ts";
import { longestWaitOf, sleepOf } from "./job-waits.ts";
import { entryOf, nameOf, openJournal } from "./open-journal.ts";
import { lineAsTyped, commandLine } from "./resume-line.ts";
import { runItems, type Outcome } from "./run-items.ts";
import { asOld, keptFirst, mayHaveBeenSent, recordOf } from "./taken-up.ts";
import { reasonOf, type Ending } from "./tally.ts";

/** A job as its report sees it. */
export interface Job<Result> {
  readonly outcomes: AsyncGenerator<Outcome<string, Result>, void, undefined>;
  /** How many items an earlier run had finished. */
  readonly finishedBefore: number;
  /** What `grantctl recover` knows it by; null for one without a journal. */
  readonly id: string | null;
  /** Whether it changes something: what it did is done then, whoever takes its report. */
  readonly changesSomething: boolean;
  /** Whether the service has taken the credentials in this run. */
  isProven(): boolean;
  /** Notes that an item is finished, whatever had to be delivered was. */
  finish(item: string): void;
  /**
   * Ends the job: the journal goes when everything is done and no value is kept, and stays when not. Throws the job's
   * failure, with the way to take it up again, or the quiet exit of the signal that stopped it.
   */
  end(failureOf: (ending: Ending) => Failure | null): Promise<void>;
}

/** A job that changes something, with its journal. */
export interface JournalledJob<Result> extends Job<Result> {
  readonly id: string;
  /** Whether it was asked to stop. */
  isStopped(): boolean;
  /** Starts nothing more; what is on its way still comes out. */
  stop(): void;
  /** What the journal says of an item; undefined where it says nothing. */
  latest(item: string): Entry | undefined;
  /** Notes that the value of an item that was finished is nowhere any more: it is kept again. */
  unfinish(item: string): void;
  /** Whether the answer of an item is kept: its value is not out. */
  isKept(item: string): boolean;
  /** Notes what was found out of an item whose request was never answered: a sentence, or that its value is lost. */
  noteFound(item: string, found: Pick<Entry, "known" | "isLost">): void;
}

/** Starts a job, or takes it up again. */
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
  const hashes = new Map(plan.items.map((item) => [item, hashOf(item)]));
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const journal = await openJournal(context, options, plan, [...hashes.values()]);
  const beforeOf = (item: string): Entry | undefined => entryOf(journal, hashFor(item));
  const items = plan.items.filter((item) => beforeOf(item)?.state !== "done");
  const journalItemOf = (item: string): JournalItem => ({
    item: hashFor(item),
    ...(plan.lastEightOf === undefined ? {} : { last_eight: plan.lastEightOf(item) }),
  });
  // A single value is written down as sent at once: nobody has anything else to do while the disk is.
  const { length: total } = plan.items;
  const isPlanned = isJob({ operation: plan.operation, total, shard: options.shard });
  const intents = planIntents(
    journal,
    items.filter((item) => isPlanned && !mayHaveBeenSent(beforeOf(item))).map(journalItemOf),
  );

  let hasToStop = false;
  let doneNow = 0;
  /** Items of an earlier run that the service does not find. */
  let notFoundNow = 0;
  const isStopped = (): boolean => hasToStop || signals.isStopped();
  const act = async (item: string): Promise<Result> => {
    const journalItem = journalItemOf(item);
    const before = beforeOf(item);
    const isTakenUp = mayHaveBeenSent(before);
    const intent = createIntent(() => Promise.resolve(journal), journalItem, intents.ready(journalItem.item));
    try {
      const record = recordOf(journal, journalItem);
      const result = await (isTakenUp && plan.takeUp !== undefined
        ? plan.takeUp(item, before, intent, record)
        : plan.act(item, intent, record));
      const { deliver } = plan;
      const isOut = deliver === undefined || (deliver !== "in order" && (await deliver(item, result)));
      doneNow += 1;
      // Nobody waits for the disk: were it lost, the item would be looked at once more, and not be sent.
      if (isOut) journal.note({ item: journalItem.item, state: "done" });
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (isTakenUp && !intent.hasBeenSent()) {
        const old = asOld(error);
        if (old.details.isOld === true) notFoundNow += 1;
        throw old;
      }
      // Known not to have changed anything: the item is as it was, and may be tried again.
      const isUnchanged = !leavesSomething.includes(error.kind);
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
        sleep: sleepOf(context, signals),
        longestWaitMs: longestWaitOf(plan.items, options),
        proof: plan.proof,
        // What an earlier run may have sent is looked at anyway.
        vet: async (item) => mayHaveBeenSent(beforeOf(item)) || (await plan.vet(item)),
        isStopped,
      },
      act,
    ),
  );
  async function* oneAfterTheOther(): Job<Result>["outcomes"] {
    let isOver = false;
    try {
      for (const run of runs) {
        yield* run.outcomes;
      }
      isOver = true;
    } finally {
      // A bug ended it: nobody will.
      if (!isOver) {
        signals.release();
        await journal.close();
      }
    }
  }
  const isKept = (item: string): boolean => journal.latest(hashFor(item))?.state === "answered";
  return {
    outcomes: oneAfterTheOther(),
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
      const isWorthKeeping = journal.hasEffect();
      // Going on would find the same again.
      const isAtItsEnd = !plan.proof.isGiven() && notFoundNow === items.length - doneNow && notFoundNow > 0;
      const failure = failureOf({
        ...reasonOf({ hasGivenUp: () => runs.some((run) => run.hasGivenUp()) }),
        ...(isWorthKeeping
          ? {
              hint: isAtItsEnd
                ? `if the credentials are right, there is nothing more to do for ${notFoundNow === 1 ? "it" : "them"}: ${commandLine("recover", "forget", journal.id)}`
                : `take it up again, with the same input: ${lineAsTyped(context, nameOf(journal, context), plan.picked)}`,
            }
          : { hint: null, remark: "nothing was changed, so the same command may be run again" }),
      });
      await endJournal(context, journal, signals, failure, plan.items.some(isKept));
    },
  };
}

/** Failures behind which something was changed, or may have been. */
const leavesSomething: readonly FailureKind[] = ["unknown", "undelivered", "incomplete"];

// A job over many items that change something: with a journal, so that it can be taken up again after any
// interruption, nothing skipped and nothing finished sent again. One item is a job like many.
import { Option, type Command } from "commander";
import type { Proof } from "./proof.ts";
import { runItems, type Outcome, type Vet } from "./run-items.ts";
import { reasonOf, type Ending } from "./tally.ts";
import type { Context } from "../run/context.ts";
import { isFailure, type Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Entry, JournalOperation } from "../journal/entries.ts";
import { hashOf } from "../journal/hashes.ts";
import { planIntents } from "../journal/planned-intents.ts";
import { createIntent, type JournalItem } from "../journal/intent.ts";
import { finishOnSignal, type StopSignals } from "./finish-on-signal.ts";
import { endJournal } from "./end-journal.ts";
import { longestWaitOf, sleepOf } from "./job-waits.ts";
import { entryOf, nameOf, openJournal } from "./open-journal.ts";
import { lineAsTyped, lineHere } from "./resume-line.ts";
import { addShardOption, type ShardOptions } from "./shard-option.ts";
import { asOld, keptFirst, mayHaveBeenSent, recordOf, type ItemRecord } from "./taken-up.ts";

export interface JobOptions extends ShardOptions {
  readonly resume?: string;
}

/** Adds --resume and --shard. */
export function addJobOptions(command: Command): Command {
  return addShardOption(
    command.addOption(
      new Option("--resume <journal>", "take an interrupted job up again; give it the same input as before"),
    ),
  );
}

/** Whether these items are a job, reported as a list: several, or a shard, whose size nobody knows beforehand. */
export function isJobOf(items: readonly string[], { shard }: ShardOptions): boolean {
  return items.length > 1 || shard !== undefined;
}

export interface JobPlan<Result> {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  readonly items: readonly string[];
  /** The items as arguments, where they were not typed but picked. */
  readonly picked?: readonly string[];
  /** What tells the file that takes the values from others. */
  readonly outputFile?: string;
  /** What a success of `act`, `vet` or `takeUp` gives. */
  readonly proof: Proof;
  /** A read that settles what many "not found" mean, before more is changed. */
  readonly vet: Vet<string>;
  /** What names an item in the journal besides its hash. */
  readonly lastEightOf?: (item: string) => string;
  /** Does it. Throws a Failure; the intent is to go with the request. */
  readonly act: (item: string, intent: Intent, record: ItemRecord) => Promise<Result>;
  /**
   * Does what is left of an item that an earlier run had sent, or had an answer of: what it finds out first is the
   * command's business.
   */
  readonly takeUp: (item: string, before: Entry, intent: Intent, record: ItemRecord) => Promise<Result>;
  /** Whether an item is finished when it is done, with nothing to deliver. */
  readonly isFinishedWhenDone: boolean;
  /** What an earlier run kept is taken up before anything else is done. */
  readonly takesKeptFirst?: boolean;
  /** A rotation leaves the old tokens alive. */
  readonly keepsOld?: boolean;
}

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
   * Ends the job: the journal goes when everything is done, and stays when not. Throws the job's failure, with the
   * way to take it up again, or the quiet exit of the signal that stopped it.
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
  /** Notes that an item which was sent took effect, and that what it made is nowhere. */
  noteLost(item: string): void;
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
  const intents = planIntents(
    journal,
    items.filter((item) => !mayHaveBeenSent(beforeOf(item))).map(journalItemOf),
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
      const result = await (isTakenUp
        ? plan.takeUp(item, before, intent, record)
        : plan.act(item, intent, record));
      doneNow += 1;
      // Nobody waits for the disk: were it lost, the item would be looked at once more, and not be sent.
      if (plan.isFinishedWhenDone) journal.note({ item: journalItem.item, state: "done" });
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (isTakenUp && !intent.hasBeenSent()) {
        const old = asOld(error);
        if (old.details.isOld === true) notFoundNow += 1;
        throw old;
      }
      // Known not to have changed anything: the item is as it was, and may be tried again.
      const isUnchanged = error.kind !== "unknown" && error.kind !== "undelivered";
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
    for (const run of runs) yield* run.outcomes;
  }
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
    noteLost: (item) => {
      const journalItem = journalItemOf(item);
      journal.note({
        ...journalItem,
        state: journal.latest(journalItem.item)?.state ?? "sent",
        isLost: true,
      });
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
                ? `if the credentials are right, there is nothing more to do for ${notFoundNow === 1 ? "it" : "them"}: ${lineHere(context, "recover", "forget", journal.id)}`
                : `take it up again, with the same input: ${lineAsTyped(context, nameOf(journal, context), plan.picked)}`,
            }
          : { hint: null, remark: "nothing was changed, so the same command may be run again" }),
      });
      await endJournal(context, journal, signals, failure);
    },
  };
}

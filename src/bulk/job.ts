// A job over many items that change something: with a journal, so that it can be taken up again after any
// interruption, nothing skipped and nothing finished sent again. A single item needs none.
import { join } from "node:path";
import { Option, type Command } from "commander";
import { runItems, type Outcome } from "./run-items.ts";
import type { Context } from "../context.ts";
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import type { Keeper } from "../http/request.ts";
import type { Entry, Head, JournalOperation } from "../journal/entries.ts";
import { hashOf, hashOfList } from "../journal/hashes.ts";
import type { Journal } from "../journal/journals.ts";
import { createIntents } from "../journal/intents.ts";
import { keeperOf, type KeptItem } from "../journal/keep-request.ts";
import { resumption } from "../journal/resumption.ts";
import { finishOnSignal, type StopSignals } from "./finish-on-signal.ts";
import { addShardOption, shardText, type ShardOptions } from "./shard-option.ts";

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
  /** How a person gives the items again; "the same input" where it says nothing. */
  readonly input?: string;
  readonly concurrency: number;
  /** What names an item in the journal besides its hash. */
  readonly lastEightOf?: (item: string) => string;
  /** Does it. Throws a Failure; the keeper is to go with the request. */
  readonly act: (item: string, keeper: Keeper | null) => Promise<Result>;
  /**
   * Does what is left of an item that an earlier run had sent, or had an answer of: what it finds out first is the
   * command's business.
   */
  readonly takeUp: (item: string, before: Entry, keeper: Keeper) => Promise<Result>;
  /** Whether an item is finished when it is done, with nothing to deliver. */
  readonly isFinishedWhenDone: boolean;
}

export interface Job<Result> {
  readonly outcomes: AsyncGenerator<Outcome<string, Result>, void, undefined>;
  /** How many items an earlier run had finished. */
  readonly finishedBefore: number;
  /** Starts nothing more; what is on its way still comes out. */
  stop(): void;
  /** Notes that an item is finished, whatever had to be delivered was. */
  finish(item: string): void;
  /**
   * Ends the job: the journal goes when everything is done, and stays when not. Throws the job's failure, with the
   * way to take it up again, or the quiet exit of the signal that stopped it.
   */
  end(failureOf: (hint: string | null) => Failure | null): Promise<void>;
}

/** Starts a job, or takes it up again. */
export async function startJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
): Promise<Job<Result>> {
  const signals = finishOnSignal(context);
  try {
    if (!isJobOf(plan.items, options) && options.resume === undefined)
      return singleJob(context, plan, signals);
    return await journalledJob(context, options, plan, signals);
  } catch (error) {
    signals.release();
    throw error;
  }
}

/** A job that only reads: no journal, and a signal ends it as usual. */
export function startReading<Result>(
  { options, progress }: Context,
  items: readonly string[],
  act: (item: string) => Promise<Result>,
): Job<Result> {
  const { concurrency } = options;
  return {
    outcomes: runItems(items, { concurrency, sleep: (milliseconds) => progress.wait(milliseconds) }, act),
    finishedBefore: 0,
    stop: () => undefined,
    finish: () => undefined,
    end: (failureOf) => endWith(failureOf(null)),
  };
}

function endWith(failure: Failure | null): Promise<void> {
  return failure === null ? Promise.resolve() : Promise.reject(failure);
}

function singleJob<Result>(context: Context, plan: JobPlan<Result>, signals: StopSignals): Job<Result> {
  return {
    ...startReading(context, plan.items, (item) => plan.act(item, null)),
    end(failureOf) {
      signals.release();
      return endWith(failureOf(null));
    },
  };
}

async function journalledJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
  signals: StopSignals,
): Promise<Job<Result>> {
  const hashes = new Map(plan.items.map((item) => [item, hashOf(item)]));
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const { journal, head } = await openJournal(context, options, plan, [...hashes.values()]);
  const items = plan.items.filter((item) => journal.before.get(hashFor(item))?.state !== "done");
  const keptOf = (item: string): KeptItem => ({
    item: hashFor(item),
    ...(plan.lastEightOf === undefined ? {} : { last_eight: plan.lastEightOf(item) }),
  });
  const intents = createIntents(
    journal,
    items.filter((item) => !mayHaveBeenSent(journal.before.get(hashFor(item)))).map(keptOf),
  );

  let isStopped = false;
  const act = async (item: string): Promise<Result> => {
    const kept = keptOf(item);
    const before = journal.before.get(kept.item);
    const isTakenUp = mayHaveBeenSent(before);
    const keeper = keeperOf(() => Promise.resolve(journal), kept, intents.ready(kept.item));
    try {
      const result = await (isTakenUp ? plan.takeUp(item, before, keeper) : plan.act(item, keeper));
      // Nobody waits for the disk: were it lost, the item would be looked at once more, and not be sent.
      if (plan.isFinishedWhenDone) journal.note({ item: kept.item, state: "done" });
      return result;
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (isTakenUp && !keeper.hasBeenSent()) throw asOld(error);
      // Known not to have changed anything: the item is as it was, and may be tried again.
      const isUnchanged = error.kind !== "unknown" && error.kind !== "undelivered";
      const state = journal.latest(kept.item)?.state;
      if (isUnchanged && (state === "sent" || state === "planned")) {
        journal.note({ ...kept, state: "failed" });
      }
      throw error;
    }
  };

  return {
    outcomes: runItems(
      items,
      {
        concurrency: plan.concurrency,
        sleep: (milliseconds) => context.progress.wait(milliseconds),
        isStopped: () => isStopped || signals.isStopped(),
      },
      act,
    ),
    finishedBefore: plan.items.length - items.length,
    stop() {
      isStopped = true;
    },
    finish: (item) => {
      journal.note({ item: hashFor(item), state: "done" });
    },
    async end(failureOf) {
      signals.release();
      await intents.abandon().catch(() => undefined);
      const isWorthKeeping = journal.hasEffect();
      const failure = failureOf(
        isWorthKeeping ? `take it up again with ${resumption(head, journal.path, plan.input)}` : null,
      );
      if (failure === null || !isWorthKeeping) await journal.remove();
      else await journal.close();
      if (failure === null) return;
      // What is riskier than having been stopped is said instead.
      if (signals.isStopped() && failure.kind === "incomplete") {
        context.notices.warn(failure.message);
        context.notices.warn(failure.details.hint ?? "");
        signals.check();
      }
      throw failure;
    },
  };
}

/** Whether an earlier run let the item go, or may have: what became of it is looked at first. */
function mayHaveBeenSent(before: Entry | undefined): before is Entry {
  return before?.state === "sent" || before?.state === "answered" || before?.state === "planned";
}

async function openJournal(
  context: Context,
  options: JobOptions,
  plan: JobPlan<unknown>,
  hashes: readonly string[],
): Promise<{ readonly journal: Journal; readonly head: Head }> {
  const head: Head = {
    version: 1,
    operation: plan.operation,
    address: context.origin().href,
    requester: hashOf(plan.requester),
    created_at: new Date(context.host.now()).toISOString(),
    total: plan.items.length,
    list: hashOfList(hashes),
    ...(options.shard === undefined ? {} : { shard: shardText(options.shard) }),
  };
  const journals = await context.journals();
  if (options.resume === undefined) return { journal: await journals.create(head), head };

  // The id of `recover list` does as well as the path.
  const path = /^[\w-]+$/.test(options.resume)
    ? join(context.stateFolder(), `${options.resume}.journal`)
    : options.resume;
  const reopened = await journals.reopen(path);
  const problem = mismatch(reopened.head, head);
  if (problem === null) return reopened;
  await reopened.journal.close();
  throw usageFailure(problem, "grantctl recover list");
}

/** Why a journal is not of this job; null when it is. */
function mismatch(journal: Head, job: Head): string | null {
  if (journal.operation !== job.operation) return `the journal is of another operation: ${journal.operation}`;
  if (journal.address !== job.address) return `the journal is of another service: ${journal.address}`;
  if (journal.requester !== job.requester) return "the journal is of another account or application";
  if (journal.shard !== job.shard) {
    return `the journal is of ${journal.shard === undefined ? "the whole input" : `--shard ${journal.shard}`}`;
  }
  if (journal.list !== job.list) return "the input is not the one that this job was started with";
  return null;
}

/** A failure to find out what became of an earlier run's request: nothing that is known of it changes. */
function asOld(failure: Failure): Failure {
  return isFailure(failure, "not-found", "unknown")
    ? new Failure(failure.kind, failure.message, { ...failure.details, isOld: true })
    : failure;
}

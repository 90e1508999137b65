// A job that changes something at the service, for each of its items. Its journal lets it be resumed after any
// interruption: no item is skipped, and no finished item is sent again. A single item is a job, too.
import type { Context } from "../run/context.ts";
import type { Failure } from "../errors/errors.ts";
import { waitLimits } from "../http/waiting.ts";
import type { Entry } from "../journal/entries.ts";
import { isJob } from "../journal/operations.ts";
import { startStoppable } from "./finish-on-signal.ts";
import { closingEarly, endingOf, endJournal } from "./end-journal.ts";
import { createItemWork } from "./item-work.ts";
import { isJobOf, type JobOptions, type JobPlan } from "./job-plan.ts";
import { nameOf, openJournal } from "./open-journal.ts";
import { commandLine, continueIt, keepsIds, lineAsTyped } from "./resume-line.ts";
import { jobWaits, runItems, type Outcome } from "./run-items.ts";
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
  /** As in the plan. */
  readonly confirm?: JobPlan<Result>["confirm"];
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
  /** Notes the outcome of a request that was never answered: a sentence on it, or that its token is lost. */
  noteFound(item: string, found: Pick<Entry, "known" | "isLost">): void;
}

/**
 * Opens or resumes the journal. Nothing is sent before the outcomes are read. Throws a usage failure for a journal
 * that is not of this job.
 */
export function startJob<Result>(
  context: Context,
  options: JobOptions,
  plan: JobPlan<Result>,
): Promise<JournalledJob<Result>> {
  return startStoppable(context, async (signals) => {
    const entries = await openJournal(context, options, plan);
    const { journal, left, keyOf, begun, latest } = entries;
    // A single request for a token is written as "sent" at once and not first as "planned": that would cost a second
    // sync, with no other request under way meanwhile.
    const { length: total } = plan.items;
    const isPlanned = isJob({ operation: plan.operation, total, shard: options.shard });
    const work = createItemWork(plan, entries, isPlanned);
    let hasToStop = false;
    const isStopped = (): boolean => hasToStop || signals.isStopped();
    const { vet } = plan;
    const runOptions = {
      concurrency: context.options.concurrency,
      waits: jobWaits(context, waitLimits[isJobOf(plan.items, options) ? "job" : "request"], signals.asked),
      proof: plan.proof,
      // Items that an earlier run may have sent need no vetting: `act` finds out first whether they were.
      vet: vet === null ? null : async (item: string) => begun(item) !== undefined || (await vet(item)),
      isStopped,
    };
    const hasAnswer = (item: string): boolean => begun(item)?.state === "answered";
    const parts =
      plan.takesKeptFirst === true
        ? [left.filter(hasAnswer), left.filter((item) => !hasAnswer(item))]
        : [left];
    const runs = parts.map((part) => runItems(part, runOptions, (item) => work.carryOut(item)));
    async function* oneAfterTheOther(): Job<Result>["outcomes"] {
      for (const run of runs) yield* run.outcomes;
    }
    const isKept = (item: string): boolean => latest(item)?.state === "answered";
    return {
      outcomes: closingEarly(oneAfterTheOther(), journal, signals),
      finishedBefore: plan.items.length - left.length,
      id: journal.id,
      changesSomething: true,
      isProven: () => plan.proof.isGiven(),
      confirm: plan.confirm,
      isStopped,
      stop() {
        hasToStop = true;
      },
      latest,
      finish: (item) => {
        journal.note({ item: keyOf(item).item, state: "done" });
      },
      unfinish: (item) => {
        journal.note({ item: keyOf(item).item, state: "answered" });
      },
      noteFound: (item, found) => {
        journal.note({ ...keyOf(item), state: latest(item)?.state ?? "sent", ...found });
      },
      async end(failureOf) {
        signals.release();
        await work.abandon();
        const wayOn = (): string =>
          work.inVain() > 0
            ? `if the credentials are right, there is nothing more to do for ${work.inVain() === 1 ? "it" : "them"}: ${commandLine("recover", "forget", journal.id)}`
            : `${continueIt(plan.operation)}${plan.isRedirected === true ? ", and >> instead of >" : ""}: ${lineAsTyped(context, nameOf(journal, context), keepsIds(plan.operation))}`;
        const reason = reasonOf(runs.some((run) => run.hasGivenUp()));
        const failure = failureOf({ ...reason, ...endingOf(journal, wayOn) });
        await endJournal(context, journal, signals, failure, plan.items.some(isKept));
      },
    };
  });
}

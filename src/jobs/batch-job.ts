// A job that sends many items per request, one request at a time. The server accepts or rejects a batch as a whole. A
// batch without a response is never retried, neither by this run nor by a later one.
import { Failure, isFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Entry } from "../journal/entries.ts";
import type { JournalOperation } from "../journal/operations.ts";
import type { Context } from "../run/context.ts";
import { withEarlyClose, createEnding, endJournal, startStoppable } from "./ending.ts";
import { openJournal, type JobEntries } from "./job-journal.ts";
import { type Job } from "./job.ts";
import { createProof } from "./proof.ts";
import { commandLine, resumeHint } from "./resume-hint.ts";
import { changeWaits, runItems } from "./run-items.ts";
import type { JobOptions } from "./job-options.ts";

export interface BatchPlan {
  readonly operation: JournalOperation;
  readonly items: readonly string[];
  /** Items per request. */
  readonly size: number;
  readonly lastEightOf: (item: string) => string;
  /** Sends one request with this intent. A rejection that is not about its items stops the job. */
  readonly send: (batch: readonly string[], intent: Intent) => Promise<void>;
  /** The hint for items whose request got no response. */
  readonly unknownHint: string;
}

/**
 * Opens or resumes the journal. Nothing is sent until the outcomes are iterated. Throws a usage failure if the journal
 * belongs to another job.
 */
export function startBatches(context: Context, options: JobOptions, plan: BatchPlan): Promise<Job<void>> {
  return startStoppable(context, async (signals) => {
    // The requester stays empty: these requests carry no credentials.
    const entries = await openJournal(context, options, { ...plan, requester: "" });
    const { journal, pending, findEarlierEntry, latestEntry } = entries;
    const withoutResponse = pending.filter((item) => findEarlierEntry(item) !== undefined);
    const batches = splitBatches(
      pending.filter((item) => findEarlierEntry(item) === undefined),
      plan.size,
    );
    const sender = createSender(plan, entries);
    const run = runItems(
      batches,
      {
        concurrency: 1,
        waits: changeWaits(context, plan.items, signals.stopRequested),
        proof: createProof(),
        vet: null,
        isStopped: () => sender.isFatal() || signals.isStopped(),
      },
      (batch) => sender.send(batch),
    );

    async function* outcomes(): Job<void>["outcomes"] {
      for (const item of withoutResponse)
        yield { item, state: "failed", failure: earlierRunFailure(plan.unknownHint) };
      for await (const outcome of run.outcomes) {
        for (const item of outcome.item) yield { ...outcome, item };
      }
    }

    const hint = (): string =>
      pending.some((item) => (latestEntry(item)?.state ?? "failed") === "failed")
        ? resumeHint(context, plan.operation, journal)
        : `${plan.unknownHint} Once you have resolved this, run \`${commandLine("recover", "forget", journal.id)}\`.`;

    return {
      outcomes: withEarlyClose(outcomes(), journal, signals),
      finishedBefore: plan.items.length - pending.length,
      id: journal.id,
      changesSomething: true,
      isProven: () => true,
      finish: () => undefined,
      async end(failureOf) {
        signals.release();
        const failure = failureOf(createEnding(journal, hint));
        const isAllRefused =
          sender.refused() === batches.length && batches.length > 0 && !journal.hasEffect();
        const own =
          failure?.kind === "incomplete" && isAllRefused
            ? new Failure("refused", failure.marked, failure.details)
            : failure;
        await endJournal(journal, signals, { failure: own });
      },
    };
  });
}

function createSender(plan: BatchPlan, { journal, keyOf }: JobEntries) {
  const entriesOf = (batch: readonly string[], state: Entry["state"]): readonly Entry[] =>
    batch.map((item) => ({ ...keyOf(item), state }));
  let isFatal = false;
  let refused = 0;
  return {
    async send(batch: readonly string[]): Promise<void> {
      const intent: Intent = {
        beforeSending: () => journal.mark(...entriesOf(batch, "sent")),
        keepResponse: () => Promise.resolve(),
      };
      try {
        await plan.send(batch, intent);
      } catch (error) {
        if (!isFailure(error)) throw error;
        if (error.kind !== "unknown") for (const entry of entriesOf(batch, "failed")) journal.note(entry);
        if (error.kind === "refused") refused += 1;
        isFatal ||= error.kind === "refused" && error.details.isAboutItem !== true;
        throw error;
      }
      const done = entriesOf(batch, "done");
      // Synced, so that a power cut does not make the items unknown. If the disk fails, the items are still done.
      await journal.mark(...done).catch(() => {
        for (const entry of done) journal.note(entry);
      });
    },
    /** True if a rejection was not about its items, so that all further batches would be rejected as well. */
    isFatal: () => isFatal,
    refused: () => refused,
  };
}

function splitBatches(items: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function earlierRunFailure(hint: string): Failure {
  return new Failure("unknown", "an earlier run sent it and got no response; it is not sent again", {
    hint,
    isFromEarlierRun: true,
  });
}

// Resets many tokens as a job: each new value is on disk before it is written anywhere else, and its item is finished
// only when the receiver has taken it.
import { lastEight } from "../../api/last-eight.ts";
import { startJob } from "../../bulk/job.ts";
import type { JobOptions } from "../../bulk/job-plan.ts";
import type { Proven } from "../../bulk/proof.ts";
import { listsUntried, noteTotals } from "../../bulk/report-outcomes.ts";
import { commandLine } from "../../bulk/resume-line.ts";
import type { Outcome } from "../../bulk/run-items.ts";
import { createTally } from "../../bulk/tally.ts";
import { isFailure, type Failure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import type { Places } from "../../reports/places.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { newValueOf, readMadeToken, type MadeToken } from "../new-value.ts";
import type { ValueReceiver } from "../value-receiver.ts";
import { onceATurn } from "./once-a-turn.ts";
import { checkStillLive, lostReset } from "./reset-outcome.ts";
import { openResetLines, resetRow, rowOf } from "./reset-rows.ts";
import { settleUnanswered, type Unanswered } from "./unanswered-resets.ts";

/** Resets every token. Throws the job's failure. */
export async function resetMany(
  tokens: readonly string[],
  places: Places,
  options: JobOptions,
  receiver: ValueReceiver,
  { service, clientId, proof }: Proven<ApplicationService>,
  context: Context,
): Promise<void> {
  const { checkToken, resetToken } = await import("../../api/tokens.ts");
  const lostBefore = new Set<string>();
  const lines = openResetLines(places, receiver, context);
  /** What is delivered of a new value, which nothing else may show from now on. */
  const newRow = (token: string, made: MadeToken) => {
    context.redactor.add(made.token);
    return { ...resetRow(token, made), ...places.sourcesOf(token) };
  };
  const deliver = async (token: string, made: MadeToken): Promise<boolean> => {
    await lines.deliver(newRow(token, made), newValueOf(made));
    return true;
  };
  const { deliverTogether } = lines;
  const deliverAll = async (outcomes: readonly Done[]): Promise<void> => {
    if (deliverTogether === null) {
      for (const { item, result } of outcomes) await deliver(item, result);
      return;
    }
    await deliverTogether(outcomes.map(({ item, result }) => newRow(item, result)));
  };
  // A command gets each value at once, several side by side; values that it refuses stay in the journal.
  const isDeliveredAtOnce = receiver.kind === "command";
  const job = await startJob<MadeToken>(context, options, {
    operation: "reset",
    requester: clientId,
    items: tokens,
    proof,
    vet: (token) => checkToken(service, clientId, token).then(() => true),
    lastEightOf: lastEight,
    ...(receiver.identity === null ? {} : { outputFile: receiver.identity }),
    deliver: isDeliveredAtOnce ? deliver : "in order",
    takesKeptFirst: isDeliveredAtOnce,
    act: (token, intent) => resetToken(withIntent(service, intent), clientId, token),
    async takeUp(token, before, intent) {
      const made = await readMadeToken(before.body);
      if (made !== null) return made;
      if (before.isLost === true) {
        lostBefore.add(token);
        throw lostReset(token, before.state !== "planned");
      }
      await checkStillLive(service, clientId, token, before.state !== "planned");
      return resetToken(withIntent(service, intent), clientId, token);
    },
  });

  const isListed = listsUntried(context);
  const tally = createTally(job.finishedBefore);
  const progress = context.progress.start("item", tokens.length, job.finishedBefore);
  let broken = null as Failure | null;
  const delivered: Outcome<string, MadeToken>[] = [];
  /** Outcomes held back until a success proves the credentials, which decides what a "not found" among them means. */
  let held: Outcome<string, MadeToken>[] = [];
  const unanswered: Unanswered[] = [];

  const flush = async (): Promise<void> => {
    const outcomes = held;
    held = [];
    const isProven = job.isProven();
    for (const part of partsOf(outcomes, deliverTogether === null ? 1 : context.options.concurrency)) {
      if (broken === null) {
        try {
          if (!isDeliveredAtOnce && part.every(isDone)) await deliverAll(part);
          for (const outcome of part) {
            const row = { ...rowOf(outcome, isProven), ...places.sourcesOf(outcome.item) };
            if (outcome.state !== "not-tried" || isListed) await lines.report(row);
            if (outcome.state !== "done") continue;
            job.finish(outcome.item);
            delivered.push(outcome);
          }
          if (part.every(isDone)) continue;
        } catch (error) {
          if (!isFailure(error)) throw error;
          // Requests under way are finished and their values kept; no more are started.
          job.stop();
          broken = error;
        }
      }
      for (const outcome of part) {
        if (outcome.state === "failed" && outcome.failure.kind === "unknown") unanswered.push(outcome);
        // Made, and kept: it was not delivered any more.
        else if (broken !== null && outcome.state === "done")
          tally.count({ item: outcome.item, state: "failed", failure: broken });
        else tally.count(outcome);
      }
    }
  };

  const flushSoon = onceATurn(flush);
  for await (const outcome of job.outcomes) {
    progress.advance();
    held.push(outcome);
    if (!job.isProven()) continue;
    if (deliverTogether === null) await flush();
    else {
      const flushed = flushSoon();
      if (held.length >= context.options.concurrency) await flushed;
    }
  }
  await flushSoon();
  progress.end();
  if (broken === null) await lines.end();
  // Values in a file that was deleted or replaced are not delivered any more.
  const gone = broken !== null && !(await receiver.isThere()) ? broken : null;
  for (const outcome of delivered) {
    if (gone !== null) job.unfinish(outcome.item);
    tally.count(gone === null ? outcome : { item: outcome.item, state: "failed", failure: gone });
  }
  const settled = await settleUnanswered(unanswered, lostBefore, job, context, (token) =>
    checkToken(service, clientId, token),
  );
  for (const { outcome } of settled) tally.count(outcome);
  const lost = settled.filter(({ isLost }) => isLost).length;
  await job.end((ending) => {
    if (tally.open() === 0) noteTotals(context, tally);
    const forget = commandLine("recover", "forget", job.id);
    return tally.failure(
      lost > 0 && lost === tally.open()
        ? { ...ending, hint: `make new tokens in the place of those; then: ${forget}` }
        : ending,
    );
  });
}

type Done = Extract<Outcome<string, MadeToken>, { readonly state: "done" }>;

function isDone(outcome: Outcome<string, MadeToken>): outcome is Done {
  return outcome.state === "done";
}

/** The outcomes in their order, each by itself but for those that are done, of which up to so many come together. */
function partsOf(
  outcomes: readonly Outcome<string, MadeToken>[],
  mostTogether: number,
): readonly (readonly Outcome<string, MadeToken>[])[] {
  const parts: Outcome<string, MadeToken>[][] = [];
  for (const outcome of outcomes) {
    const last = parts.at(-1);
    const isNext = isDone(outcome) && last?.every(isDone) === true && last.length < mostTogether;
    if (isNext) last.push(outcome);
    else parts.push([outcome]);
  }
  return parts;
}

// Resets many tokens as a job: each new token is on disk before it is written anywhere else, and its item is finished
// only when the receiver has accepted the token.
import { lastEight } from "../../token-value.ts";
import { startJob, type ItemRecord, type JobOptions, type JobPlan } from "../../jobs/job.ts";
import { checkResetToken } from "../../api/fitting.ts";
import type { Proven, SureOfGone } from "../../jobs/proof.ts";
import { listsUntried, reportJob } from "../../jobs/report.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import type { Outcome } from "../../jobs/run-items.ts";
import { createTally, noteTotals } from "../../jobs/tally.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import type { Intent } from "../../http/request.ts";
import { valueIn } from "../../journal/kept-values.ts";
import type { Places } from "../../reports/sources.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { createClaims, readMadeToken, type MadeToken } from "../new-value.ts";
import { withoutValue } from "../value-lines.ts";
import type { ValueReceiver } from "../value-receiver.ts";
import { checkStillLive, lostReset } from "./reset-outcome.ts";
import { openResetLines, rowOf, type PlacedRow } from "./reset-rows.ts";
import { settleUnanswered, type Unanswered } from "./unanswered-resets.ts";

/** The tokens to reset, and where a report found them. */
export interface TokensToReset extends Places {
  readonly tokens: readonly string[];
  readonly jobOptions: JobOptions;
}

/** The application's service, and the reset of one of its tokens. */
export type ResettingService = Proven<ApplicationService> & {
  readonly sure: SureOfGone<[Intent], MadeToken>;
};

/**
 * Resets the tokens, delivers the new ones and reports every outcome. Throws the job's failure at the end, and an
 * undelivered failure where the receiver did not take a token.
 */
export async function resetMany(
  items: TokensToReset,
  receiver: ValueReceiver,
  proven: ResettingService,
  context: Context,
): Promise<void> {
  const { checkToken } = await import("../../api/tokens.ts");
  const lines = openResetLines(items, receiver, context);
  const rowFor: RowFor = (outcome, isProven) => {
    // From now on, only results may show the new token.
    if (outcome.state === "done") context.redactor.add(outcome.result.token);
    return { ...rowOf(outcome, isProven), ...items.sourcesOf(outcome.item) };
  };
  // A command gets each token at once, several side by side; tokens that it refuses stay in the journal. A file or
  // standard output gets the tokens with the report.
  const isDeliveredAtOnce = receiver.kind === "command";
  const deliver = async (item: string, result: MadeToken): Promise<void> => {
    await lines.deliver(rowFor({ item, state: "done", result }, true));
  };
  const lostBefore = new Set<string>();
  const job = await startJob<MadeToken>(context, items.jobOptions, {
    ...(await resetsOf(items.tokens, proven, lostBefore)),
    outputFile: receiver.identity ?? undefined,
    isRedirected: receiver.kind === "standard output" && context.host.stdout.isFile,
    // A shell's `>` empties the file of the run before, and a file may have been removed.
    isMissing:
      receiver.kind === "file" || (receiver.kind === "standard output" && context.host.stdout.isFile)
        ? async (body) => {
            const value = valueIn(body);
            return value !== null && (await receiver.has(value)) === false;
          }
        : undefined,
    deliver: isDeliveredAtOnce ? deliver : "in order",
    keptFirst: isDeliveredAtOnce,
  });
  const tally = createTally(job.finishedBefore);
  const reportedRow: RowFor = (outcome, isProven) =>
    isDeliveredAtOnce ? withoutValue(rowFor(outcome, isProven)) : rowFor(outcome, isProven);
  const isListed = listsUntried(context);
  /** Why the receiver took no more; null while it takes everything. */
  let broken = null as Failure | null;
  /** Reported with their new tokens, and not counted before the end. */
  const delivered: Done[] = [];
  /** Without a response, and not counted before the end. */
  const unanswered: Unanswered[] = [];
  let lost = 0;

  const deliverAll = async (outcomes: readonly Outcome<string, MadeToken>[]): Promise<void> => {
    const isProven = job.isProven();
    const shown = outcomes.filter(({ state }) => state !== "not-tried" || isListed);
    await lines.report(shown.map((outcome) => reportedRow(outcome, isProven)));
    const done = outcomes.filter(isDone);
    for (const { item } of done) job.finish(item);
    delivered.push(...done);
  };

  await reportJob(context, job, {
    total: items.tokens.length,
    most: Math.min(lines.most, context.options.concurrency),
    async take(outcomes) {
      if (broken === null) {
        try {
          await deliverAll(outcomes);
        } catch (error) {
          if (!isFailure(error)) throw error;
          // Requests in flight are finished and their tokens kept; no more are started.
          job.stop();
          broken = error;
        }
      }
      for (const outcome of outcomes) {
        if (outcome.state === "failed" && outcome.failure.kind === "unknown") unanswered.push(outcome);
        else if (outcome.state !== "done") tally.count(outcome);
        // The new token is in the journal, but was not delivered any more.
        else if (broken !== null) tally.count({ item: outcome.item, state: "failed", failure: broken });
      }
    },
    async end() {
      if (broken === null) await lines.end();
      // Tokens in a file that was deleted or replaced no longer count as delivered.
      const gone = broken !== null && !(await receiver.isThere()) ? broken : null;
      for (const outcome of delivered) {
        if (gone !== null) job.unfinish(outcome.item);
        tally.count(gone === null ? outcome : { item: outcome.item, state: "failed", failure: gone });
      }
      const settled = await settleUnanswered(
        unanswered.map((outcome) => ({ outcome, isLost: lostBefore.has(outcome.item) })),
        job,
        (token) => checkToken(proven.service, proven.clientId, token),
        context,
      );
      for (const { outcome } of settled) tally.count(outcome);
      lost = settled.filter(({ isLost }) => isLost).length;
    },
    failureOf(reached) {
      if (tally.open() === 0) noteTotals(context, tally);
      const ending = { ...reached, isProven: job.isProven() };
      const forget = commandLine("recover", "forget", job.id);
      return tally.failure(
        lost > 0 && lost === tally.open()
          ? { ...ending, hint: `create new tokens to replace those; then: ${forget}` }
          : ending,
      );
    },
  });
}

type RowFor = (outcome: Outcome<string, MadeToken>, isProven: boolean) => PlacedRow;

/** The requests of the job. Adds to `lostBefore` the tokens whose new values an earlier run found lost. */
async function resetsOf(
  tokens: readonly string[],
  { service, clientId, proof, sure }: ResettingService,
  lostBefore: Set<string>,
): Promise<JobPlan<MadeToken>> {
  const { checkToken } = await import("../../api/tokens.ts");
  const claims = createClaims();
  const claim = async (token: string, made: MadeToken, record: ItemRecord): Promise<MadeToken> => {
    try {
      return claims.claim(token, made);
    } catch (error) {
      // A later run does not know the tokens of finished items, so that it would deliver this one.
      await record.keep({ isUnfit: true });
      throw error;
    }
  };
  return {
    operation: "reset",
    requester: clientId,
    items: tokens,
    proof,
    vet: (token) => checkToken(service, clientId, token).then(() => true),
    lastEightOf: lastEight,
    confirm: sure.confirm,
    async act(token, { intent, before, record }) {
      if (before !== undefined) {
        const made = await readMadeToken(before.body, checkResetToken(clientId, token));
        if (before.isUnfit === true) throw unfit();
        if (made !== null) return claim(token, made, record);
        if (before.isLost === true) {
          lostBefore.add(token);
          throw lostReset(token, before.state !== "planned");
        }
        await checkStillLive(service, clientId, token, before.state !== "planned");
      }
      return claim(token, await sure.act(token, intent), record);
    },
  };
}

function unfit(): Failure {
  return new Failure(
    "unknown",
    "an earlier run got the token of another item for it, which is kept and not delivered",
  );
}

type Done = Extract<Outcome<string, MadeToken>, { readonly state: "done" }>;

function isDone(outcome: Outcome<string, MadeToken>): outcome is Done {
  return outcome.state === "done";
}

// Resets many tokens as a job: each new token is on disk before it is written anywhere else, and its item is finished
// only when the receiver has accepted the token.
import { lastEight } from "../../token-value.ts";
import { startJob, type JournalledJob } from "../../jobs/job.ts";
import { checkResetToken } from "../../api/fitting.ts";
import type { ItemRecord, JobOptions, JobPlan } from "../../jobs/job-plan.ts";
import type { Proven, SureOfGone } from "../../jobs/proof.ts";
import { confirmed, listsUntried, noteTotals } from "../../jobs/report-outcomes.ts";
import { commandLine } from "../../jobs/resume-line.ts";
import type { Outcome } from "../../jobs/run-items.ts";
import { createTally, type Tally } from "../../jobs/tally.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import type { Intent } from "../../http/request.ts";
import { valueIn } from "../../journal/kept-answer.ts";
import type { Places } from "../../reports/places.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { createClaims, readMadeToken, type MadeToken } from "../new-value.ts";
import { withoutValue, type ValueLines } from "../value-lines.ts";
import type { ValueReceiver } from "../value-receiver.ts";
import { checkStillLive, lostReset } from "./reset-outcome.ts";
import { openResetLines, rowOf, type PlacedRow } from "./reset-rows.ts";
import { together } from "./together.ts";
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
    takesKeptFirst: isDeliveredAtOnce,
  });
  const tally = createTally(job.finishedBefore);
  const reportedRow: RowFor = (outcome, isProven) =>
    isDeliveredAtOnce ? withoutValue(rowFor(outcome, isProven)) : rowFor(outcome, isProven);
  const report = { total: items.tokens.length, lines, rowFor: reportedRow, tally };
  const { broken, delivered, unanswered } = await reportResets(job, report, context);
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
  const lost = settled.filter(({ isLost }) => isLost).length;
  await job.end((reached) => {
    if (tally.open() === 0) noteTotals(context, tally);
    const ending = { ...reached, isProven: job.isProven() };
    const forget = commandLine("recover", "forget", job.id);
    return tally.failure(
      lost > 0 && lost === tally.open()
        ? { ...ending, hint: `create new tokens to replace those; then: ${forget}` }
        : ending,
    );
  });
}

type RowFor = (outcome: Outcome<string, MadeToken>, isProven: boolean) => PlacedRow;

/** What became of the report of a job. */
interface Reported {
  /** Why the receiver took no more; null where it took everything. */
  readonly broken: Failure | null;
  /** The outcomes that were reported with their new tokens; they are not counted yet. */
  readonly delivered: readonly Done[];
  /** The outcomes whose requests had no answer; they are not counted yet. */
  readonly unanswered: readonly Unanswered[];
}

interface ResetReport {
  readonly total: number;
  readonly lines: ValueLines<PlacedRow>;
  readonly rowFor: RowFor;
  readonly tally: Tally;
}

/** Carries the job out, and reports its outcomes in their order. Counts those that are settled with that. */
async function reportResets(
  job: JournalledJob<MadeToken>,
  { total, lines, rowFor, tally }: ResetReport,
  context: Context,
): Promise<Reported> {
  const isListed = listsUntried(context);
  const progress = context.progress.start("item", total, job.finishedBefore);
  let broken = null as Failure | null;
  const delivered: Done[] = [];
  const unanswered: Unanswered[] = [];
  /** Outcomes that wait for a success to prove the credentials, because until then "not found" may mean wrong ones. */
  let held: Outcome<string, MadeToken>[] = [];

  const report = async (outcomes: readonly Outcome<string, MadeToken>[]): Promise<void> => {
    const isProven = job.isProven();
    const shown = outcomes.filter(({ state }) => state !== "not-tried" || isListed);
    await lines.report(shown.map((outcome) => rowFor(outcome, isProven)));
    const done = outcomes.filter(isDone);
    for (const { item } of done) job.finish(item);
    delivered.push(...done);
  };

  const flush = async (): Promise<void> => {
    const outcomes = await Promise.all(held.map((outcome) => confirmed(outcome, job)));
    held = [];
    if (broken === null) {
      try {
        await report(outcomes);
      } catch (error) {
        if (!isFailure(error)) throw error;
        // Requests under way are finished and their tokens kept; no more are started.
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
  };

  for await (const outcomes of together(job.outcomes, Math.min(lines.most, context.options.concurrency))) {
    for (const _ of outcomes) progress.advance();
    held.push(...outcomes);
    if (job.isProven()) await flush();
  }
  await flush();
  progress.end();
  if (broken === null) await lines.end();
  return { broken, delivered, unanswered };
}

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

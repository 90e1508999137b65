// Resets tokens as a job, even a single one. Each new token is on disk before it is written anywhere else, and its item is
// finished only when the receiver has accepted it. A reset cannot be repeated blindly, because the server shows the new
// token once:
//
//   the response                       what happens
//   arrived                            the token is delivered; if that fails, the journal keeps it for --resume
//   never arrived                      nothing now, because the request may still take effect; --resume reads the old
//                                      token: active, the reset is sent again; gone, the new token is lost
//   kept by an earlier run             it is delivered if it fits the request, and no other item has its token
import { checkResetToken } from "../api/match-response.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import { resetToken } from "../api/tokens.ts";
import { type JobPlan, type JournalledJob, startJob } from "../jobs/job.ts";
import type { ProvenApplication } from "../jobs/proof-token.ts";
import { listsUntried, reportJob } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { createTally, noteTotals, openStatus, type Reported } from "../jobs/tally.ts";
import { toJson } from "../json/exact-json.ts";
import type { ListWriter } from "../printing/list-writers.ts";
import { type ResetRow, resetPresentation } from "../printing/tokens.ts";
import { column, type Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import { noneInWords } from "../errors/words.ts";
import { lastEight } from "../token-value.ts";
import { type NewToken, createClaims, readNewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { type ValueLines, openSingleLine, openValueLines, withoutValue } from "./value-lines.ts";
import type { JobOptions } from "../jobs/job-options.ts";

export interface TokensToReset {
  readonly tokens: readonly string[];
  /** False for one token whose new value is printed bare. */
  readonly isJob: boolean;
  readonly options: JobOptions;
  /** As in the plan of a job. */
  readonly last: ReadonlySet<string>;
  /** Tokens that need not be sent, with the server's answers to their reads. */
  readonly unsent: ReadonlyMap<string, Failure>;
}

/**
 * Resets the tokens, delivers the new ones and reports every outcome. Throws the job's failure at the end, and an
 * undelivered failure if the receiver did not accept a token.
 */
export async function resetTokens(
  items: TokensToReset,
  receiver: ValueReceiver,
  application: ProvenApplication,
  context: Context,
): Promise<void> {
  const { isJob, tokens } = items;
  const isCommand = receiver.kind === "command";
  const lines = isJob
    ? openResetLines(receiver, context)
    : openSingleLine<ResetRow>(receiver, resetPresentation, context);
  const job = await startJob<NewToken>(context, items.options, {
    ...createResetPlan(items, application),
    receiver: receiver.description,
    redelivers: !isCommand,
    // Commands run in parallel; a file or standard output gets the values with the report, in order.
    deliver: isCommand
      ? (item, result) => lines.deliver(rowFor({ item, state: "done", result }))
      : "in order",
    keptFirst: true,
  });
  const rowFor: RowFor = (outcome) => {
    // From now on, the new token is redacted everywhere except in results.
    if (outcome.state === "done") context.redactor.add(outcome.result.token);
    return outcomeRow(outcome, isLost(outcome.item), context);
  };
  /** A reset of an earlier run that got no response took effect if the old token is gone. */
  const lost = new Set(tokens.filter((token) => job.earlierState(token) === "sent"));
  const isLost = (item: string): boolean => lost.has(item);
  const delivery = createDelivery(job, lines, rowFor, receiver, context);
  const tally = createTally(job, "reset", false);
  let delivered = 0;
  let lostCount = 0;

  await reportJob(context, job, {
    total: tokens.length,
    mustRepeat: isLost,
    maxOutcomes: Math.min(lines.maxRows, context.options.concurrency),
    async addOutcomes(outcomes) {
      const failure = await delivery.add(outcomes);
      for (const outcome of outcomes) {
        if (outcome.state === "gone" && isLost(outcome.item)) lostCount += 1;
        if (outcome.state === "gone") tally.count(outcome, isLost(outcome.item) ? "lost" : undefined);
        // The new token stays in the journal.
        else if (outcome.state === "done" && failure !== null)
          tally.count({ item: outcome.item, state: "failed", failure });
        else tally.count(outcome);
        if (outcome.state === "done" && failure === null) delivered += 1;
      }
    },
    end: () => delivery.end(),
    failureOf(ending) {
      if (tally.openCount() === 0 && isJob) noteTotals(context, tally);
      if (tally.goneCount() > 0 && tally.goneCount() === tokens.length)
        return new Failure(
          "not-found",
          `verified: ${noneInWords(tokens.length)} an active token of the application`,
        );
      const failure = tally.failure(ending);
      if (lostCount > 0)
        return failure?.with({ hint: "Create new tokens to replace the lost ones." }) ?? null;
      return isJob || failure?.kind !== "undelivered"
        ? failure
        : failure.with({
            hint: `Run \`${commandLine("recover", "show", job.id, ...receiver.flags)}\` to get the token.`,
          });
    },
  });
  if (!isJob && delivered > 0 && receiver.place !== null && context.stdout.isTerminal)
    context.notices.note(
      `reset the token ending in ${lastEight(tokens[0] ?? "")}; its new value ${receiver.place}`,
    );
}

type RowFor = (outcome: Reported<NewToken>) => ResetRow;

/**
 * Reports outcomes, and delivers the new tokens in them, until a delivery fails. Then the job stops: requests in flight
 * are finished, and their tokens stay in the journal.
 */
function createDelivery(
  job: JournalledJob<NewToken>,
  lines: ValueLines<ResetRow>,
  rowFor: RowFor,
  receiver: ValueReceiver,
  context: Context,
) {
  const isListed = listsUntried(context);
  let failure = null as Failure | null;
  /** A command has the token already. */
  const reportedRow: RowFor = (outcome) =>
    receiver.kind === "command" ? withoutValue(rowFor(outcome)) : rowFor(outcome);
  return {
    /** Resolves with null if these tokens are delivered; otherwise with the failure of this or an earlier delivery. */
    async add(outcomes: readonly Reported<NewToken>[]): Promise<Failure | null> {
      if (failure !== null) return failure;
      try {
        const shown = outcomes.filter(({ state }) => state !== "not-tried" || isListed);
        await lines.report(shown.map(reportedRow));
        for (const { item, state } of outcomes) if (state === "done") job.finish(item);
      } catch (error) {
        if (!isFailure(error)) throw error;
        job.stop();
        failure = error;
      }
      return failure;
    },
    async end(): Promise<void> {
      if (failure === null) await lines.end();
    },
  };
}

function createResetPlan(
  { tokens, last, unsent }: TokensToReset,
  { check, service, clientId, absence }: ProvenApplication,
): JobPlan<NewToken> {
  const claims = createClaims();
  return {
    operation: "reset",
    requester: clientId,
    items: tokens,
    absence,
    last,
    describe: (token) => ({ last_eight: lastEight(token) }),
    async act(token, { intent, earlierEntry, record }) {
      const failure = unsent.get(token);
      if (failure !== undefined) throw failure;
      if (earlierEntry !== undefined) {
        const made = await readNewToken(earlierEntry.body, checkResetToken(clientId, token));
        if (earlierEntry.is_unfit === true)
          throw new Failure(
            "unknown",
            "an earlier run got the token of another item for it, which is kept and not delivered",
          );
        if (made !== null) return claims.claim(token, made, record);
        await check(token);
      }
      return claims.claim(token, await resetToken(service, clientId, token, intent), record);
    },
  };
}

function openResetLines(receiver: ValueReceiver, context: Context): ValueLines<ResetRow> {
  const openReport = (): ListWriter<ResetRow> => context.printer.openList(reportPresentation);
  return openValueLines<ResetRow>(
    receiver,
    { presentation: resetPresentation, plainLine, openReport },
    context,
  );
}

const plainLine = (row: ResetRow): string => `${toJson(row, 0)}\n`;

/** For tokens that go to a file or a command. */
const reportPresentation: Presentation<ResetRow> = {
  ...resetPresentation,
  columns: [
    column("STATUS", "status", { minimum: 12 }),
    column("LAST EIGHT", "token_last_eight_before", { isWhole: true }),
  ],
};

function outcomeRow(outcome: Reported<NewToken>, isLost: boolean, context: Context): ResetRow {
  if (outcome.state === "done") return resetRow(outcome.item, outcome.result);
  if (outcome.state === "gone" && isLost) return emptyResetRow(outcome.item, "lost", lostReason);
  const { status, reason } = openStatus(outcome, context);
  return emptyResetRow(outcome.item, status, reason);
}

const lostReason = "the reset of an earlier run took effect, and its new value never arrived";

/** The row of a token that has no new value. */
export function emptyResetRow(token: string, status: string, reason: string | null): ResetRow {
  return {
    token_last_eight_before: lastEight(token),
    token_last_eight: null,
    id: null,
    login: null,
    token: null,
    status,
    reason,
  };
}

function resetRow(token: string, made: NewToken): ResetRow {
  return {
    token_last_eight_before: lastEight(token),
    token_last_eight: made.token === "" ? null : lastEight(made.token),
    id: made.id,
    login: "user" in made ? (made.user?.login ?? null) : null,
    token: made.token,
    status: "reset",
    reason: null,
  };
}

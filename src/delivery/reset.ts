// Resets tokens as a job. Each new token is on disk before it is written anywhere else, and its item is finished only
// when the receiver has accepted it. A reset cannot be repeated blindly, because the server shows the new token once:
//
//   the response                       what happens
//   arrived                            the token is delivered; if that fails, the journal keeps it for --resume
//   never arrived                      at the end of the job, with proven credentials, the old token is checked:
//                                      active: not reset, so --resume sends it again; not found: the new token is lost
//   kept by an earlier run             it is delivered if it fits the request, and no other item has its token
import { checkResetToken } from "../api/match-response.ts";
import { Failure, type FailureDetails, isFailure } from "../errors/errors.ts";
import { isFound, isItemNotFound } from "../errors/not-found.ts";
import type { Intent } from "../http/request.ts";
import type { Service } from "../http/service.ts";
import { type JobPlan, type JournalledJob, startJob } from "../jobs/job.ts";
import { type ProvenApplication, type VerifiedAction, createProof } from "../jobs/proof.ts";
import { listsUntried, reportJob } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { type Outcome, isNotFound, readWaits, runItems } from "../jobs/run-items.ts";
import { createTally, noteTotals, openStatus } from "../jobs/tally.ts";
import { extractTokenFromBody } from "../journal/kept-values.ts";
import { toJson } from "../json/exact-json.ts";
import type { ListWriter } from "../printing/list-writers.ts";
import { type ResetRow, resetPresentation } from "../printing/tokens.ts";
import { column, type Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token-value.ts";
import { type NewToken, createClaims, readNewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { type ValueLines, openValueLines, withoutValue } from "./value-lines.ts";
import type { JobOptions } from "../jobs/job-options.ts";

interface TokensToReset {
  readonly tokens: readonly string[];
  readonly options: JobOptions;
}

type ResettingApplication = ProvenApplication & {
  readonly sure: VerifiedAction<Intent, NewToken>;
};

/**
 * Resets the tokens, delivers the new ones and reports every outcome. Throws the job's failure at the end, and an
 * undelivered failure if the receiver did not accept a token.
 */
export async function resetMany(
  items: TokensToReset,
  receiver: ValueReceiver,
  application: ResettingApplication,
  context: Context,
): Promise<void> {
  const lines = openResetLines(receiver, context);
  const rowFor: RowFor = (outcome) => {
    // From now on, the new token is redacted everywhere except in results.
    if (outcome.state === "done") context.redactor.add(outcome.result.token);
    return outcomeRow(outcome, application.proof.isProven(), context);
  };
  const job = await startJob<NewToken>(context, items.options, {
    ...createResetPlan(items.tokens, application),
    ...receiverPlan(receiver, context, (item, result) =>
      lines.deliver(rowFor({ item, state: "done", result })),
    ),
  });
  const delivery = createDelivery(job, lines, rowFor, receiver, context);
  const tally = createTally(job.finishedBefore, "reset");
  /** Counted at the end, because the output file may still be lost. */
  const delivered: Extract<Outcome<string, NewToken>, { readonly state: "done" }>[] = [];
  /** Got no response; counted at the end, after their old tokens were checked. */
  const unanswered: Unanswered[] = [];
  let lost = 0;

  await reportJob(context, job, {
    total: items.tokens.length,
    maxOutcomes: Math.min(lines.maxRows, context.options.concurrency),
    async addOutcomes(outcomes) {
      const failure = await delivery.add(outcomes);
      for (const outcome of outcomes) {
        if (outcome.state === "failed" && outcome.failure.kind === "unknown") unanswered.push(outcome);
        else if (outcome.state !== "done") tally.count(outcome);
        else if (failure === null) delivered.push(outcome);
        // The new token stays in the journal.
        else tally.count({ item: outcome.item, state: "failed", failure });
      }
    },
    async end() {
      const failure = await delivery.end();
      for (const outcome of delivered) {
        if (failure !== null) job.unfinish(outcome.item);
        tally.count(failure === null ? outcome : { item: outcome.item, state: "failed", failure });
      }
      const settled = await settleUnanswered(unanswered, job, application.check, context);
      for (const outcome of settled) tally.count(outcome);
      lost = unanswered.filter(({ item }) => job.latestEntry(item)?.isLost === true).length;
    },
    isOver: () => tally.isOver(job.isProven()),
    failureOf(reached) {
      if (tally.openCount() === 0) noteTotals(context, tally);
      const ending = { ...reached, isProven: job.isProven() };
      const forget = commandLine("recover", "forget", job.id);
      return tally.failure(
        lost > 0 && lost === tally.openCount()
          ? { ...ending, hint: `Create new tokens to replace the lost ones, then run \`${forget}\`.` }
          : ending,
      );
    },
  });
}

type RowFor = (outcome: Outcome<string, NewToken>) => ResetRow;

/**
 * The part of the job's plan that depends on the receiver. A command gets each token at once with `deliver`, in
 * parallel; tokens that it rejects stay in the journal. A file or standard output gets the tokens with the report.
 */
function receiverPlan(
  receiver: ValueReceiver,
  { host }: Context,
  deliver: (item: string, made: NewToken) => Promise<void>,
): Pick<JobPlan<NewToken>, "outputFile" | "isRedirected" | "isMissing" | "deliver" | "keptFirst"> {
  const isCommand = receiver.kind === "command";
  const isRedirected = receiver.kind === "standard output" && host.stdout.isFile;
  // A shell's `>` truncates the file of the previous run, and a file may have been deleted.
  const isMissing = async (body: string): Promise<boolean> => {
    const value = extractTokenFromBody(body);
    return value !== null && (await receiver.has(value)) === false;
  };
  return {
    outputFile: receiver.identity ?? undefined,
    isRedirected,
    isMissing: receiver.kind === "file" || isRedirected ? isMissing : undefined,
    deliver: isCommand ? deliver : "in order",
    keptFirst: isCommand,
  };
}

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
    async add(outcomes: readonly Outcome<string, NewToken>[]): Promise<Failure | null> {
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
    /** Resolves with the failure if even the delivered tokens are lost, in a file that was deleted or replaced. */
    async end(): Promise<Failure | null> {
      if (failure === null) await lines.end();
      return failure !== null && !(await receiver.isIntact()) ? failure : null;
    },
  };
}

function createResetPlan(
  tokens: readonly string[],
  { check, clientId, proof, sure }: ResettingApplication,
): JobPlan<NewToken> {
  const claims = createClaims();
  return {
    operation: "reset",
    requester: clientId,
    items: tokens,
    proof,
    vet: (token) => check(token).then(() => true),
    lastEightOf: lastEight,
    confirm: sure.confirm,
    async act(token, { intent, earlierEntry, record }) {
      if (earlierEntry !== undefined) {
        const made = await readNewToken(earlierEntry.body, checkResetToken(clientId, token));
        if (earlierEntry.isUnfit === true)
          throw new Failure(
            "unknown",
            "an earlier run got the token of another item for it, which is kept and not delivered",
          );
        if (made !== null) return claims.claim(token, made, record);
        const isSent = earlierEntry.state !== "planned";
        if (earlierEntry.isLost === true) throw lostResetFailure(token, isSent);
        await checkStillActive(token, check, isSent);
      }
      return claims.claim(token, await sure.act(token, intent), record);
    },
  };
}

type Unanswered = Extract<Outcome<string, unknown>, { readonly state: "failed" }>;

/**
 * Determines the results of resets without a response, and resolves with their outcomes. Checks each old token, except
 * those that an earlier run found to be lost, and records in the journal which new tokens are lost. Does nothing after
 * a signal, nor with unproven credentials, whose "not found" proves nothing.
 */
async function settleUnanswered(
  unanswered: readonly Unanswered[],
  job: JournalledJob<unknown>,
  check: ProvenApplication["check"],
  context: Context,
): Promise<readonly Unanswered[]> {
  if (!job.isProven() || job.isStopped()) return unanswered;
  // A response that was cut off may still hold the token: then --resume delivers it.
  const hasValue = ({ item }: Unanswered): boolean =>
    extractTokenFromBody(job.latestEntry(item)?.body) !== null;
  const { outcomes } = runItems(
    unanswered.filter((outcome) => !hasValue(outcome)),
    {
      concurrency: context.options.concurrency,
      waits: readWaits(context, unanswered),
      // Without `vet`, it is not consulted.
      proof: createProof(),
      vet: null,
      isStopped: () => job.isStopped(),
    },
    // Resets of an earlier run were checked when this run resumed them, and their tokens were not found.
    async ({ item, failure }) =>
      failure.details.isFromEarlierRun === true ? false : check(item).then(() => true),
  );
  const settled = unanswered.filter(hasValue);
  for await (const checked of outcomes) settled.push(settleReset(checked, job));
  return settled;
}

function settleReset(checked: Outcome<Unanswered, boolean>, job: JournalledJob<unknown>): Unanswered {
  const { item, failure } = checked.item;
  const isGone = checked.state === "done" ? !checked.result : isNotFound(checked);
  if (isGone) {
    const isSent = job.latestEntry(item)?.state !== "planned";
    job.recordLookup(item, { isLost: true });
    return { item, state: "failed", failure: lostResetFailure(item, isSent, failure.details) };
  }
  if (checked.state !== "done") return checked.item;
  const known = `${failure.marked}; ${notReset}`;
  return { item, state: "failed", failure: new Failure("unknown", known, failure.details) };
}

/** The conclusion if the old token is still active. */
const notReset = "the old token is still active, so the reset did not take effect";

/**
 * Checks the old token, and resolves with a clause that reports whether the reset took effect. Throws failures other
 * than "not found".
 */
export async function describeOutcome(service: Service, clientId: string, token: string): Promise<string> {
  const { checkToken } = await import("../api/tokens.ts");
  return (await isFound(checkToken(service, clientId, token)))
    ? notReset
    : "the server does not find the old token now: the reset took effect, or the credentials are wrong";
}

/**
 * The failure of a reset that took effect but whose new token never arrived: proven credentials do not find the old
 * one. `isSent` is false if a power cut may have lost the record that the request was sent.
 */
function lostResetFailure(token: string, isSent: boolean, details: FailureDetails = {}): Failure {
  const subject = `the reset of the token ending in ${lastEight(token)}`;
  return new Failure(
    "unknown",
    isSent
      ? `${subject} got no response; it took effect, and its new value is lost`
      : `${subject} took effect before a power cut, and its new value is lost; or the token was already revoked`,
    details,
  );
}

/** The failure if the old token is not found, but the credentials are unproven. */
function unprovenResetFailure(token: string, isSent: boolean, details: FailureDetails): Failure {
  const subject = `the reset of the token ending in ${lastEight(token)}`;
  return new Failure(
    "unknown",
    isSent
      ? `${subject} got no response, and the server does not find the old token now: the reset took effect, or the credentials are wrong`
      : `${subject} took effect before a power cut, or the token was already revoked, or the credentials are wrong: the server does not find it`,
    details,
  );
}

/** An earlier run sent this reset and got no response: it may be sent again only if the old token still works. */
async function checkStillActive(
  token: string,
  check: ProvenApplication["check"],
  isSent: boolean,
): Promise<void> {
  try {
    await check(token);
  } catch (error) {
    if (!isItemNotFound(error)) throw error;
    throw unprovenResetFailure(token, isSent, error.details);
  }
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

function outcomeRow(outcome: Outcome<string, NewToken>, isProven: boolean, context: Context): ResetRow {
  if (outcome.state === "done") return resetRow(outcome.item, outcome.result);
  const { status, reason } = openStatus(outcome, isProven, context);
  return emptyResetRow(outcome.item, status, reason);
}

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

export function resetRow(token: string, made: NewToken): ResetRow {
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

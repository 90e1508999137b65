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
import { type Proven, type VerifiedAction, createProof } from "../jobs/proof.ts";
import { listsUntried, reportJob } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { type Outcome, isNotFound, jobWaits, readLimits, runItems } from "../jobs/run-items.ts";
import { createTally, failedStatus, noteTotals } from "../jobs/tally.ts";
import { extractTokenFromBody } from "../journal/kept-values.ts";
import { toJson } from "../json/exact-json.ts";
import { pickFields } from "../printing/fields.ts";
import type { ListWriter } from "../printing/list-writers.ts";
import { type ItemRow, type ResetRow, itemPresentation, resetPresentation } from "../printing/tokens.ts";
import type { Placed, Places } from "../reports/sources.ts";
import type { ApplicationService } from "../run/server-access.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token-value.ts";
import { type NewToken, createClaims, readNewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { type ValueLines, openValueLines, withoutValue } from "./value-lines.ts";
import type { JobOptions } from "../jobs/job-options.ts";

/** The tokens to reset, with their places in a report. */
interface TokensToReset extends Places {
  readonly tokens: readonly string[];
  readonly jobOptions: JobOptions;
}

/** The application's service, and the reset of one of its tokens. */
type ResettingService = Proven<ApplicationService> & {
  readonly sure: VerifiedAction<[Intent], NewToken>;
};

/**
 * Resets the tokens, delivers the new ones and reports every outcome. Throws the job's failure at the end, and an
 * undelivered failure if the receiver did not accept a token.
 */
export async function resetMany(
  items: TokensToReset,
  receiver: ValueReceiver,
  proven: ResettingService,
  context: Context,
): Promise<void> {
  const { checkToken } = await import("../api/tokens.ts");
  const lines = openResetLines(items, receiver, context);
  const rowFor: RowFor = (outcome, isProven) => {
    // From now on, the new token is redacted everywhere except in results.
    if (outcome.state === "done") context.redactor.add(outcome.result.token);
    return { ...outcomeRow(outcome, isProven), ...items.sourcesOf(outcome.item) };
  };
  // A command gets each token at once, in parallel; tokens that it rejects stay in the journal. A file or standard
  // output gets the tokens with the report.
  const isDeliveredAtOnce = receiver.kind === "command";
  const deliver = async (item: string, result: NewToken): Promise<void> => {
    await lines.deliver(rowFor({ item, state: "done", result }, true));
  };
  const lostBefore = new Set<string>();
  const job = await startJob<NewToken>(context, items.jobOptions, {
    ...(await createResetPlan(items.tokens, proven, lostBefore)),
    outputFile: receiver.identity ?? undefined,
    isRedirected: receiver.kind === "standard output" && context.host.stdout.isFile,
    // A shell's `>` truncates the file of the previous run, and a file may have been deleted.
    isMissing:
      receiver.kind === "file" || (receiver.kind === "standard output" && context.host.stdout.isFile)
        ? async (body) => {
            const value = extractTokenFromBody(body);
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
  /** The failure after which nothing more is delivered; null until then. */
  let deliveryFailure = null as Failure | null;
  /** Reported with their new tokens; counted at the end, because the output file may still be lost. */
  const delivered: Done[] = [];
  /** Got no response; counted at the end, after their old tokens were checked. */
  const unanswered: Unanswered[] = [];
  let lost = 0;

  const deliverAll = async (outcomes: readonly Outcome<string, NewToken>[]): Promise<void> => {
    const isProven = job.isProven();
    const shown = outcomes.filter(({ state }) => state !== "not-tried" || isListed);
    await lines.report(shown.map((outcome) => reportedRow(outcome, isProven)));
    const done = outcomes.filter(isDone);
    for (const { item } of done) job.finish(item);
    delivered.push(...done);
  };

  await reportJob(context, job, {
    total: items.tokens.length,
    maxOutcomes: Math.min(lines.maxRows, context.options.concurrency),
    async addOutcomes(outcomes) {
      if (deliveryFailure === null) {
        try {
          await deliverAll(outcomes);
        } catch (error) {
          if (!isFailure(error)) throw error;
          // Requests in flight are finished and their tokens kept; no more are started.
          job.stop();
          deliveryFailure = error;
        }
      }
      for (const outcome of outcomes) {
        if (outcome.state === "failed" && outcome.failure.kind === "unknown") unanswered.push(outcome);
        else if (outcome.state !== "done") tally.count(outcome);
        // The new token is in the journal, but delivery had already stopped.
        else if (deliveryFailure !== null)
          tally.count({ item: outcome.item, state: "failed", failure: deliveryFailure });
      }
    },
    async end() {
      if (deliveryFailure === null) await lines.end();
      // Tokens in a file that was deleted or replaced no longer count as delivered.
      const gone = deliveryFailure !== null && !(await receiver.isIntact()) ? deliveryFailure : null;
      for (const outcome of delivered) {
        if (gone !== null) job.unfinish(outcome.item);
        tally.count(gone === null ? outcome : { item: outcome.item, state: "failed", failure: gone });
      }
      const settled = await settleWithoutResponse(
        unanswered.map((outcome) => ({ outcome, isLost: lostBefore.has(outcome.item) })),
        job,
        (token) => checkToken(proven.service, proven.clientId, token),
        context,
      );
      for (const { outcome } of settled) tally.count(outcome);
      lost = settled.filter(({ isLost }) => isLost).length;
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

type RowFor = (outcome: Outcome<string, NewToken>, isProven: boolean) => PlacedRow;

/** The plan of the job. Adds to `lostBefore` the tokens whose new values an earlier run found to be lost. */
async function createResetPlan(
  tokens: readonly string[],
  { service, clientId, proof, sure }: ResettingService,
  lostBefore: Set<string>,
): Promise<JobPlan<NewToken>> {
  const { checkToken } = await import("../api/tokens.ts");
  const claims = createClaims();
  return {
    operation: "reset",
    requester: clientId,
    items: tokens,
    proof,
    vet: (token) => checkToken(service, clientId, token).then(() => true),
    lastEightOf: lastEight,
    confirm: sure.confirm,
    async act(token, { intent, earlierEntry, record }) {
      if (earlierEntry !== undefined) {
        const made = await readNewToken(earlierEntry.body, checkResetToken(clientId, token));
        if (earlierEntry.isUnfit === true) throw unfitFailure();
        if (made !== null) return claims.claim(token, made, record);
        if (earlierEntry.isLost === true) {
          lostBefore.add(token);
          throw lostResetFailure(token, earlierEntry.state !== "planned");
        }
        await checkStillActive(service, clientId, token, earlierEntry.state !== "planned");
      }
      return claims.claim(token, await sure.act(token, intent), record);
    },
  };
}

function unfitFailure(): Failure {
  return new Failure(
    "unknown",
    "an earlier run got the token of another item for it, which is kept and not delivered",
  );
}

type Done = Extract<Outcome<string, NewToken>, { readonly state: "done" }>;

function isDone(outcome: Outcome<string, NewToken>): outcome is Done {
  return outcome.state === "done";
}

type Unanswered = Extract<Outcome<string, unknown>, { readonly state: "failed" }>;

interface SettledReset {
  /** The item's outcome; after the check, its failure includes the result. */
  readonly outcome: Unanswered;
  /** True if the reset took effect: the new token is lost, and another one must be created. */
  readonly isLost: boolean;
}

/**
 * Determines the results of resets without a response. Checks each old token, except those that an earlier run found to
 * be lost, and records in the journal which new tokens are lost. Does nothing after a signal, nor with unproven
 * credentials, whose "not found" proves nothing.
 */
async function settleWithoutResponse(
  unanswered: readonly SettledReset[],
  job: JournalledJob<unknown>,
  check: (token: string) => Promise<unknown>,
  context: Context,
): Promise<readonly SettledReset[]> {
  // A response that was cut off may still hold the token: then --resume delivers it.
  const hasValue = ({ outcome }: SettledReset): boolean =>
    extractTokenFromBody(job.latestEntry(outcome.item)?.body ?? "") !== null;
  if (!job.isProven() || job.isStopped()) return unanswered;
  const proof = createProof();
  proof.markProven();
  const { outcomes } = runItems(
    unanswered.filter((each) => !hasValue(each)).map(({ outcome }) => outcome),
    {
      concurrency: context.options.concurrency,
      waits: jobWaits(context, readLimits(unanswered)),
      proof,
      vet: null,
      isStopped: () => job.isStopped(),
    },
    // Resets of an earlier run were checked when this run resumed them, and their tokens were not found.
    async ({ item, failure }) =>
      failure.details.isFromEarlierRun === true ? false : check(item).then(() => true),
  );
  const settled = unanswered.filter(hasValue);
  const isSent = (item: string): boolean => job.latestEntry(item)?.state !== "planned";
  for await (const checked of outcomes) settled.push(settleReset(checked, isSent));
  for (const { outcome, isLost } of settled) if (isLost) job.recordLookup(outcome.item, { isLost: true });
  return settled;
}

function settleReset(checked: Outcome<Unanswered, boolean>, isSent: (item: string) => boolean): SettledReset {
  const { item, failure } = checked.item;
  const isGone = checked.state === "done" ? !checked.result : isNotFound(checked);
  if (isGone) {
    const lost = lostResetFailure(item, isSent(item), failure.details);
    return { outcome: { item, state: "failed", failure: lost }, isLost: true };
  }
  if (checked.state !== "done") return { outcome: checked.item, isLost: false };
  const known = `${failure.marked}; ${notReset}`;
  return {
    outcome: { item, state: "failed", failure: new Failure("unknown", known, failure.details) },
    isLost: false,
  };
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
  service: Service,
  clientId: string,
  token: string,
  isSent: boolean,
): Promise<void> {
  const { checkToken } = await import("../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
  } catch (error) {
    if (!isItemNotFound(error)) throw error;
    throw unprovenResetFailure(token, isSent, error.details);
  }
}

/** The default fields of a line when several tokens are reset. */
const plainFields = ["token_last_eight_before", "id", "token", "status"];

/** A row with its token's places in a report. */
type PlacedRow = Placed<ResetRow>;

/** Opens the output for the new tokens and for the report on each reset. */
function openResetLines(
  { placed }: Places,
  receiver: ValueReceiver,
  context: Context,
): ValueLines<PlacedRow> {
  const presentation = placed(resetPresentation);
  const { printer, options } = context;
  // If the tokens go to a file, the report is short. If they go to a command, JSON has every field except the tokens.
  // Fields requested with --json are those of the full rows, not of the short report.
  const hasRows = receiver.kind === "command" && printer.isJson;
  const openReport = (): ListWriter<PlacedRow> => {
    if (hasRows || typeof options.json === "string") return printer.openList(presentation);
    const report = printer.openList(placed(itemPresentation([])));
    return { add: (rows) => report.add(rows.map(toItemRow)), end: () => report.end() };
  };
  return openValueLines<PlacedRow>(receiver, { presentation, plainLine, openReport }, context);
}

function toItemRow({ status, token_last_eight_before, ...row }: PlacedRow): ItemRow {
  return { status, token_last_eight: token_last_eight_before, ...pickSources(row) };
}

/** The places of a token in its input, if the row has them. */
function pickSources({ sources, sources_omitted }: Placed<object>): Placed<object> {
  return {
    ...(sources === undefined ? {} : { sources }),
    ...(sources_omitted === undefined ? {} : { sources_omitted }),
  };
}

function plainLine(row: PlacedRow): string {
  return `${toJson({ ...pickFields(row, plainFields), ...pickSources(row) }, 0)}\n`;
}

/** An outcome's row. `isProven`: the credentials are proven, so "not found" is about the token. */
function outcomeRow(outcome: Outcome<string, NewToken>, isProven: boolean): ResetRow {
  if (outcome.state === "done") return resetRow(outcome.item, outcome.result);
  return {
    token_last_eight_before: lastEight(outcome.item),
    id: null,
    token: null,
    status: outcome.state === "failed" ? failedStatus(outcome.failure, isProven) : outcome.state,
  };
}

export function resetRow(token: string, authorization: NewToken): ResetRow {
  return { token_last_eight_before: lastEight(token), ...authorization, status: "reset" };
}

// Rotates authorizations as a job, even a single one: the journal has the state of each (rotation.ts), so that --resume
// continues after any step. Several rotations run in parallel, each with a row in the report. A single one prints only
// its new token, as `authorization create` does.
import { getAuthorization, listAuthorizations } from "../api/authorizations.ts";
import type { Id } from "../api/resources.ts";
import { Failure, type FailureKind } from "../errors/errors.ts";
import type { Ending } from "../jobs/ending.ts";
import { extractTokenFromBody } from "../jobs/intent.ts";
import { type JournalledJob, startJob } from "../jobs/job.ts";
import { accountAbsence } from "../jobs/proof.ts";
import { listsUntried, reportJob, stoppedFailure } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { createTally, noteTotals, openStatus, type Reported } from "../jobs/tally.ts";
import { parseJson, toJson } from "../json/exact-json.ts";
import { pickFields } from "../printing/fields.ts";
import type { ListWriter } from "../printing/list-writers.ts";
import { column, type FieldOf, type Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import { createClaims } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { describeInterruption, type Rotated, type RotationTools, rotateOne } from "./rotation.ts";
import { type ValueLines, openSingleLine, openValueLines, withoutValue } from "./value-lines.ts";
import type { JobOptions } from "../jobs/job-options.ts";
import { lastEight } from "../token-value.ts";

export interface RotateOptions extends JobOptions {
  readonly keepOld?: true;
}

/** Rotates the authorizations with these IDs. Throws the single item's failure, or the job's. */
export async function rotateItems(
  ids: readonly string[],
  options: RotateOptions,
  receiver: ValueReceiver,
  context: Context,
): Promise<void> {
  const isJob = ids.length > 1;
  const keepsOld = options.keepOld === true;
  const lines = openLines(isJob || context.printer.printsRows, receiver, context);
  const job = await startRotations(ids, options, receiver, lines, context);

  /** In a job, a report line that cannot be written stops nothing, because the exit code shows the result. */
  const ignoreInJob = (error: unknown): void => {
    if (!isJob) throw error;
  };
  const tally = createTally(job, "rotated", false);
  let failure = null as Failure | null;
  await reportJob(context, job, {
    total: ids.length,
    async addOutcomes(outcomes) {
      for (const plain of outcomes) {
        const outcome = plain.state === "failed" ? { ...plain, failure: explainFailure(plain, job) } : plain;
        tally.count(outcome);
        if (outcome.state === "failed" || outcome.state === "unproven") failure ??= outcome.failure;
        if (outcome.state === "done" && !isJob)
          noteReplacement(outcome, { keepsOld, place: receiver.place }, context);
        if (outcome.state !== "not-tried" || listsUntried(context))
          await lines.report([outcomeRow(outcome, context)]).catch(ignoreInJob);
      }
    },
    end: () => lines.end().catch(ignoreInJob),
    failureOf(ending) {
      if (isJob && tally.openCount() === 0) noteTotals(context, tally);
      const [id] = ids;
      if (!isJob && tally.goneCount() > 0)
        return new Failure("not-found", `verified: authorization ${id ?? ""} does not exist`);
      if (isJob) return tally.failure(ending);
      if (failure === null && tally.openCount() > 0) return stoppedFailure(ending);
      // A token that was already delivered is not offered again.
      const isShown = job.latestEntry(ids[0] ?? "")?.step === undefined;
      const show = isShown ? commandLine("recover", "show", job.id, ...receiver.flags) : null;
      return withResumeHint(failure, ending, show);
    },
  });
}

/** Starts the job, whose rotations deliver their new tokens with `lines` as soon as they have them. */
async function startRotations(
  ids: readonly string[],
  options: RotateOptions,
  receiver: ValueReceiver,
  lines: ValueLines<RotationRow>,
  context: Context,
): Promise<JournalledJob<Rotated>> {
  const { service, username } = await context.server.accountService();
  const keepsOld = options.keepOld === true;
  const shared = { context, service, keepsOld, cached: new Map(), claims: createClaims(ids) };
  const warn = warnOnce(context);
  const toolsFor = (id: string): RotationTools => ({
    ...shared,
    warn,
    // A command keeps what it took; a file or standard output gets all values again.
    givesAgain: receiver.kind !== "command",
    deliver: (successor, old) => lines.deliver(tokenRow(id, { successor, old })),
  });
  return startJob(context, options, {
    operation: "rotate",
    requester: username,
    items: ids,
    absence: accountAbsence(
      service,
      ids,
      { name: "authorization", list: listAuthorizations, read: getAuthorization },
      context,
    ),
    keptFirst: true,
    receiver: receiver.description,
    redelivers: receiver.kind !== "command",
    act: (id, attempt) => rotateOne(id, attempt, toolsFor(id)),
  });
}

/** Prints each warning once: after a rate limit wait, an item starts over and would warn again. */
function warnOnce({ notices }: Context): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    if (!warned.has(line)) notices.warn(line);
    warned.add(line);
  };
}

function openLines(isListed: boolean, receiver: ValueReceiver, context: Context): ValueLines<RotationRow> {
  if (!isListed) return openSingleLine(receiver, rotationPresentation, context);
  const openReport = (): ListWriter<RotationRow> => context.printer.openList(rotationPresentation);
  const plainLine = (row: RotationRow): string =>
    `${toJson(pickFields(row, rotationPresentation.fields), 0)}\n`;
  return openValueLines(receiver, { presentation: valuePresentation, plainLine, openReport }, context);
}

/** Adds to a failure after the creation which tokens exist now. */
function explainFailure(
  { item, failure }: { readonly item: string; readonly failure: Failure },
  job: JournalledJob<Rotated>,
): Failure {
  const entry = job.latestEntry(item);
  if (entry?.state !== "answered" || failure.kind === "internal") return failure;
  if (failure.kind === "undelivered") {
    // Once the new one was proven, an earlier run may have deleted the old one.
    if (entry.step === "proven" || entry.step === "gone") return failure;
    return failure.with({}, `${failure.message}; the old token is still active`);
  }
  const isUnknown = failure.kind === "unknown" && entry.step === undefined;
  // The failure already reports that the kept response contains no token.
  if (isUnknown && extractTokenFromBody(entry.body) === null) return failure;
  const left = describeInterruption(item, entry.step);
  const kind = failure.kind === "unknown" ? "unknown" : "incomplete";
  return new Failure(kind, `${left}: ${failure.message}`, failure.details);
}

/** Adds the command that completes the remaining steps, and the one that only shows the new token. */
function withResumeHint(failure: Failure | null, { hint }: Ending, show: string | null): Failure | null {
  if (failure === null || hint === null || !resumableKinds.includes(failure.kind)) return failure;
  const isShown = failure.kind === "undelivered" && show !== null;
  return failure.with({ hint: isShown ? `${hint} To get only the new token, run \`${show}\`.` : hint });
}

const resumableKinds: readonly FailureKind[] = ["undelivered", "unknown", "incomplete"];

function noteReplacement(
  { item: id, result: { successor } }: { readonly item: string; readonly result: Rotated },
  { keepsOld, place }: { readonly keepsOld: boolean; readonly place: string | null },
  { notices, stdout }: Context,
): void {
  const madeId = successor.id === null ? "" : toJson(successor.id, 0);
  const where = place === null ? "" : `; the new token ${place}`;
  if (keepsOld) {
    notices.note(
      `Authorizations ${id} and ${madeId} are both active${where}. Run \`grantctl authorization delete ${id}\` to delete the old one.`,
    );
  } else if (stdout.isTerminal) notices.note(`authorization ${id} is replaced by ${madeId}${where}`);
}

/** With the value, this row is the report of a rotation whose old token is still to be deleted: a failure follows it. */
function tokenRow(id: string, { successor, old }: Rotated): RotationRow {
  const { token } = successor;
  return {
    ...emptyRow(id, "rotated", old.note),
    id: successor.id,
    token_last_eight: lastEight(token),
    token,
  };
}

function outcomeRow(outcome: Reported<Rotated>, context: Context): RotationRow {
  // The new token was delivered before the old one was deleted.
  if (outcome.state === "done") return withoutValue(tokenRow(outcome.item, outcome.result));
  const { status, reason } = openStatus(outcome, context);
  return { ...emptyRow(outcome.item, status), reason };
}

/** One authorization and its successor. */
interface RotationRow {
  readonly id_before: Id;
  readonly id: Id | null;
  readonly note: string | null;
  readonly token_last_eight: string | null;
  /** The new token; empty if it was delivered elsewhere, null if there is none. */
  readonly token: string | null;
  readonly status: string;
  /** Why it is not rotated; null if it is. */
  readonly reason: string | null;
}

/** For a report, while new tokens go to a file or a command. */
export const rotationPresentation: Presentation<RotationRow> = {
  fields: [
    "id_before",
    "id",
    "note",
    "token_last_eight",
    "token",
    "status",
    "reason",
  ] satisfies readonly FieldOf<RotationRow>[],
  columns: [column("STATUS", "status", { minimum: 12 }), column("ID", "id_before", { isWhole: true })],
};

/** For rows with their new tokens, which would otherwise be lost. */
const valuePresentation: Presentation<RotationRow> = {
  ...rotationPresentation,
  columns: [...rotationPresentation.columns, column("TOKEN", "token", { minimum: 40, isWhole: true })],
};

/** The row of an item for which no new token exists. */
export function emptyRow(idBefore: string, status: string, note: string | null = null): RotationRow {
  return {
    id_before: parseJson(idBefore) as Id,
    id: null,
    note,
    token_last_eight: null,
    token: null,
    status,
    reason: null,
  };
}

// Rotates authorizations as a job, even a single one: the journal has each step, so that --resume continues after any
// of them.
import { getAuthorization } from "../../api/authorizations.ts";
import { startJob, type JournalledJob, isJobOf, type JobOptions } from "../../jobs/job.ts";
import { withProof } from "../../jobs/proof.ts";
import type { Ending } from "../../jobs/ending.ts";
import { listsUntried, reportJob, stoppedBefore } from "../../jobs/report.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import type { Outcome } from "../../jobs/run-items.ts";
import { createTally, failedStatus, noteTotals } from "../../jobs/tally.ts";
import { Failure, type FailureKind } from "../../errors/errors.ts";
import { valueIn } from "../../journal/kept-values.ts";
import type { ListWriter } from "../../printing/list-writers.ts";
import type { Context } from "../../run/context.ts";
import { createClaims, newValueOf } from "../new-value.ts";
import { openOneLine, openValueLines, withoutValue, type ValueLines } from "../value-lines.ts";
import type { ValueReceiver } from "../value-receiver.ts";
import { rotateOne, type Rotated, type RotationTools } from "./rotate-one.ts";
import { emptyRow, plainLine, rotationPresentation, valuePresentation, type RotationRow } from "./rows.ts";

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
  const { service, username, proof } = withProof(await context.address.accountService());
  const isJob = isJobOf(ids, options);
  const keepsOld = options.keepOld === true;
  const lines = openLines(isJob, receiver, context);
  const warned = new Set<string>();
  const held: RotationTools["held"] = new Map();
  const claims = createClaims(ids);
  const deliveredNow = new Set<string>();
  const toolsFor = (id: string): RotationTools => ({
    service,
    withToken: (token) => context.address.tokenService(token),
    keepsOld,
    held,
    today: new Date(context.host.now()).toISOString().slice(0, 10),
    now: () => new Date(context.host.now()).toISOString(),
    claims,
    hide: (secret) => {
      context.redactor.add(secret);
    },
    warn: (line) => {
      // After a wait that the service asked for, an item starts again from its beginning, and would warn twice.
      if (!warned.has(line)) context.notices.warn(line);
      warned.add(line);
    },
    async deliver(made, old) {
      await lines.deliver(rowOf(id, "delivered", { made, old }));
      deliveredNow.add(id);
    },
    async mayBeDropped({ token }) {
      if (deliveredNow.has(id)) return false;
      const has = await receiver.has(token);
      // Nobody keeps the output of a single run that has failed: `TOKEN=$(…) || exit` drops it.
      return has === null ? !isJob && receiver.kind === "standard output" : !has;
    },
  });
  const job = await startJob<Rotated>(context, options, {
    operation: "rotate",
    requester: username,
    items: ids,
    proof,
    keepsOld,
    keptFirst: true,
    vet: (id) => getAuthorization(service, id).then(() => true),
    outputFile: receiver.identity ?? undefined,
    isRedirected: receiver.kind === "standard output" && context.host.stdout.isFile,
    act: (id, attempt) => rotateOne(id, attempt, toolsFor(id)),
  });

  /**
   * In a job of several, a report line that cannot be written stops nothing, because the exit code shows the result.
   */
  const unlessOne = (error: unknown): void => {
    if (!isJob) throw error;
  };
  const tally = createTally(job.finishedBefore);
  let failure = null as Failure | null;
  await reportJob(context, job, {
    total: ids.length,
    most: 1,
    async take(outcomes) {
      for (const outcome of outcomes.map((each) => explained(each, job))) {
        tally.count(outcome);
        if (outcome.state === "failed") failure ??= outcome.failure;
        if (outcome.state === "done" && !isJob) noteOne(outcome.item, outcome.result, keepsOld, context);
        if (outcome.state !== "not-tried" || listsUntried(context))
          await lines.report([rowOfOutcome(outcome, keepsOld, job.isProven())]).catch(unlessOne);
      }
    },
    end: () => lines.end().catch(unlessOne),
    failureOf(ending) {
      if (isJob && tally.open() === 0) noteTotals(context, tally);
      if (!isJob && failure === null && tally.open() > 0) return stoppedBefore(ending);
      if (isJob) return tally.failure({ ...ending, isProven: job.isProven() });
      // What was delivered once is not shown by itself.
      const isShown = job.latest(ids[0] ?? "")?.step === undefined;
      const show = isShown ? commandLine("recover", "show", job.id, ...receiver.words) : null;
      return withWayOn(failure, ending, show);
    },
  });
}

/** Opens the output for the new tokens and for the report on each rotation. */
function openLines(isJob: boolean, receiver: ValueReceiver, context: Context): ValueLines<RotationRow> {
  if (!isJob) return openOneLine(receiver, rotationPresentation, context);
  const openReport = (): ListWriter<RotationRow> => context.printer.openList(rotationPresentation);
  return openValueLines(receiver, { presentation: valuePresentation, plainLine, openReport }, context);
}

/** The outcome; a failure after the new token was created says which tokens exist now, and how to continue. */
function explained(outcome: Outcome<string, Rotated>, job: JournalledJob<Rotated>): Outcome<string, Rotated> {
  if (outcome.state !== "failed") return outcome;
  const { item, failure } = outcome;
  const entry = job.latest(item);
  if (entry?.state !== "answered" || failure.kind === "internal") return outcome;
  if (failure.kind === "undelivered") {
    // Once the new one was proven, an earlier run may have deleted the old one.
    if (entry.step === "proven" || entry.step === "gone") return outcome;
    return {
      item,
      state: "failed",
      failure: failure.with({}, `${failure.marked}; the old token is still active`),
    };
  }
  const isUnknown = failure.kind === "unknown" && entry.step === undefined;
  // The answer that was kept has no value in it, and the failure says so.
  if (isUnknown && valueIn(entry.body ?? "") === null) return outcome;
  const where = {
    none: `the token that replaces authorization ${item} is kept and not delivered yet; the old token is still active`,
    delivered: `the new token is delivered and could not be proven active, so authorization ${item} is still there`,
    proven: `the new token is delivered and works, and authorization ${item} could not be deleted`,
    gone: `the new token is delivered and works, authorization ${item} is gone, and its note could not be handed on`,
  }[entry.step ?? "none"];
  const kind = isUnknown ? "unknown" : "incomplete";
  return {
    item,
    state: "failed",
    failure: new Failure(kind, `${where}: ${failure.marked}`, failure.details),
  };
}

/** The failure with the command that does the remaining steps, and with the one that shows the new token alone. */
function withWayOn(failure: Failure | null, { hint }: Ending, show: string | null): Failure | null {
  if (failure === null || hint === null || !goesOn.includes(failure.kind)) return failure;
  const isShown = failure.kind === "undelivered" && show !== null;
  return failure.with({ hint: isShown ? `${hint}; its value alone: ${show}` : hint });
}

/** The failures after which --resume does the remaining steps. */
const goesOn: readonly FailureKind[] = ["undelivered", "unknown", "incomplete"];

function noteOne(id: string, { made }: Rotated, keepsOld: boolean, { notices, stdout }: Context): void {
  const madeId = newValueOf(made).id;
  if (keepsOld) {
    notices.note(
      `authorization ${id} is still active beside ${madeId}. Run \`grantctl authorization delete ${id}\` to delete it.`,
    );
  } else if (stdout.isTerminal) notices.note(`authorization ${id} is gone; in its place there is ${madeId}`);
}

function rowOf(id: string, status: string, { made, old }: Rotated): RotationRow {
  return { ...emptyRow(id, status, old.note), id: made.id, token: made.token };
}

function rowOfOutcome(outcome: Outcome<string, Rotated>, keepsOld: boolean, isProven: boolean): RotationRow {
  const { item, state } = outcome;
  // The new token was delivered before the old one was deleted.
  if (state === "done") return withoutValue(rowOf(item, keepsOld ? "old-kept" : "rotated", outcome.result));
  return emptyRow(item, state === "failed" ? failedStatus(outcome.failure, isProven) : state);
}

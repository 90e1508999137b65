// Resets many tokens as a job: each new value is on disk before anybody reads it, and counts as finished only when the
// receiver has taken it.
import { lastEight } from "../api/last-eight.ts";
import { createProof, proving } from "../bulk/proof.ts";
import type { Outcome } from "../bulk/run-items.ts";
import { createTally } from "../bulk/tally.ts";
import type { Context } from "../run/context.ts";
import { isFailure, usageFailure, type Failure } from "../errors/errors.ts";
import { toJson } from "../exact-json.ts";
import { withIntent, type Service } from "../http/service.ts";
import { pickFields } from "../output/fields.ts";
import type { ListWriter } from "../output/list-writers.ts";
import { delivering } from "../output/printer.ts";
import { startJob } from "../bulk/job.ts";
import type { JobOptions } from "../bulk/job-plan.ts";
import { failedStatus, listsUntried, noteTotals } from "../bulk/report-outcomes.ts";
import { lineHere } from "../bulk/resume-line.ts";
import { readMadeToken, newValueOf, type MadeToken, type NewValue } from "./new-value.ts";
import { lostReset, unprovenReset } from "./reset-outcome.ts";
import { settleUnanswered, type Unanswered } from "./unanswered-resets.ts";
import type { ValueReceiver, ReceiverOptions } from "./value-receiver.ts";
import { itemPresentation, resetPresentation, type ItemRow, type ResetRow } from "../shapes/token-fields.ts";
import type { Source } from "../reports/sources.ts";
import type { GivenTokens, TokenInputOptions } from "../commands/token/read-tokens.ts";

export type ResetOptions = TokenInputOptions & JobOptions & ReceiverOptions;

/** What a line for one of several tokens holds, unless other fields are asked for. */
const plainFields = ["token_last_eight_before", "id", "token", "status"];

/** Throws a usage failure for an output that would lose the values of several tokens. */
export function checkCanShowMany({ printer, options: { json } }: Context): void {
  if (printer.hasJq && printer.format !== "ndjson") {
    // The whole array is there at the end alone, and a value has to be out before it counts as delivered.
    throw usageFailure("--jq is given the values of several tokens one by one", "add --format ndjson");
  }
  if (typeof json === "string" && !json.split(",").some((field) => field.trim() === "token")) {
    throw usageFailure(
      "the values of several tokens would be lost: --json has no token in it",
      "--json …,token",
    );
  }
}

/** Resets every token. Throws the job's failure. */
export async function resetMany(
  tokens: readonly string[],
  given: GivenTokens,
  options: ResetOptions,
  receiver: ValueReceiver,
  context: Context,
  areCredentialsProven: boolean,
): Promise<void> {
  const login = await context.address.applicationService();
  const { clientId } = login;
  const proof = createProof();
  if (areCredentialsProven) proof.give();
  const service = proving(login.service, proof);
  const { checkToken, resetToken } = await import("../api/tokens.ts");
  const lostBefore = new Set<string>();
  // A command takes each value as it comes, several side by side; what it did not take is kept.
  const isDeliveredAtOnce = receiver.kind === "command";
  const deliver = async (_: string, made: MadeToken): Promise<boolean> => {
    context.redactor.add(made.token);
    await receiver.write("", newValueOf(made));
    return true;
  };
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
  const sink = openSink(given, receiver, context);
  const tally = createTally(job.finishedBefore);
  const progress = context.progress.start("item", tokens.length, job.finishedBefore);
  let broken: Failure | null = null;
  const delivered: Outcome<string, MadeToken>[] = [];
  /** Failures that a later success may still explain. */
  let held: Outcome<string, MadeToken>[] = [];
  const unanswered: Unanswered[] = [];

  const flush = async (): Promise<void> => {
    const outcomes = held;
    held = [];
    const isProven = job.isProven();
    for (const outcome of outcomes) {
      if (broken === null) {
        try {
          const row = { ...rowOf(outcome, isProven), ...given.sourcesOf(outcome.item) };
          context.redactor.add(row.token ?? "");
          if (outcome.state !== "not-tried" || isListed) await sink.add(row);
          if (outcome.state === "done") {
            job.finish(outcome.item);
            delivered.push(outcome);
            continue;
          }
        } catch (error) {
          if (!isFailure(error)) throw error;
          // What is on its way still arrives, and is kept; nothing more is started.
          job.stop();
          broken = error;
        }
      }
      const isKept = broken !== null && outcome.state === "done";
      if (outcome.state === "failed" && outcome.failure.kind === "unknown") unanswered.push(outcome);
      else
        tally.count(isKept ? { item: outcome.item, state: "failed", failure: broken as Failure } : outcome);
    }
  };

  for await (const outcome of job.outcomes) {
    progress.advance();
    held.push(outcome);
    if (job.isProven()) await flush();
  }
  await flush();
  progress.end();
  if (broken === null) await sink.end();
  // A file that is gone took with it what it had taken before.
  const isGone = broken !== null && !(await receiver.isThere());
  for (const outcome of delivered) {
    if (isGone) job.unfinish(outcome.item);
    tally.count(
      isGone ? { item: outcome.item, state: "failed", failure: broken as unknown as Failure } : outcome,
    );
  }
  const settled = await settleUnanswered(unanswered, lostBefore, job, context, (token) =>
    checkToken(service, clientId, token),
  );
  for (const { outcome } of settled) tally.count(outcome);
  const lost = settled.filter(({ isLost }) => isLost).length;
  await job.end((ending) => {
    if (tally.open() === 0) noteTotals(context, tally);
    const forget = lineHere(context, "recover", "forget", job.id);
    return tally.failure(
      lost > 0 && lost === tally.open()
        ? { ...ending, hint: `make new tokens in the place of those; then: ${forget}` }
        : ending,
    );
  });
}

type PlacedRow = ResetRow & { readonly sources?: readonly Source[] };

interface Sink {
  /** Resolves when the row's value was taken. */
  add(row: PlacedRow): Promise<void>;
  end(): Promise<void>;
}

/** Values go to a file or a command, and then only a status to standard output; or all to standard output. */
function openSink(given: GivenTokens, receiver: ValueReceiver, context: Context): Sink {
  const presentation = given.placed(resetPresentation);
  const { printer } = context;
  const { format, json } = context.options;
  const isPlain = format === undefined && json === undefined && !printer.hasJq;
  if (receiver.kind === "command" && printer.isJson) {
    const list = printer.openList(presentation);
    return {
      add: (row) => list.add([{ ...row, token: row.token === null ? null : "" }]).catch(() => undefined),
      end: () => list.end().catch(() => undefined),
    };
  }
  if (receiver.kind !== "standard output") {
    const statuses: ListWriter<ItemRow> = printer.openList(given.placed(itemPresentation([])));
    return {
      async add(row) {
        if (row.token !== null && receiver.kind === "file") {
          const text = printer.isJson ? printer.valueText(row.token, row, presentation) : plainLine(row);
          // A kill may have come between the write and our note of it.
          if (!receiver.has(text)) await receiver.write(text, valueOf(row));
        }
        await statuses
          .add([{ status: row.status, token_last_eight: row.token_last_eight_before, ...sourcesIn(row) }])
          .catch(() => undefined);
      },
      end: () => statuses.end().catch(() => undefined),
    };
  }
  if (isPlain)
    return { add: (row) => receiver.write(plainLine(row), valueOf(row)), end: () => Promise.resolve() };
  const list = printer.openList(presentation);
  return {
    add: (row) =>
      row.token !== null && printer.hasJq
        ? receiver.write(printer.valueText(row.token, row, presentation), valueOf(row))
        : delivering(async () => {
            await list.add([row]);
            if (row.token !== null) await context.stdout.settle();
          }),
    end: () => list.end(),
  };
}

/** The places of a row that has them. */
function sourcesIn({ sources }: PlacedRow): Pick<PlacedRow, "sources"> {
  return sources === undefined ? {} : { sources };
}

/** Streams take the text of a row, whatever is in it. */
function valueOf({ token }: ResetRow): NewValue {
  return newValueOf({ id: null, token: token ?? "" });
}

function plainLine(row: PlacedRow): string {
  return `${toJson({ ...pickFields(row, plainFields), ...sourcesIn(row) }, 0)}\n`;
}

function rowOf(outcome: Outcome<string, MadeToken>, isProven: boolean): ResetRow {
  if (outcome.state === "done") return resetRow(outcome.item, outcome.result);
  return {
    token_last_eight_before: lastEight(outcome.item),
    id: null,
    token: null,
    status: outcome.state === "failed" ? failedStatus(outcome.failure, isProven) : outcome.state,
  };
}

/** The row of a token that was reset. */
export function resetRow(token: string, authorization: MadeToken): ResetRow {
  return { token_last_eight_before: lastEight(token), ...authorization, status: "reset" };
}

/** An earlier run had sent this reset and saw no answer: only an old value that is still live may be reset again. */
async function checkStillLive(
  service: Service,
  clientId: string,
  token: string,
  isSent: boolean,
): Promise<void> {
  const { checkToken } = await import("../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    throw unprovenReset(token, isSent, error.details);
  }
}

// Prints the outcomes of one action or of a job over many items, a line each, and ends with the right failure.
import { createTally, type Outcome } from "../bulk/run-items.ts";
import type { Context } from "../context.ts";
import type { Failure } from "../errors/errors.ts";
import { ReaderGone } from "../output/output-stream.ts";
import type { Presentation } from "../output/presentation.ts";

export interface OutcomeReport<Item, Result, Row extends object> {
  /** Whether it is a job of many: then failed items are lines too, and the whole fails as incomplete. */
  readonly isJob: boolean;
  readonly presentation: Presentation<Row>;
  readonly rowOf: (item: Item, status: string, result: Result | null) => Row;
  /** The status of an item that was done. */
  readonly done: string;
  /**
   * The status of an item that was not found although the same credentials have just worked, where that is as good
   * as done; null where it never is.
   */
  readonly gone: string | null;
}

/** Prints and counts; throws the one item's own failure, or the job's. */
export async function reportOutcomes<Item, Result, Row extends object>(
  context: Context,
  outcomes: AsyncIterable<Outcome<Item, Result>>,
  report: OutcomeReport<Item, Result, Row>,
): Promise<void> {
  const list = context.printer.openList(report.presentation);
  if (!report.isJob) {
    for await (const outcome of outcomes) {
      if (outcome.state === "failed") throw outcome.failure;
      const row = report.rowOf(outcome.item, report.done, resultOf(outcome));
      if (context.printer.format === "json") await context.printer.printItem(row, report.presentation);
      else await list.add([row]);
    }
    return;
  }

  const tally = createTally();
  let isProven = false;
  /** Outcomes that a later success may still explain. A job without any success stops soon, so they are few. */
  let held: Outcome<Item, Result>[] = [];

  const flush = async (): Promise<void> => {
    const rows = held.map((outcome) => {
      const isGone = isProven && report.gone !== null && isNotFound(outcome);
      tally.count(isGone ? { item: outcome.item, state: "done", result: null } : outcome);
      const status = isGone ? report.gone : statusOf(outcome, report.done, isProven);
      return report.rowOf(outcome.item, status, resultOf(outcome));
    });
    held = [];
    await list.add(rows).catch(ignoreReaderGone);
  };

  for await (const outcome of outcomes) {
    if (outcome.state === "done") isProven = true;
    held.push(outcome);
    if (isProven || !held.some(isNotFound)) await flush();
  }
  await flush();
  await list.end().catch(ignoreReaderGone);
  tally.finish();
}

/** A job goes on when nobody reads its lines any more: half a plan is worse than a silent one. */
function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}

function isNotFound(outcome: Outcome<unknown, unknown>): boolean {
  return outcome.state === "failed" && outcome.failure.kind === "not-found";
}

function resultOf<Item, Result>(outcome: Outcome<Item, Result>): Result | null {
  return outcome.state === "done" ? outcome.result : null;
}

function statusOf(outcome: Outcome<unknown, unknown>, done: string, isProven: boolean): string {
  if (outcome.state === "done") return done;
  return outcome.state === "failed" ? failedStatus(outcome.failure, isProven) : "not-tried";
}

/** The status of an item that failed. Not found proves nothing while the credentials may be wrong. */
export function failedStatus(failure: Failure, isProven: boolean): string {
  return failure.kind === "not-found" && !isProven ? "unproven" : failure.kind;
}

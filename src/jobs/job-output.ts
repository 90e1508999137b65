// The report of a job: a row for each item, in order, and its last line, which is what was proven, or the totals. Values that
// standard output gets are printed as they are delivered, before the other rows that are ready then.
import { Failure } from "../errors/errors.ts";
import { joinSentences } from "../errors/hints.ts";
import { printUnlessPipeClosed } from "../output/output-stream.ts";
import type { Presentation } from "../output/presentation.ts";
import type { ListWriter } from "../output/printer.ts";
import type { Context } from "../run/context.ts";
import { rowTexts, type DoneWords, type Ending, type Outcome, type Status, type Tally } from "./outcome.ts";
import type { Proof } from "./proof.ts";

/** How a job reports its outcomes. */
export interface JobReport<Result, Row extends object> extends DoneWords {
  /** The statement that is proven if all items are gone; follows "verified:". Undefined for a creation. */
  readonly verified?: ((count: number, items: readonly string[]) => string) | undefined;
  /**
   * Called after all changes and rows with the items that are gone, those of earlier runs included. Looks, until a signal,
   * whether their tokens are active elsewhere, and prints what it finds. Resolves with what remains open, for the beginning
   * of the last line; with null if nothing does.
   */
  readonly inspectGone?: (items: readonly string[], isStopped: () => boolean) => Promise<string | null>;
  readonly presentation: Presentation<Row>;
  /** The row of an item; null if the delivery of its value has printed it. */
  readonly createRow: (
    item: string,
    status: string,
    result: Result | null,
    reason: string | null,
  ) => Row | null;
  /** Where the rows go; by default a list of the presentation. */
  readonly list?: ListWriter<Row> | undefined;
  /** Rewrites an outcome before it is recorded, counted and reported. */
  readonly refine?: (<Any>(outcome: Outcome<Any>) => Outcome<Any>) | undefined;
  /** True for a dry run, which ends with a sentence about the items that would change. */
  readonly isPreview?: true;
  /** What a terminal leaves out of a long job; what is done by default. */
  readonly omittedStatuses?: readonly Status[];
}

/** The items of a job, how those that are not found are proven to be gone, and what is reported. */
export interface ReportedItems<Result, Row extends object> {
  readonly items: readonly string[];
  /** Null if "not found" is a failure like any other. */
  readonly proof: Proof | null;
  readonly report: JobReport<Result, Row>;
}

/** On a terminal, a job of more items shows only the rows that its user looks for, and the totals. */
const mostShown = 50;

/** Prints the rows of outcomes. A job that changes something goes on if nobody reads them. */
export function openRows<Result, Row extends object>(
  context: Context,
  { items, report }: ReportedItems<Result, Row>,
  changesSomething: boolean,
) {
  const { doneWord, isGoneDone, presentation, createRow } = report;
  const { list = context.printer.openList(presentation) } = report;
  const { omittedStatuses = isGoneDone ? ["done", "accepted", "gone"] : ["done"] } = report;
  const isTable = context.printer.isForPerson;
  const isShown = ({ status }: Outcome<Result>): boolean =>
    !isTable || (status !== "not-tried" && (items.length <= mostShown || !omittedStatuses.includes(status)));
  return {
    /** Throws an incomplete failure if nobody reads the rows of a job that only reads, of which `unprinted` are missing. */
    async add(outcomes: readonly Outcome<Result>[], unprinted: number): Promise<void> {
      const rows = outcomes.filter(isShown).flatMap((outcome) => {
        const [status, reason] = rowTexts(outcome, doneWord, context);
        return createRow(outcome.item, status, outcome.result, reason) ?? [];
      });
      // The columns of a table follow from its first row, and not from how many arrive together.
      const parts = isTable ? rows.map((row) => [row]) : [rows];
      const hasReader = await printUnlessPipeClosed(async () => {
        for (const part of parts) if (part.length > 0) await list.add(part);
      });
      if (!hasReader && !changesSomething && unprinted > 0) throw new Failure("incomplete", nobodyReads);
    },
    end: () => printUnlessPipeClosed(() => list.end()),
  };
}

/**
 * The failure of a job; null for a successful one, after its last line: what was proven, or for several items the totals.
 * First looks for the items that are gone elsewhere, those of earlier runs included.
 */
export async function conclude<Result, Row extends object>(
  { notices }: Context,
  { items, proof, report: { isPreview, isGoneDone, verified, inspectGone } }: ReportedItems<Result, Row>,
  tally: Tally,
  ending: Ending & { readonly gone: readonly string[]; readonly isStopped?: () => boolean },
): Promise<Failure | null> {
  const { gone: allGone, isStopped = () => false } = ending;
  const elsewhere = allGone.length === 0 ? null : ((await inspectGone?.(allGone, isStopped)) ?? null);
  const gone = tally.countOf("gone");
  const proven =
    gone > 0 && gone === tally.total()
      ? joinSentences([verified?.(gone, items), proof?.typesShown()])
      : undefined;
  const types = gone > 0 && proven === undefined ? proof?.typesShown() : undefined;
  if (types !== undefined) notices.note(`note: ${types}`);
  const failure = proven === undefined ? tally.failure(ending) : null;
  if (elsewhere !== null) {
    const { message, details } = failure ?? { message: proven ?? tally.totals(), details: undefined };
    return new Failure(failure?.kind ?? "incomplete", `${elsewhere}; ${message}`, details);
  }
  if (failure !== null) return failure;
  if (proven !== undefined && !isGoneDone)
    return new Failure("not-found", `verified: ${proven}`, { isResult: true });
  if (proven !== undefined) notices.note(`verified: ${proven}`);
  else if (items.length > 1 && (isPreview !== true || tally.countOf("done") < tally.total()))
    notices.note(tally.totals());
  return null;
}

/** Why a check has no result: no exit code could say what it has found. */
export const nobodyReads = "nobody reads the output any more, so the rest was not checked";

export async function reportNothing<Row extends object>(
  { notices, printer }: Context,
  what: string,
  presentation: Presentation<Row>,
): Promise<void> {
  notices.note(`no ${what}`);
  await printer.printList([], presentation);
}

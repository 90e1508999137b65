// The report of a job: a row for each item, in order, and the counts of its last line. From the first absent item on, the
// outcomes are held back, at most a hundred, until it is settled which items are gone (proof.ts).
import { exitCodeOf, Failure, QuietExit } from "../errors/errors.ts";
import { joinHints } from "../errors/hints.ts";
import { printUnlessPipeClosed } from "../output/output-stream.ts";
import type { Presentation } from "../output/presentation.ts";
import type { ListWriter } from "../output/printer.ts";
import type { Context } from "../run/context.ts";
import { Loop } from "./loop.ts";
import {
  createTally,
  rowTexts,
  type Before,
  type Ending,
  type Outcome,
  type Status,
  type Tally,
} from "./outcome.ts";
import type { Absence, Absent } from "./proof.ts";
import type { StopSignals } from "./signals.ts";

/** The rows and the last line of a job. */
export interface Report<Result, Row extends object> {
  /** The word for an item that is done, as in `revoked`. */
  readonly done: string;
  /** True if an item that is gone counts as done. */
  readonly isGoneDone: boolean;
  readonly presentation: Presentation<Row>;
  /** The row of an item; null for none. */
  readonly createRow: (
    item: string,
    status: string,
    result: Result | null,
    reason: string | null,
  ) => Row | null;
  /** Where the rows go; by default a list of the presentation. */
  readonly list?: ListWriter<Row>;
  /** Rewrites an outcome before it is counted and reported. */
  readonly refine?: (outcome: Outcome<Result>) => Outcome<Result>;
  /** What is proven if all of the items are gone, as a sentence; absent for a creation. */
  readonly verified?: (count: number) => string;
  /** What a terminal leaves out of a long job; what is done by default. */
  readonly hidden?: readonly Status[];
  /** Called once with the items that are gone, after the rows: prints what else that may mean. */
  readonly noteGone?: (items: readonly string[]) => Promise<void>;
}

export interface Work<Result, Row extends object> extends Report<Result, Row> {
  readonly items: readonly string[];
  /** How items that are not found are proven to be gone; null if "not found" is a failure like any other. */
  readonly absence: Absence | null;
}

interface Running<Result> {
  /** Each part is over and settled before the next begins. */
  readonly parts: readonly (readonly string[])[];
  readonly act: (item: string, loop: Loop) => Promise<Result>;
  /** For a job that changes something. */
  readonly changes?: {
    readonly signals: StopSignals;
    readonly before: Before;
    /** Delivers and records outcomes that are settled; resolves with them as they are reported. */
    readonly finish: (
      outcomes: readonly Outcome<Result>[],
      loop: Pick<Loop, "stop">,
    ) => Promise<readonly Outcome<Result>[]>;
  };
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

/** Acts on the items and reports the outcomes. Resolves with their counts. */
export async function runItems<Result, Row extends object>(
  context: Context,
  work: Work<Result, Row>,
  { parts, act, changes }: Running<Result>,
): Promise<Tally> {
  const { items, absence, refine = (outcome) => outcome } = work;
  const { progress: display } = context;
  const wait = (milliseconds: number): Promise<void> =>
    Promise.race([display.wait(milliseconds), changes?.signals.stopRequested ?? never]);
  const loop = new Loop({
    concurrency: context.options.concurrency,
    isOne: items.length === 1,
    wait,
    isAbsence: (failure) => absence?.isAbsence(failure) === true,
    isStopped: () => changes?.signals.isStopped() === true,
  });
  const { goneStatus } = context.serverType;
  const tally = createTally(work, goneStatus, changes?.before);
  const rows = openRows(context, work, changes !== undefined);
  let reached = tally.total() - tally.countOf("not-tried");
  // A single item needs no progress display.
  const progress = items.length > 1 ? display.start("item", items.length, reached) : null;
  let held: readonly Outcome<Result>[] = [];
  const gone: string[] = [];
  let left = parts.flat().length;
  const flush = async (): Promise<void> => {
    const settled = (await settleHeld(held, absence, loop, wait)).map(refine);
    const outcomes = (await changes?.finish(settled, loop)) ?? settled;
    held = [];
    left -= outcomes.length;
    for (const outcome of outcomes) {
      tally.count(outcome);
      if (outcome.status === "not-found") gone.push(outcome.item);
    }
    await rows.add(outcomes, left);
  };

  for (const [index, part] of parts.entries()) {
    if (changes !== undefined) absence?.keep(parts.slice(index + 1).flat());
    await loop.run(
      part,
      (item) => act(item, loop),
      async (outcomes) => {
        reached += outcomes.length;
        progress?.reach(reached, items.length);
        held = [...held, ...outcomes];
        if (held.length >= mostHeld || absentOf(held, absence).length === 0) await flush();
      },
    );
    if (held.length > 0) await flush();
  }
  progress?.end();
  await rows.end();
  if (gone.length > 0 && changes?.signals.isStopped() !== true) await work.noteGone?.(gone);
  const types = absence?.typesShown();
  if (gone.length > 0 && gone.length < items.length && types !== undefined)
    context.notices.note(`note: ${types}`);
  return tally;
}

const never = new Promise<void>(() => undefined);

function absentOf(outcomes: readonly Outcome<unknown>[], absence: Absence | null): readonly Absent[] {
  return outcomes.flatMap(({ item, status, failure }) =>
    status === "failed" && failure !== null && absence?.isAbsence(failure) === true
      ? [{ item, failure }]
      : [],
  );
}

/** The outcomes with a verdict on each absent item. No item is started meanwhile. */
async function settleHeld<Result>(
  held: readonly Outcome<Result>[],
  absence: Absence | null,
  loop: Loop,
  wait: (milliseconds: number) => Promise<void>,
): Promise<readonly Outcome<Result>[]> {
  const absent = absentOf(held, absence);
  if (absence === null || absent.length === 0) return held;
  const settling = absence.settle(absent, wait);
  loop.hold(settling);
  const { verdicts, isRejected } = await settling;
  if (isRejected) loop.stop();
  return held.map((outcome) => ({ ...outcome, ...verdicts.get(outcome.item) }));
}

/** On a terminal, a job of more items shows only the rows that its user looks for, and the totals. */
const mostShown = 50;

/** Prints the rows of outcomes. A job that changes something goes on if nobody reads them. */
function openRows<Result, Row extends object>(
  context: Context,
  {
    items,
    done,
    isGoneDone,
    presentation,
    createRow,
    list = context.printer.openList(presentation),
    hidden = isGoneDone ? ["done", "accepted", "not-found"] : ["done"],
  }: Work<Result, Row>,
  changesSomething: boolean,
) {
  const isTable = context.stdout.isTerminal && !context.printer.isJson;
  const isShown = ({ status }: Outcome<Result>): boolean =>
    !isTable || (status !== "not-tried" && (items.length <= mostShown || !hidden.includes(status)));
  return {
    /** Throws a QuietExit if nobody reads the rows of a job that only reads, of which `left` outcomes are missing. */
    async add(outcomes: readonly Outcome<Result>[], left: number): Promise<void> {
      const rows = outcomes.filter(isShown).flatMap((outcome) => {
        const [status, reason] = rowTexts(outcome, done, context);
        return createRow(outcome.item, status, outcome.result, reason) ?? [];
      });
      const hasReader = rows.length === 0 || (await printUnlessPipeClosed(() => list.add(rows)));
      if (!hasReader && !changesSomething && left > 0) throw new QuietExit(exitCodeOf("incomplete"));
    },
    end: () => printUnlessPipeClosed(() => list.end()),
  };
}

/** The failure of a job; null for a successful one, after its last line: what was proven, or for several items the totals. */
export function conclude(
  { notices }: Context,
  {
    items,
    done,
    isGoneDone,
    verified,
    absence,
  }: Pick<Work<unknown, object>, "items" | "done" | "isGoneDone" | "verified" | "absence">,
  tally: Tally,
  ending: Ending,
): Failure | null {
  const gone = tally.countOf("not-found");
  const proven =
    gone > 0 && gone === tally.total() ? joinHints([verified?.(gone), absence?.typesShown()]) : undefined;
  const failure =
    proven === undefined || isGoneDone ? tally.failure(ending) : new Failure("not-found", proven);
  if (failure !== null) return failure;
  if (proven !== undefined) notices.note(proven);
  // A dry run ends with a sentence about the items that would change.
  else if (items.length > 1 && (done !== "would-change" || tally.countOf("done") < tally.total()))
    notices.note(tally.totals());
  return null;
}

/** Prints the report of a job without items. */
export async function reportNothing<Row extends object>(
  { notices, printer }: Context,
  what: string,
  presentation: Presentation<Row>,
): Promise<void> {
  notices.note(`no ${what}`);
  await printer.printList([], presentation);
}

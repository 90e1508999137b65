// Writes the values of several tokens, a line each, and reports what became of every item. Where values go to a file or
// to a command, standard output has only the report.
import { usageFailure } from "../errors/errors.ts";
import type { ListWriter } from "../output/list-writers.ts";
import type { Presentation } from "../output/presentation.ts";
import { delivering } from "../output/undelivered.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";
import { printWithoutValue, type ValueReceiver } from "./value-receiver.ts";

export interface ValueLines<Row> {
  /** Resolves when the value was taken; throws an undelivered failure otherwise. */
  deliver(row: Row, value: NewValue): Promise<void>;
  /**
   * As `deliver`, for several in one write: where it fails, none of them counts as taken. Null where each is written by
   * itself.
   */
  readonly deliverTogether: ((rows: readonly Row[]) => Promise<void>) | null;
  /**
   * Reports what became of an item, unless the line of its value has said it already. Throws where the report cannot be
   * written and values go the same way.
   */
  report(row: Row): Promise<void>;
  end(): Promise<void>;
}

interface LineForm<Row extends object> {
  /** How a row is shown with its value. */
  readonly presentation: Presentation<Row>;
  /** A line of standard output or of a file, where no format was asked for. */
  readonly plainLine: (row: Row) => string;
  /** Opens the report on standard output where the values go elsewhere: it must never show a value. */
  readonly openReport: () => ListWriter<Row>;
}

interface WithValue {
  /** Null where none was made. */
  readonly token: string | null;
}

/** A list that turns each row into another one before it is shown. */
export function mapRows<Row, Shown>(list: ListWriter<Shown>, toShown: (row: Row) => Shown): ListWriter<Row> {
  return { add: (rows) => list.add(rows.map(toShown)), end: () => list.end() };
}

/** A row without its value, for a report where the value went elsewhere. */
export function withoutValue<Row extends WithValue>(row: Row): Row {
  return { ...row, token: row.token === null ? null : "" };
}

/** Throws a usage failure for an output that would lose the values of several tokens. */
export function checkCanShowMany({ printer, options: { json } }: Context): void {
  if (printer.hasJq && printer.format !== "ndjson") {
    // jq would get the whole array at the end only, but each value must be written before it counts as delivered.
    throw usageFailure("--jq is given the values of several tokens one by one", "add --format ndjson");
  }
  if (typeof json === "string" && !json.split(",").some((field) => field.trim() === "token")) {
    throw usageFailure(
      "the values of several tokens would be lost: --json has no token in it",
      "--json …,token",
    );
  }
}

/** The lines of one run over several tokens. */
export function openValueLines<Row extends WithValue>(
  receiver: ValueReceiver,
  { presentation, plainLine, openReport }: LineForm<Row>,
  context: Context,
): ValueLines<Row> {
  const { printer, stdout } = context;
  const inTurn = createTurns();
  const valueText = (row: Row): string => printer.valueText(row.token ?? "", row, presentation);
  if (receiver.kind !== "standard output") {
    const report = openReport();
    return {
      deliver: (row, value) =>
        receiver.kind === "command"
          ? receiver.write("", value)
          : inTurn(async () => {
              const text = printer.isJson ? valueText(row) : plainLine(row);
              // A kill may have come after the write and before the journal knew of it.
              if (!receiver.has(text)) await receiver.write(text, value);
            }),
      deliverTogether: null,
      // A report that cannot be written stops nothing: the values go elsewhere.
      report: (row) => inTurn(() => report.add([row]).catch(() => undefined)),
      end: () => report.end().catch(() => undefined),
    };
  }
  const isPlain = !printer.isJson && context.options.format === undefined && !printer.hasJq;
  const list = isPlain ? null : printer.openList(presentation);
  const addLines = (rows: readonly Row[]): Promise<void> =>
    list === null ? stdout.write(rows.map(plainLine).join("")) : list.add(rows);
  const deliverRows = (rows: readonly Row[]): Promise<void> =>
    inTurn(() =>
      delivering(async () => {
        await addLines(rows);
        await stdout.settle();
      }),
    );
  return {
    deliver: (row, value) =>
      // jq may print nothing for a value, which would then be lost.
      printer.hasJq ? inTurn(() => receiver.write(valueText(row), value)) : deliverRows([row]),
    // How wide the columns of a table are would follow from which rows came together.
    deliverTogether: !printer.hasJq && (isPlain || printer.isJson) ? deliverRows : null,
    report: (row) =>
      row.token === null ? inTurn(() => delivering(() => addLines([row]))) : Promise.resolve(),
    end: async () => list?.end(),
  };
}

/** The same for one token: its value alone on a line, or in JSON the whole of it. */
export function openOneLine<Row extends WithValue>(
  receiver: ValueReceiver,
  presentation: Presentation<Row>,
  context: Context,
): ValueLines<Row> {
  return {
    async deliver(row, value) {
      const text =
        receiver.kind === "command" ? "" : context.printer.valueText(value.token, row, presentation);
      if (!receiver.has(text)) await receiver.write(text, value);
    },
    deliverTogether: null,
    report: (row) =>
      row.token === null ? Promise.resolve() : printWithoutValue(receiver, context, row, presentation),
    end: () => Promise.resolve(),
  };
}

/** Runs the given functions one after the other, so that lines do not mix. */
function createTurns(): (write: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (write) => {
    const next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  };
}

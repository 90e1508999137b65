// Writes several new tokens, one per line, and reports the outcome of every item. If the tokens go to a file or to a
// command, standard output has only the report.
import type { Id } from "../api/resources.ts";
import type { ListWriter } from "../printing/list-writers.ts";
import type { Presentation } from "../printing/presentation.ts";
import { writeOrUndelivered, undelivered } from "../printing/output-stream.ts";
import type { Context } from "../run/context.ts";
import type { Delivery, ValueReceiver } from "./receiver.ts";

export interface ValueLines<Row> {
  /** Maximum number of rows per write; `report` splits longer lists. */
  readonly maxRows: number;
  /**
   * Delivers the token of a row before the row is reported. Resolves when the receiver has accepted it; throws an
   * undelivered failure otherwise.
   */
  deliver(row: Row): Promise<void>;
  /**
   * Reports the outcomes of items in order, and delivers the tokens in their rows; throws like `deliver`, for all rows
   * together. `token: ""` means already delivered; skips the row if its token line doubled as the report. Also throws
   * if the report cannot be written and the tokens go to the same output.
   */
  report(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
}

interface LineFormat<Row extends object> {
  readonly presentation: Presentation<Row>;
  /** The line of a row on standard output or in a file, if no format was requested. */
  readonly plainLine: (row: Row) => string;
  /** Opens the report on standard output if the tokens go elsewhere. Its rows have no tokens. */
  readonly openReport: () => ListWriter<Row>;
}

interface ValueRow {
  /** Null if no token was created; "" if it was delivered elsewhere or before. */
  readonly token: string | null;
  readonly id: Id | null;
  readonly note?: string | null;
}

type RowWithValue<Row> = Row & { readonly token: string };

function hasValue<Row extends ValueRow>(row: Row): row is RowWithValue<Row> {
  return row.token !== null && row.token !== "";
}

/** A row without its token, for a report if the token was delivered elsewhere or before. */
export function withoutValue<Row extends ValueRow>(row: Row): Row {
  return { ...row, token: row.token === null ? null : "" };
}

/** The text of a row. Throws an `undelivered` failure if jq dropped the token from it. */
function formatRow<Row extends ValueRow & object>(
  row: RowWithValue<Row>,
  presentation: Presentation<Row>,
  { printer }: Pick<Context, "printer">,
  isListed = false,
): string {
  const textFor = (token: string): string =>
    printer.valueText(token, { ...row, token }, presentation, isListed);
  const text = textFor(row.token);
  if (printer.hasJq && !containsToken(text, row.token, textFor)) throw undelivered();
  return text;
}

/** True if the text contains the token, even escaped or encoded: it would differ if one character of the token did. */
export function containsToken(text: string, token: string, textFor: (token: string) => string): boolean {
  if (text.includes(token)) return true;
  const middle = Math.floor(token.length / 2);
  const other = `${token.slice(0, middle)}${token[middle] === "0" ? "1" : "0"}${token.slice(middle + 1)}`;
  try {
    return text !== textFor(other);
  } catch {
    return true;
  }
}

/** Opens the lines and the report on their outputs: standard output, a file or a command. */
export function openValueLines<Row extends ValueRow>(
  receiver: ValueReceiver,
  format: LineFormat<Row>,
  context: Context,
): ValueLines<Row> {
  return receiver.kind === "standard output"
    ? openOutputLines(receiver, format, context)
    : openSeparateLines(receiver, format, context);
}

/** Lines for tokens that go to a file or a command, with the report on standard output. */
function openSeparateLines<Row extends ValueRow>(
  receiver: ValueReceiver,
  { presentation, plainLine, openReport }: LineFormat<Row>,
  context: Context,
): ValueLines<Row> {
  const { printer } = context;
  const enqueue = createWriteQueue();
  const report = openReport();
  const toDelivery = (row: RowWithValue<Row>): Delivery => ({
    text:
      receiver.kind === "command"
        ? ""
        : printer.isJson
          ? formatRow(row, presentation, context)
          : plainLine(row),
    value: row,
  });
  const deliver = async (rows: readonly Row[]): Promise<void> => {
    const batch = rows.filter(hasValue).map(toDelivery);
    if (batch.length > 0) await receiver.take(batch);
  };
  return {
    maxRows: Infinity,
    // Commands may run in parallel; writes to a file may not.
    deliver: (row) => (receiver.kind === "command" ? deliver([row]) : enqueue(() => deliver([row]))),
    report: (rows) =>
      enqueue(async () => {
        await deliver(rows);
        // A report that cannot be written stops nothing, because the tokens go elsewhere.
        await report.add(rows.map(withoutValue)).catch(() => undefined);
      }),
    end: () => report.end().catch(() => undefined),
  };
}

/** Lines that are both token and report, on standard output. */
function openOutputLines<Row extends ValueRow>(
  receiver: ValueReceiver,
  { presentation, plainLine }: LineFormat<Row>,
  { printer, stdout, options }: Context,
): ValueLines<Row> {
  const enqueue = createWriteQueue();
  const isPlain = !printer.isJson && options.format === undefined && !printer.hasJq;
  const list = isPlain ? null : printer.openList(presentation);
  const isTable = !isPlain && printer.format === "table";
  // One row at a time in a table: otherwise its column widths would depend on which rows arrived together.
  const maxRows = printer.hasJq || isTable ? 1 : Infinity;
  const write = async (rows: readonly Row[]): Promise<void> => {
    const [first] = rows;
    if (printer.hasJq && first !== undefined && hasValue(first)) {
      // jq may leave the token out of a row, and it would be lost.
      const text = formatRow(first, presentation, { printer });
      await receiver.take([{ text, value: first }]);
      return;
    }
    await writeOrUndelivered(async () => {
      await (list === null ? stdout.write(rows.map(plainLine).join("")) : list.add(rows));
      if (rows.some(hasValue)) await stdout.settle();
    });
  };
  const report = (rows: readonly Row[]): Promise<void> =>
    enqueue(async () => {
      const undeliveredRows = rows.filter(({ token }) => token !== "");
      for (let start = 0; start < undeliveredRows.length; start += maxRows)
        await write(undeliveredRows.slice(start, start + maxRows));
    });
  return {
    maxRows,
    deliver: (row) => report([row]),
    report,
    end: async () => list?.end(),
  };
}

/** The lines for one token: the token alone, or what jq makes of an array of its row. */
export function openSingleLine<Row extends ValueRow>(
  receiver: ValueReceiver,
  presentation: Presentation<Row>,
  context: Context,
): ValueLines<Row> {
  const deliver = async (row: Row): Promise<void> => {
    if (!hasValue(row)) return;
    const text = receiver.kind === "command" ? "" : formatRow(row, presentation, context, true);
    await receiver.take([{ text, value: row }]);
  };
  return {
    maxRows: 1,
    deliver,
    async report(rows) {
      for (const row of rows) {
        await deliver(row);
        if (row.token !== null) await printWithoutValue(receiver, context, row, presentation, true);
      }
    },
    end: () => Promise.resolve(),
  };
}

/** Serializes writes, so that lines do not interleave. */
function createWriteQueue(): (write: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (write) => {
    const next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Prints the item without its token, if JSON was requested and a command got the token. */
export async function printWithoutValue<T extends object>(
  receiver: ValueReceiver,
  { printer }: Context,
  item: T,
  presentation: Presentation<T>,
  isListed = false,
): Promise<void> {
  if (receiver.kind !== "command" || !printer.isJson) return;
  const row = { ...item, token: "" };
  await writeOrUndelivered(
    () => (isListed ? printer.printList([row], presentation) : printer.printItem(row, presentation)),
    "the token was delivered, but the report could not be written",
  );
}

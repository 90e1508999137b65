// Gives the new values of a job to their receiver, and prints its rows. The receiver and the shape decide once what goes
// where:
//
//   receiver          many                                  one, without a format for rows   object
//   standard output   rows with their values, in one list   the value, or --jq of its row    the value, or the object as JSON
//   file              lines of JSON; rows without values    the same; no row                 the same
//   command           one run each; rows without values     one run; a row only as JSON      one run; only JSON as well
import type { Id } from "../api/resources.ts";
import { Failure, failureOf } from "../errors/errors.ts";
import { toJson } from "../json.ts";
import { writeOrUndelivered } from "../output/output-stream.ts";
import { column, pickFields, type Presentation } from "../output/presentation.ts";
import type { ListWriter, Printer } from "../output/printer.ts";
import type { Context } from "../run/context.ts";
import { isTokenValue } from "../token.ts";
import type { ValueReceiver } from "./receiver.ts";

interface ValueRow {
  /** Null if there is no new value; "" if it is not to be shown, because it was delivered. */
  readonly token: string | null;
  readonly id?: Id | null;
  readonly note?: string | null;
}

/** True if there is a token, which the server shows only when it is new, and not blanks or asterisks in its place. */
export function hasValue({ token }: { readonly token?: string | null }): boolean {
  return typeof token === "string" && isTokenValue(token.trim());
}

export function openDelivery<Row extends ValueRow>(
  receiver: ValueReceiver,
  presentation: Presentation<Row>,
  shape: "object" | "one" | "many",
  context: Context,
) {
  const { printer, stdout, options } = context;
  const isCommand = receiver.toCommand !== undefined;
  /** True for one value without a row: the text is the bare value or, with --jq, what jq makes of a list with its row. */
  const isBare = shape === "one" && !printer.hasRowFormat && !(isCommand && printer.isJson);
  const form = isBare ? "array" : receiver.outputFile === undefined ? undefined : "line";
  const hasRows = shape !== "object" && !isBare;
  /** True if the rows bring the values themselves. */
  const deliversRows = hasRows && !isCommand && receiver.outputFile === undefined;
  const textOfRow = (row: Row): string =>
    hasRows && !printer.isJson
      ? `${toJson(pickFields(row, presentation.fields), 0)}\n`
      : checkedValueText(row, presentation, printer, form);
  const openRowList = (): ListWriter<Row> =>
    deliversRows ? openValueList(presentation, textOfRow, context) : printer.openList(presentation);
  const objects = {
    ...noList,
    add: async (rows: readonly Row[]) => {
      for (const row of rows) await printer.printItem(row, presentation);
    },
  };
  const list = hasRows ? openRowList() : isCommand && printer.isJson ? objects : noList;
  /** True if standard output did not take a value: then no row is tried, so that the hint is that of the delivery. */
  let isBroken = false;
  const giveRows = async (rows: readonly Row[]): Promise<void> => {
    // Throws if jq leaves a value out.
    if (printer.hasJq) rows.forEach(textOfRow);
    await writeOrUndelivered(async () => {
      await list.add(rows);
      await stdout.flush();
    }).catch((error: unknown) => {
      isBroken = true;
      throw error;
    });
  };
  const valueOf = (row: Row, note: string | null) => ({
    // A command takes the value alone, whatever --json and --jq leave of the report.
    text: isCommand ? "" : textOfRow(row),
    value: { id: null, note, ...row, token: row.token ?? "" },
  });
  return {
    /**
     * Delivers the values of these rows; resolves with a failure or null for each. `onTaken` is called with the position of
     * each row, even without a value, as soon as its receiver has its batch, so that no interrupted command gets a value twice.
     * `notes`: passed to a command for rows without a note of their own.
     */
    async deliver(
      rows: readonly Row[],
      onTaken: (position: number) => Promise<void> = () => Promise.resolve(),
      notes: readonly (string | null)[] = [],
    ): Promise<readonly (Failure | null)[]> {
      for (const row of rows) if (hasValue(row)) context.redactor.add(row.token ?? "");
      // A command takes each value alone, and jq may leave one out.
      const all = [...rows.entries()];
      const batches = isCommand || printer.hasJq ? all.map((each) => [each]) : [all];
      const giveBatch = async (batch: typeof all): Promise<void> => {
        const given = batch.filter(([, row]) => hasValue(row));
        if (given.length > 0 && deliversRows) await giveRows(given.map(([, row]) => row));
        else if (given.length > 0)
          await receiver.take(given.map(([position, row]) => valueOf(row, notes[position] ?? null)));
        const marked = Promise.all(batch.map(([position]) => onTaken(position)));
        // A file or a stream gets all values again.
        if (isCommand) await marked;
      };
      const failures: (Failure | null)[] = [];
      // One command after another would take too long for a thousand, and all at once are too many.
      for (let start = 0; start < batches.length; start += options.concurrency) {
        const part = batches.slice(start, start + options.concurrency);
        const ends = await Promise.all(part.map((batch) => failureOf(giveBatch(batch))));
        failures.push(...part.flatMap((batch, index) => batch.map(() => ends[index] ?? null)));
      }
      return failures;
    },
    /** True if `deliver` prints the rows, because their values go to standard output. */
    deliversRows,
    /** For rows that were not delivered. */
    list: {
      add: async (rows: readonly Row[]) => (isBroken ? undefined : list.add(rows)),
      end: async () => (isBroken ? undefined : list.end()),
    },
  };
}

/** Standard output for rows with their values: a list of the format that was asked for, otherwise a text each. */
function openValueList<Row extends ValueRow>(
  presentation: Presentation<Row>,
  textOfRow: (row: Row) => string,
  { printer, options, stdout }: Context,
): ListWriter<Row> {
  const hasFormat = printer.isJson || options.format !== undefined;
  if (hasFormat && !printer.hasJq)
    return printer.openList({ ...presentation, columns: [...presentation.columns, tokenColumn] });
  return { ...noList, add: (rows) => stdout.write(rows.map(textOfRow).join("")) };
}

const noList = { add: () => Promise.resolve(), end: () => Promise.resolve() };

export function throwFailureOf(failures: readonly (Failure | null)[]): void {
  for (const failure of failures) if (failure !== null) throw failure;
}

const tokenColumn = column<ValueRow>("TOKEN", "token", { isWhole: true });

/** The text of a row in this run's format. Throws an `undelivered` failure if --json or --jq leaves its value out. */
function checkedValueText<Row extends ValueRow>(
  row: Row,
  presentation: Presentation<Row>,
  printer: Printer,
  form: "array" | "line" | undefined,
): string {
  let text: string;
  try {
    text = printer.valueText(row, presentation, form);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure("undelivered", `the token exists, but ${error.message}`, { cause: error });
  }
  if (text.includes(row.token ?? "")) return text;
  throw new Failure("undelivered", "the token exists, but the output does not contain its value");
}

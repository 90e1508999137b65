// Gives the new values of a job to their receiver, and prints its rows. The receiver and the shape decide once what goes
// where:
//
//   receiver          rows                                  bare: a single value             object
//   standard output   rows with their values, in one list   the value, or --jq of its row    the value, or the object as JSON
//   file              lines of JSON; rows without values    the same; no row                 the same
//   command           one run each; rows without values     one run; a row only with --jq    one run; the object as JSON
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
  readonly status?: string;
}

/** True if there is a token, which the server shows only when it is new, and not blanks or asterisks in its place. */
export function hasValue({ token }: { readonly token?: string | null }): boolean {
  return typeof token === "string" && isTokenValue(token.trim());
}

export function openValues<Row extends ValueRow>(
  receiver: ValueReceiver,
  presentation: Presentation<Row>,
  shape: "object" | "bare" | "rows",
  { printer, options, stdout }: Context,
) {
  const isCommand = receiver.toCommand !== undefined;
  const printsRows = shape === "rows" && !isCommand && receiver.outputFile === undefined;
  const textOf = (row: Row): string =>
    shape === "rows" && !printer.isJson
      ? `${toJson(pickFields(row, presentation.fields), 0)}\n`
      : valueText(row, presentation, printer, shape === "bare");
  const openList = (): ListWriter<Row> => {
    const isReported = isCommand && printer.isJson;
    if (shape === "object" && isReported)
      return {
        ...noList,
        add: async (rows) => {
          for (const row of rows) await printer.printItem(row, presentation);
        },
      };
    if (!printsRows) return shape === "rows" || isReported ? printer.openList(presentation) : noList;
    const hasFormat = printer.isJson || options.format !== undefined;
    if (hasFormat && !printer.hasJq)
      return printer.openList({ ...presentation, columns: [...presentation.columns, tokenColumn] });
    return { ...noList, add: (rows) => stdout.write(rows.map(textOf).join("")) };
  };
  const list = openList();
  const isShown = (row: Row): boolean =>
    printsRows ? !(stdout.isTerminal && !printer.isJson && row.status === "not-tried") : hasValue(row);
  const give = async (all: readonly Row[]): Promise<void> => {
    const rows = all.filter(isShown);
    if (rows.length === 0) return;
    if (!printsRows)
      return receiver.take(
        rows.map((row) => ({
          // A command takes the value alone, whatever --json and --jq leave of the report.
          text: isCommand ? "" : textOf(row),
          value: { id: null, ...row, token: row.token ?? "" },
        })),
      );
    // jq may leave a value out.
    if (printer.hasJq) rows.forEach(textOf);
    await writeOrUndelivered(async () => {
      await list.add(rows);
      await stdout.settle();
    });
  };
  return {
    /** Delivers the values of these rows, in order: resolves with a failure or null for each row. */
    async deliver(rows: readonly Row[]): Promise<readonly (Failure | null)[]> {
      if (!isCommand && !printer.hasJq) {
        const failure = await failureOf(give(rows));
        return rows.map(() => failure);
      }
      // A command takes each value alone, and jq may leave one out. One command after another would take too long for a
      // thousand, and all at once would be too many.
      const failures: (Failure | null)[] = [];
      for (let start = 0; start < rows.length; start += options.concurrency) {
        const part = rows.slice(start, start + options.concurrency);
        failures.push(...(await Promise.all(part.map((row) => failureOf(give([row]))))));
      }
      return failures;
    },
    /** True if `deliver` prints the rows, those without a value as well. */
    printsRows,
    /** For rows that were not delivered. */
    list,
  };
}

const noList = { add: () => Promise.resolve(), end: () => Promise.resolve() };

/** Throws the first failure of a delivery, if there is one. */
export function throwFailureOf(failures: readonly (Failure | null)[]): void {
  const failure = failures.find((each) => each !== null);
  if (failure !== undefined && failure !== null) throw failure;
}

const tokenColumn = column<ValueRow>("TOKEN", "token", { isWhole: true });

/** The text of a row in this run's format. Throws an `undelivered` failure if --json or --jq leaves its value out. */
function valueText<Row extends ValueRow>(
  row: Row,
  presentation: Presentation<Row>,
  printer: Printer,
  isListed: boolean,
): string {
  let text: string;
  try {
    text = printer.valueText(row, presentation, isListed);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure("undelivered", `the token exists, but ${error.message}`, { cause: error });
  }
  if (text.includes(row.token ?? "")) return text;
  throw new Failure("undelivered", "the token exists, but the output does not contain its value");
}

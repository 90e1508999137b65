// Gives the new values of a job to their receiver, and prints its rows.
//
//   receiver          several values                           the value of a single item
//   standard output   rows with their values, in one list      the value alone, or what --jq makes of its row
//   file              lines of JSON; the rows have no values   the value alone
//   command           one run each; the rows have no values    one run; a row only as JSON
import type { Id } from "../api/resources.ts";
import { Failure, failureOf } from "../errors/errors.ts";
import { toJson } from "../json.ts";
import { pickFields } from "../output/fields.ts";
import type { ListWriter } from "../output/writers.ts";
import { writeOrUndelivered } from "../output/output-stream.ts";
import type { Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import type { ValueReceiver } from "./receiver.ts";

interface ValueRow {
  /** Null if there is no new value; "" if it is not to be shown, because it was delivered. */
  readonly token: string | null;
  readonly id: Id | null;
  readonly note?: string | null;
}

export interface Values<Row> {
  /** Delivers the values of these rows, in order: resolves with a failure or null for each row. */
  deliver(rows: readonly Row[]): Promise<readonly (Failure | null)[]>;
  /** True if `deliver` prints the rows, those without a value as well. */
  readonly printsRows: boolean;
  /** For rows that were not delivered. */
  readonly list: ListWriter<Row>;
}

interface ValueOptions<Row extends object> {
  readonly presentation: Presentation<Row>;
  /** Of rows whose values go to a file or a command. */
  readonly reportPresentation: Presentation<Row>;
  /** True for the value of a single item, for which no format was asked. */
  readonly isBare: boolean;
}

export function openValues<Row extends ValueRow & { readonly status: string }>(
  receiver: ValueReceiver,
  { presentation, reportPresentation, isBare }: ValueOptions<Row>,
  context: Context,
): Values<Row> {
  const { printer, options, stdout } = context;
  const isPlain = !printer.isJson && options.format === undefined && !printer.hasJq;
  const plainLine = (row: Row): string => `${toJson(pickFields(row, presentation.fields), 0)}\n`;
  const take = async (rows: readonly Row[], textOf: (row: Row) => string): Promise<void> => {
    const batch = rows.filter(hasValue).map((row) => ({ text: textOf(row), value: row }));
    if (batch.length > 0) await receiver.take(batch);
  };
  const bareText = (row: Row): string => valueText(row, presentation, context, true);

  if (receiver.kind === "command")
    return {
      // One after another would take too long for a thousand, and all at once would be too many.
      async deliver(rows) {
        const failures: (Failure | null)[] = [];
        for (let start = 0; start < rows.length; start += options.concurrency)
          failures.push(
            ...(await Promise.all(
              rows.slice(start, start + options.concurrency).map((row) => failureOf(take([row], () => ""))),
            )),
          );
        return failures;
      },
      printsRows: false,
      list: isBare && !printer.isJson ? noList : printer.openList(isBare ? presentation : reportPresentation),
    };
  const enqueue = createQueue();
  const deliverTogether = (write: (rows: readonly Row[]) => Promise<void>): Values<Row>["deliver"] => {
    return (rows) =>
      enqueue(async () => {
        const failure = await failureOf(write(rows));
        return rows.map(() => failure);
      });
  };
  if (isBare)
    return { deliver: deliverTogether((rows) => take(rows, bareText)), printsRows: false, list: noList };
  if (receiver.kind === "file") {
    const textOf = (row: Row): string =>
      printer.isJson ? valueText(row, presentation, context) : plainLine(row);
    return {
      deliver: deliverTogether((rows) => take(rows, textOf)),
      printsRows: false,
      list: printer.openList(reportPresentation),
    };
  }
  const list = isPlain ? null : printer.openList(presentation);
  const write = async (all: readonly Row[]): Promise<void> => {
    const rows =
      stdout.isTerminal && !printer.isJson ? all.filter(({ status }) => status !== "not-tried") : all;
    if (!printer.hasJq)
      await writeOrUndelivered(async () => {
        await (list === null ? stdout.write(rows.map(plainLine).join("")) : list.add(rows));
        if (rows.some(hasValue)) await stdout.settle();
      });
    // jq may leave the value out of a row, and it would be lost.
    else
      for (const row of rows)
        await (hasValue(row)
          ? take([row], (each) => valueText(each, presentation, context))
          : list?.add([row]));
  };
  return {
    deliver: deliverTogether(write),
    printsRows: true,
    list: { add: (rows) => enqueue(() => write(rows)), end: async () => list?.end() },
  };
}

export const noList: ListWriter<object> = { add: () => Promise.resolve(), end: () => Promise.resolve() };

function hasValue<Row extends ValueRow>(row: Row): row is Row & { readonly token: string } {
  return row.token !== null && row.token !== "";
}

/** Runs one write after another, so that their lines do not interleave. */
function createQueue(): <Result>(write: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (write) => {
    const next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  };
}

/** The text of a new value in this run's format. Throws an `undelivered` failure if --json or --jq leaves the value out. */
export function valueText<Row extends ValueRow & object>(
  row: Row,
  presentation: Presentation<Row>,
  { printer }: Pick<Context, "printer">,
  isListed = false,
): string {
  const token = row.token ?? "";
  const textFor = (value: string): string =>
    printer.valueText(value, { ...row, token: value }, presentation, isListed);
  const text = textFor(token);
  if (!containsToken(text, token, textFor))
    throw new Failure("undelivered", "the token exists, but the output does not contain its value");
  return text;
}

/** True if the text contains the token, even escaped or encoded: it would differ if any character of the token did. */
function containsToken(text: string, token: string, textFor: (token: string) => string): boolean {
  if (text.includes(token)) return true;
  const differs = (position: number): boolean => {
    const other = token[position] === "0" ? "1" : "0";
    return text !== textFor(`${token.slice(0, position)}${other}${token.slice(position + 1)}`);
  };
  try {
    // The ends and some between: each costs a run of jq.
    return [0, 1, 2, 3, 4].every((part) => differs(Math.floor((part * (token.length - 1)) / 4)));
  } catch {
    return true;
  }
}

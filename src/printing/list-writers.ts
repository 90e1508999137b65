// Writes lists as they arrive: JSON arrays, JSON lines, tsv, csv, tables, and JSON through jq.
//
// A writer gets the items of a page with `add` and completes the output with `end`. A list that fails never reaches
// `end`, so its JSON array stays unclosed and no reader takes it for complete.
import type { OutputFormat } from "../config/global-options.ts";
import { dayOf, relativeDate, relativeDateWidth } from "../drawing/relative-date.ts";
import type { createTable, TableColumn } from "../drawing/table.ts";
import type { Jq } from "../jq/jq.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Column, ShownFields } from "./presentation.ts";
import { csvRecord, tsvLine } from "./delimited.ts";

export interface ListWriter<T> {
  /**
   * Writes more items, in order; resolves when they are written. `isLast` promises that no others follow, so that a
   * table reserves no room for wider ones.
   */
  add(items: readonly T[], isLast?: boolean): Promise<void>;
  /** Completes the list. */
  end(): Promise<void>;
}

/** JSON: one array that is closed only at the end, or one object per line. */
export function openJsonWriter<T>(
  stdout: OutputStream,
  toText: (item: T) => string,
  isArray: boolean,
): ListWriter<T> {
  let isEmpty = true;
  return {
    async add(items) {
      if (items.length === 0) return;
      const texts = items.map(toText);
      await stdout.write(isArray ? `${isEmpty ? "[" : ","}\n${texts.join(",\n")}` : `${texts.join("\n")}\n`);
      isEmpty = false;
    },
    async end() {
      if (isArray) await stdout.write(isEmpty ? "[]\n" : "\n]\n");
    },
  };
}

/**
 * JSON that passes through jq: the whole array at its end, or each line as it arrives. A program that is only a path
 * gets the array in chunks, for the same output earlier and with less memory.
 */
export function openJqWriter<T>(
  write: (results: readonly string[]) => Promise<void>,
  { toText, toValue }: JqInput<T>,
  jq: Jq,
  isArray: boolean,
): ListWriter<T> {
  let texts: string[] = [];
  let length = 0;
  /** Buffer this many characters before running jq; none at first, so that the first line appears early. */
  let wanted = isArray && !jq.isPath ? Infinity : 0;
  const run = async (): Promise<void> => {
    const json = isArray ? `[${texts.join(",")}]` : texts.join("\n");
    texts = [];
    length = 0;
    if (isArray) wanted = enoughForJq;
    await jq.load();
    await write(jq.run(json));
  };
  return {
    async add(items) {
      const results = isArray && texts.length === 0 ? resultsWithoutJq(jq, items, toValue) : null;
      if (results !== null) {
        await write(results);
        return;
      }
      // Not push(...items): a page may have more items than a call can take arguments.
      for (const item of items) {
        const text = toText(item);
        texts.push(text);
        length += text.length;
        // Checked for each item: a longer text may not fit into a string, and the list may never end.
        jq.checkLength(length);
      }
      if (length > wanted) await run();
    },
    end: () => (texts.length > 0 || (isArray && !jq.isPath) ? run() : Promise.resolve()),
  };
}

/** The form of an item for jq. */
interface JqInput<T> {
  readonly toText: (item: T) => string;
  readonly toValue: (item: T) => unknown;
}

/** The results for these items if they can be computed without jq, otherwise null. */
function resultsWithoutJq<T>(
  jq: Jq,
  items: readonly T[],
  toValue: (item: T) => unknown,
): readonly string[] | null {
  const results: string[] = [];
  for (const item of items) {
    const result = jq.resultOf(toValue(item));
    if (result === null) return null;
    results.push(result);
  }
  return results;
}

/** Buffered characters per run of jq: starting jq takes about as long as parsing this much JSON. */
const enoughForJq = 64 * 1024;

interface RowOptions {
  readonly format: OutputFormat;
  readonly hasColours: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** One item as a record of csv, with a header, or as a line of tsv. */
export function delimitedRow<T extends object>(shown: ShownFields<T>, item: T, isCsv: boolean): string {
  const cells = shown.columns.map((column) => column.text(item));
  return isCsv ? csvRecord(shown.columns.map(({ title }) => title)) + csvRecord(cells) : tsvLine(cells);
}

/** Rows: tsv without a header, csv and tables with one. */
export function openRowWriter<T extends object>(
  stdout: OutputStream,
  shown: ShownFields<T>,
  { format, hasColours, now }: RowOptions,
): ListWriter<T> {
  const titles = shown.columns.map((column) => column.title);
  const cells = (item: T): string[] => shown.columns.map((column) => column.text(item));
  if (format === "tsv") {
    return {
      add: (items) =>
        items.length === 0
          ? Promise.resolve()
          : stdout.write(items.map((item) => tsvLine(cells(item))).join("")),
      end: () => Promise.resolve(),
    };
  }
  if (format === "csv") {
    let header: string | null = csvRecord(titles);
    const write = async (records: string): Promise<void> => {
      await stdout.write(`${header ?? ""}${records}`);
      header = null;
    };
    return {
      add: (items) => write(items.map((item) => csvRecord(cells(item))).join("")),
      end: () => (header === null ? Promise.resolve() : write("")),
    };
  }
  let draw: ReturnType<typeof createTable> | null = null;
  const drawRows = async (rows: readonly string[][], isLast: boolean): Promise<void> => {
    const { createTable } = await import("../drawing/table.ts");
    const { rulerFor } = await import("../drawing/text-width.ts");
    draw ??= createTable({
      columns: shown.columns.map((column) => tableColumn(column, stdout.isTerminal, isLast)),
      window: stdout.isTerminal ? stdout.columns : null,
      hasColours,
    });
    await stdout.write(draw(rows, await rulerFor(rows.flat())));
  };
  return {
    async add(items, isLast = false) {
      if (items.length === 0) return;
      const moment = momentFor(stdout.isTerminal ? now() : null);
      await drawRows(
        items.map((item) =>
          shown.columns.map((column) => {
            if (column.isMoment === true) return moment(column.text(item));
            return stdout.isTerminal && column.shown !== undefined ? column.shown(item) : column.text(item);
          }),
        ),
        isLast,
      );
    },
    async end() {
      // An empty table has a header only for programs: on a terminal, nothing is printed.
      if (draw === null && !stdout.isTerminal) await drawRows([], true);
    },
  };
}

/** Formats timestamps in a table: relative on a terminal; elsewhere as a date, because the output may be kept. */
function momentFor(now: number | null): (timestamp: string) => string {
  return (timestamp) => (now === null ? dayOf(timestamp) : (relativeDate(timestamp, now) ?? timestamp));
}

function tableColumn<T>(column: Column<T>, isTerminal: boolean, isLast: boolean): TableColumn {
  const { title, minimum = 1, isWhole = false, isMoment = false, priority = 1 } = column;
  return {
    title,
    minimum: isLast ? 1 : isMoment && isTerminal ? relativeDateWidth : minimum,
    isWhole: isWhole || isMoment,
    priority,
  };
}

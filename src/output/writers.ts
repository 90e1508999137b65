// Writes lists as they arrive: JSON arrays, JSON lines, tsv, csv, tables, and JSON through jq.
//
// A list that fails never reaches `end`, so its JSON array stays unclosed and no reader takes it for complete.
import type { OutputFormat } from "../config/global-options.ts";
import type { Jq } from "../jq.ts";
import { csvRecord, tsvLine } from "./delimited.ts";
import type { OutputStream } from "./output-stream.ts";
import { cellFor, type ShownFields } from "./presentation.ts";
import type { createTable } from "./table.ts";

export interface ListWriter<T> {
  /** Writes more items, in order; resolves when they are written. */
  add(items: readonly T[]): Promise<void>;
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

/** The form of an item for jq. */
interface JqInput<T> {
  readonly toText: (item: T) => string;
  readonly toValue: (item: T) => unknown;
}

/**
 * JSON that passes through jq: the whole array at its end, or each line as it arrives. A program that is only a path into
 * each item gives the same results for each page.
 */
export function openJqWriter<T>(
  write: (results: readonly string[]) => Promise<void>,
  { toText, toValue }: JqInput<T>,
  jq: Jq,
  isArray: boolean,
): ListWriter<T> {
  const isWhole = isArray && !jq.isPath;
  const texts: string[] = [];
  let length = 0;
  const run = async (): Promise<void> => {
    const json = isArray ? `[${texts.join(",")}]` : texts.join("\n");
    texts.length = 0;
    length = 0;
    await jq.load();
    await write(jq.run(json));
  };
  return {
    async add(items) {
      const results = isArray ? items.map((item) => jq.resultOf(toValue(item))) : [null];
      if (results.every((result) => result !== null)) {
        await write(results);
        return;
      }
      for (const item of items) {
        const text = toText(item);
        texts.push(text);
        length += text.length;
        // A longer text may not fit into a string, and the list may never end.
        jq.checkLength(length);
      }
      if (!isWhole) await run();
    },
    end: () => (isWhole ? run() : Promise.resolve()),
  };
}

interface RowOptions {
  readonly format: OutputFormat;
  readonly hasColours: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Rows: tsv without a header, csv and tables with one. */
export function openRowWriter<T extends object>(
  stdout: OutputStream,
  { columns }: Pick<ShownFields<T>, "columns">,
  { format, hasColours, now }: RowOptions,
): ListWriter<T> {
  if (format === "table") return openTableWriter(stdout, columns, hasColours, now);
  const isCsv = format === "csv";
  const line = isCsv ? csvRecord : tsvLine;
  let header = isCsv ? csvRecord(columns.map(({ title }) => title)) : "";
  const write = async (rows: string): Promise<void> => {
    if (header + rows === "") return;
    await stdout.write(header + rows);
    header = "";
  };
  return {
    add: (items) => write(items.map((item) => line(columns.map((column) => column.text(item)))).join("")),
    end: () => write(""),
  };
}

function openTableWriter<T>(
  stdout: OutputStream,
  columns: ShownFields<T & object>["columns"],
  hasColours: boolean,
  now: () => number,
): ListWriter<T & object> {
  let table: ReturnType<typeof createTable> | null = null;
  const write = async (rows: readonly (readonly string[])[]): Promise<void> => {
    const { createTable } = await import("./table.ts");
    const isFirst = table === null;
    table ??= createTable(columns, stdout.isTerminal ? stdout.columns : null, hasColours);
    table.fit(rows);
    const lines = [...(isFirst ? [table.drawTitles()] : []), ...table.drawRows(rows)];
    await stdout.write(lines.map((line) => `${line}\n`).join(""));
  };
  return {
    async add(items) {
      if (items.length === 0) return;
      const moment = stdout.isTerminal ? now() : null;
      await write(items.map((item) => columns.map((column) => cellFor(column, item, moment))));
    },
    async end() {
      // An empty table has a header only for programs: on a terminal, nothing is printed.
      if (table === null && !stdout.isTerminal) await write([]);
    },
  };
}

// Writes lists as they arrive: JSON arrays, JSON lines, tsv, csv, tables, and JSON through jq.
//
// A list that fails never reaches `end`, so its JSON array stays unclosed and no reader takes it for complete.
import { csvRecord, tsvLine } from "./delimited.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Column } from "./presentation.ts";
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

/** JSON that passes through jq: the whole array at its end, or each line as it arrives. */
export function openJqWriter<T>(
  run: (json: string) => Promise<void>,
  toText: (item: T) => string,
  isArray: boolean,
): ListWriter<T> {
  const texts: string[] = [];
  return {
    async add(items) {
      if (isArray) for (const item of items) texts.push(toText(item));
      else await run(items.map(toText).join("\n"));
    },
    end: () => (isArray ? run(`[${texts.join(",")}]`) : Promise.resolve()),
  };
}

/** Lines of tsv, which has no header, or records of csv, which has one. */
export function openRowWriter<T>(
  stdout: OutputStream,
  columns: readonly Column<T>[],
  isCsv: boolean,
): ListWriter<T> {
  const line = isCsv ? csvRecord : tsvLine;
  let header = isCsv ? csvRecord(columns.map(({ title }) => title)) : "";
  const add = async (items: readonly T[]): Promise<void> => {
    const rows = items.map((item) => line(columns.map(({ text }) => text(item))));
    const lines = header + rows.join("");
    header = "";
    if (lines !== "") await stdout.write(lines);
  };
  return { add, end: () => add([]) };
}

export function openTableWriter<T>(
  stdout: OutputStream,
  columns: readonly Column<T>[],
  hasColours: boolean,
): ListWriter<T> {
  const { isTerminal } = stdout;
  let table: ReturnType<typeof createTable> | null = null;
  const write = async (items: readonly T[]): Promise<void> => {
    const { createTable } = await import("./table.ts");
    const isFirst = table === null;
    table ??= createTable(columns, isTerminal ? stdout.columns : null, hasColours);
    const rows = items.map((item) => columns.map(({ text }) => text(item)));
    table.fit(rows);
    const lines = [...(isFirst ? [table.drawTitles()] : []), ...table.drawRows(rows)];
    await stdout.write(lines.map((text) => `${text}\n`).join(""));
  };
  return {
    add: async (items) => (items.length === 0 ? undefined : write(items)),
    // An empty table has a header only for programs: on a terminal, nothing is printed.
    end: async () => (table === null && !isTerminal ? write([]) : undefined),
  };
}

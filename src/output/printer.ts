// Writes results to standard output in the format of the run. Notes, warnings and failures go through notices.ts.
// `--json a,b` and `--jq` are applied here, so that commands only declare a presentation.
import type { OutputFormat } from "../config/global-options.ts";
import { joinAnd } from "../errors/words.ts";
import { toJson } from "../json.ts";
import type { Jq } from "../jq.ts";
import { formatLabelled, jsonFormat, rowFormat, tableFormat } from "./formats.ts";
import type { Labelled, ListFormat } from "./formats.ts";
import type { OutputStream } from "./output-stream.ts";
import { chooseShownFields, itemLines, type Presentation } from "./presentation.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";

interface ListTarget {
  readonly stdout: Pick<OutputStream, "isTerminal" | "columns">;
  readonly format: OutputFormat;
  /** The fields of `--json`; null for all. */
  readonly fields: readonly string[] | null;
  readonly jq: Jq | null;
  readonly hasColours: boolean;
}

interface PrinterOptions extends ListTarget {
  readonly stdout: OutputStream;
  /** Prints a line below a list. */
  readonly note: (line: string) => void;
  /** True if a flag sets the format; false if only standard output does. */
  readonly isFormatRequested: boolean;
}

/** A list that is written as its items arrive. */
export type ListWriter<T> = ReturnType<typeof openWriter<T>>;

export type Printer = ReturnType<typeof createPrinter>;

/** JSON for an output: through jq with --jq; on a terminal indented, and with control characters in it escaped. */
function createJson({ stdout: { isTerminal }, format, jq }: ListTarget) {
  const isArray = format !== "ndjson";
  const textOf = (value: unknown, isLine = !isArray): string => {
    const json = toJson(value, isTerminal && !isLine && jq === null ? 2 : 0);
    return isTerminal ? sanitiseJson(json) : json;
  };
  const runJq = (json: string): string =>
    (jq?.(json) ?? [])
      .map((result) => `${isTerminal ? result.split("\n").map(sanitise).join("\n") : result}\n`)
      .join("");
  return {
    text: (value: unknown, isLine?: boolean): string =>
      jq === null ? `${textOf(value, isLine)}\n` : runJq(textOf(value)),
    list<T>(pick: (item: T) => unknown): ListFormat<T> {
      const list = jsonFormat((item: T) => textOf(pick(item)), isArray);
      if (jq === null) return list;
      if (!isArray) return { ...list, add: (items) => runJq(list.add(items)) };
      // jq gets the whole array at its end.
      let held = "";
      return {
        add(items) {
          held += list.add(items);
          return "";
        },
        end: () => runJq(held + list.end()),
      };
    },
  };
}

async function openFormat<T extends object>(presentation: Presentation<T>, target: ListTarget) {
  const { stdout, format, fields, hasColours } = target;
  const { columns, pick } = chooseShownFields(presentation, fields);
  if (format.endsWith("json")) return createJson(target).list(pick);
  if (format !== "table") return rowFormat(columns, format === "csv");
  const { createTable } = await import("./table.ts");
  const window = stdout.isTerminal ? stdout.columns : Infinity;
  return tableFormat(columns, createTable(columns, window, hasColours));
}

/** A whole list as the text of a file. */
export async function listText<T extends object>(
  items: readonly T[],
  presentation: Presentation<T>,
  choice: Pick<ListTarget, "format" | "fields">,
): Promise<string> {
  const target = { ...choice, stdout: { isTerminal: false, columns: 0 }, jq: null, hasColours: false };
  return complete(await openFormat(presentation, target), items);
}

function openWriter<T>(opened: ListFormat<T> | Promise<ListFormat<T>>, { stdout, note }: PrinterOptions) {
  return {
    add: async (items: readonly T[]): Promise<void> => writeText((await opened).add(items), stdout),
    async end(): Promise<void> {
      const list = await opened;
      await writeText(list.end(), stdout);
      // The notes must appear below the list, even if it is in a pager.
      if (stdout.isTerminal) await stdout.flush();
      if (list.hidden?.length) note(`hint: Use --format csv to see ${joinAnd(list.hidden)} as well.`);
    },
  };
}

async function writeText(text: string, stdout: OutputStream): Promise<void> {
  if (text !== "") await stdout.write(text);
}

export function createPrinter(options: PrinterOptions) {
  const { stdout, format, fields, jq, hasColours } = options;
  const isJson = format.endsWith("json");
  const json = createJson(options);
  const printer = {
    format,
    /** True for a table on a terminal. */
    isForPerson: format === "table" && stdout.isTerminal,
    fields,
    /** True for JSON, as one document or one object per line. */
    isJson,
    hasJq: jq !== null,
    /** True if a format was asked for in which even one new token is a row. */
    hasRowFormat: jq === null && options.isFormatRequested,
    /** Opens a list to write items to as they arrive; without `end`, the output is visibly incomplete. */
    openList: <T extends object>(presentation: Presentation<T>) =>
      openWriter(openFormat(presentation, options), options),
    /** Opens a list of items of any shape, always as JSON: an array, or with ndjson one per line. */
    openJsonList: (): ListWriter<unknown> =>
      openWriter(
        json.list((item) => item),
        options,
      ),
    /** `empty`: what a person is told if there are no items. */
    async printList<T extends object>(
      items: readonly T[],
      presentation: Presentation<T>,
      empty?: string,
    ): Promise<void> {
      const list = printer.openList(presentation);
      // The text of a whole audit would take more memory than its rows.
      for (let start = 0; start < items.length; start += 500) await list.add(items.slice(start, start + 500));
      await list.end();
      if (items.length === 0 && printer.isForPerson && empty !== undefined) options.note(empty);
    },
    /** Prints one item. `isLine`: JSON is one line, on a terminal too. */
    async printItem<T extends object>(item: T, presentation: Presentation<T>, isLine?: true): Promise<void> {
      if (isJson)
        await writeText(json.text(chooseShownFields(presentation, fields).pick(item), isLine), stdout);
      else if (format !== "table") await printer.printList([item], presentation);
      else await printer.printLabelled(itemLines(item, presentation, fields));
    },
    printLabelled: (items: readonly Labelled[]): Promise<void> =>
      writeText(formatLabelled(items, hasColours), stdout),
    printJson: (value: unknown): Promise<void> => writeText(json.text(value), stdout),
    /** The text that delivers a new token: its value, or the whole item; JSON as an array of it, for --jq, or as a line. */
    valueText<T extends { readonly token: string | null }>(
      item: T,
      presentation: Presentation<T>,
      form?: "array" | "line",
    ): string {
      const { columns, pick } = chooseShownFields(presentation, fields);
      if (isJson && form === "array") return complete(json.list(pick), [item]);
      if (isJson) return json.text(pick(item), form === "line" ? true : undefined);
      if (format === "table" || fields === null) return `${item.token ?? ""}\n`;
      return complete(rowFormat(columns, format === "csv"), [item]);
    },
  };
  return printer;
}

function complete<T>(list: ListFormat<T>, items: readonly T[]): string {
  return list.add(items) + list.end();
}

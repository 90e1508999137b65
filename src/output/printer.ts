// Writes results to standard output in the format of the run. Notes, warnings and failures go through notices.ts.
//
//   openList, printList, printItem   rows or lines for a person, tsv, csv, JSON
//   valueText, checkCanDeliver       new token values, which must not be lost
//
// `--json a,b` and `--jq` are applied here, so that commands only declare a presentation.
import type { OutputFormat } from "../config/global-options.ts";
import { usageFailure } from "../errors/errors.ts";
import { toJson } from "../json.ts";
import type { Jq } from "../jq.ts";
import { formatLabelled, jqFormat, jsonFormat, rowFormat, tableFormat } from "./formats.ts";
import type { Labelled, ListFormat } from "./formats.ts";
import type { OutputStream } from "./output-stream.ts";
import { chooseShownFields, itemLines, type Presentation } from "./presentation.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";

interface PrinterOptions {
  readonly stdout: OutputStream;
  readonly format: OutputFormat;
  /** True if a flag sets the format; false if only standard output does. */
  readonly isFormatRequested: boolean;
  /** The fields of `--json`; null for all. */
  readonly fields: readonly string[] | null;
  /** The jq program that the JSON passes through; null for none. */
  readonly jq: Jq | null;
  readonly hasColours: boolean;
  /** The reason why output would be lost, such as "the null device"; null if it is not. */
  readonly whyLost: () => string | null;
}

/** A list that is written as its items arrive. */
export interface ListWriter<T> {
  /** Writes more items, in order; resolves when they are written. */
  add(items: readonly T[]): Promise<void>;
  /** Completes the list. */
  end(): Promise<void>;
}

export type Printer = ReturnType<typeof createPrinter>;

/** A printer for one run. */
export function createPrinter(options: PrinterOptions) {
  const { stdout, format, fields, jq, hasColours } = options;
  const isJson = format === "json" || format === "ndjson";
  const isArray = format !== "ndjson";
  /** JSON for this output: on a terminal, indented, and with control characters in it escaped. */
  const jsonOf = (value: unknown, isLine = !isArray): string => {
    const json = toJson(value, stdout.isTerminal && !isLine && jq === null ? 2 : 0);
    return stdout.isTerminal ? sanitiseJson(json) : json;
  };
  const runJq = (json: string): string =>
    (jq?.(json) ?? [])
      .map((result) => `${stdout.isTerminal ? result.split("\n").map(sanitise).join("\n") : result}\n`)
      .join("");
  const jsonText = (value: unknown, isLine?: boolean): string =>
    jq === null ? `${jsonOf(value, isLine)}\n` : runJq(jsonOf(value));
  const jsonList = <T>(pick: (item: T) => unknown): ListFormat<T> => {
    const list = jsonFormat((item: T) => jsonOf(pick(item)), isArray);
    return jq === null ? list : jqFormat(runJq, list, isArray);
  };
  const formatOf = async <T extends object>(presentation: Presentation<T>): Promise<ListFormat<T>> => {
    const { columns, pick } = chooseShownFields(presentation, fields);
    if (isJson) return jsonList(pick);
    if (format !== "table") return rowFormat(columns, format === "csv");
    const { createTable } = await import("./table.ts");
    return tableFormat(
      columns,
      createTable(columns, stdout.isTerminal ? stdout.columns : Infinity, hasColours),
    );
  };
  const write = async (text: string): Promise<void> => {
    if (text !== "") await stdout.write(text);
  };
  const finish = async (text: string): Promise<void> => {
    await write(text);
    // The notes must appear below the list, even if it is in a pager.
    if (stdout.isTerminal) await stdout.settle();
  };
  const openWriter = <T>(opened: ListFormat<T> | Promise<ListFormat<T>>): ListWriter<T> => ({
    add: async (items) => write((await opened).add(items)),
    end: async () => finish((await opened).end()),
  });

  const printer = {
    format,
    /** True for a table on a terminal. */
    isForPerson: format === "table" && stdout.isTerminal,
    /** The fields of `--json`; null for all. */
    fields,
    /** True for JSON, as one document or one object per line. */
    isJson,
    /** True with --jq. */
    hasJq: jq !== null,
    /** True if a format was asked for in which even one new token is a row. */
    printsRows: jq === null && options.isFormatRequested,
    /** Opens a list to write items to as they arrive; without `end`, the output is visibly incomplete. */
    openList: <T extends object>(presentation: Presentation<T>): ListWriter<T> =>
      openWriter(formatOf(presentation)),
    /** Opens a list of items of any shape, always as JSON: an array, or with ndjson one per line. */
    openJsonList: (): ListWriter<unknown> => openWriter(jsonList((item) => item)),
    /** Prints a list that is complete already. */
    async printList<T extends object>(items: readonly T[], presentation: Presentation<T>): Promise<void> {
      const list = printer.openList(presentation);
      // The text of a whole audit would take more memory than its rows.
      for (let start = 0; start < items.length; start += 500) await list.add(items.slice(start, start + 500));
      await list.end();
    },
    /** Prints one item. `isLine`: JSON is one line, on a terminal too. */
    async printItem<T extends object>(item: T, presentation: Presentation<T>, isLine?: true): Promise<void> {
      if (isJson) await write(jsonText(chooseShownFields(presentation, fields).pick(item), isLine));
      else if (format !== "table") await printer.printList([item], presentation);
      else await printer.printLabelled(itemLines(item, presentation, fields));
    },
    /** Prints labels with their lines, for a person. */
    printLabelled: (items: readonly Labelled[]): Promise<void> => write(formatLabelled(items, hasColours)),
    /** Prints a value as JSON, through jq with --jq. */
    printJson: (value: unknown): Promise<void> => write(jsonText(value)),
    /** The text that delivers a new token: its value on a line, or the whole item. `isListed`: JSON is an array of it. */
    valueText<T extends { readonly token: string | null }>(
      item: T,
      presentation: Presentation<T>,
      isListed: boolean,
    ): string {
      const { columns, pick } = chooseShownFields(presentation, fields);
      if (isJson) return isListed ? complete(jsonList(pick), [item]) : jsonText(pick(item));
      if (format === "table" || fields === null) return `${item.token ?? ""}\n`;
      return complete(rowFormat(columns, format === "csv"), [item]);
    },
    /** Throws if standard output would lose a value. Call it before the request that creates one. */
    checkCanDeliver(value = "the token's value"): void {
      const what = options.whyLost();
      if (what !== null)
        throw usageFailure(
          `standard output is ${what}, so ${value} would be lost`,
          "Write it to a pipe, a file or a terminal.",
        );
    },
  };
  return printer;
}

function complete<T>(list: ListFormat<T>, items: readonly T[]): string {
  return list.add(items) + list.end();
}

// Writes results to standard output in the format of the run. Notes, warnings and failures go through notices.ts.
//
//   openList, printList, printItem   rows or lines for a person, tsv, csv, JSON
//   valueText, checkCanDeliver       new token values, which must not be lost
//
// `--json a,b` and `--jq` are applied here, so that commands only declare a presentation.
import type { OutputFormat } from "../config/global-options.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { toJson } from "../json.ts";
import type { Jq } from "../jq.ts";
import { csvRecord, tsvLine } from "./delimited.ts";
import { parseFields } from "./fields.ts";
import type { Labelled } from "./labelled.ts";
import { undelivered, type OutputStream } from "./output-stream.ts";
import { type Presentation, type ShownFields, itemLines, chooseShownFields } from "./presentation.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { openJqWriter, openJsonWriter, openRowWriter, type ListWriter } from "./writers.ts";

interface PrinterOptions {
  readonly stdout: OutputStream;
  readonly format: OutputFormat;
  /** True if a flag of this run sets the format; false if only the configuration does. */
  readonly isFormatRequested: boolean;
  /** The value of `--json`: a list of fields, or null for all. */
  readonly fields: string | null;
  /** The jq program that the JSON passes through; null for none. */
  readonly jq: Jq | null;
  readonly hasColours: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The reason why output would be lost, such as "the null device"; null if it is not. */
  readonly whyLost: () => string | null;
}

export type Printer = ReturnType<typeof createPrinter>;

/** A printer for one run. */
export function createPrinter(options: PrinterOptions) {
  const { stdout, format, jq, isFormatRequested } = options;
  const isJson = format === "json" || format === "ndjson";
  const indent = format === "json" && stdout.isTerminal ? 2 : 0;

  const selectedFields = <T extends object>(presentation: Presentation<T>): readonly string[] | null =>
    options.fields === null ? null : parseFields(options.fields, presentation.fields);
  const choose = <T extends object>(presentation: Presentation<T>): ShownFields<T> =>
    chooseShownFields(presentation, selectedFields(presentation));
  /** JSON for this output: on a terminal, control characters in it are escaped. */
  const shown = (text: string): string => (stdout.isTerminal ? sanitiseJson(text) : text);
  const resultLines = (results: readonly string[]): string =>
    results
      .map((result) => `${stdout.isTerminal ? result.split("\n").map(sanitise).join("\n") : result}\n`)
      .join("");
  const printResults = async (results: readonly string[]): Promise<void> => {
    if (results.length > 0) await stdout.write(resultLines(results));
  };

  const printer = {
    format,
    /** True if a flag of this run requests JSON, as one document or one object per line. */
    isJson: isJson && isFormatRequested,
    /** True with --jq. */
    hasJq: jq !== null,
    /** True if a format was asked for in which even one new token is a row. */
    printsRows: jq === null && isFormatRequested,
    /** Checks the requested fields, before any request. */
    checkFields<T extends object>(presentation: Presentation<T>): void {
      selectedFields(presentation);
    },
    /** Opens a list to write items to as they arrive; without `end`, the output is visibly incomplete. */
    openList<T extends object>(presentation: Presentation<T>): ListWriter<T> {
      const chosen = choose(presentation);
      if (!isJson) return openRowWriter(stdout, chosen, options);
      return printer.openJsonList<T>(
        (item) => toJson(chosen.pick(item), jq === null ? indent : 0),
        chosen.pick,
      );
    },
    /** Opens a list of items of any shape, always as JSON: an array, or with ndjson one per line. */
    openJsonList<T>(
      toText: (item: T) => string,
      toValue: (item: T) => unknown = (item) => item,
    ): ListWriter<T> {
      const isArray = format !== "ndjson";
      if (jq !== null) return openJqWriter(printResults, { toText, toValue }, jq, isArray);
      return openJsonWriter(stdout, (item) => shown(toText(item)), isArray);
    },
    /** Prints a list that is complete already. */
    async printList<T extends object>(items: readonly T[], presentation: Presentation<T>): Promise<void> {
      const list = printer.openList(presentation);
      await list.add(items);
      await list.end();
    },
    /** Prints one item. */
    async printItem<T extends object>(item: T, presentation: Presentation<T>): Promise<void> {
      if (isJson) await printer.printJson(toJson(choose(presentation).pick(item), jq === null ? indent : 0));
      else if (format === "table") {
        const now = stdout.isTerminal ? options.now() : null;
        await printer.printLabelled(itemLines(item, presentation, selectedFields(presentation), now));
      } else await printer.printList([item], presentation);
    },
    /** Prints labels with their lines, for a person. */
    async printLabelled(items: readonly Labelled[]): Promise<void> {
      const { formatLabelled } = await import("./labelled.ts");
      const window = stdout.isTerminal ? stdout.columns : null;
      await stdout.write(formatLabelled(items, window, options.hasColours));
    },
    /** Prints consecutive JSON texts, through jq with --jq. */
    async printJson(text: string): Promise<void> {
      if (jq === null) {
        await stdout.write(`${shown(text)}\n`);
        return;
      }
      await jq.load();
      await printResults(jq.run(text));
    },
    /**
     * The text that delivers a new token: its value on a line, or the whole item as JSON. Throws an `undelivered` failure
     * if jq prints nothing for it. `isListed`: jq gets an array of the item.
     */
    valueText<T extends object>(
      value: string,
      item: T,
      presentation: Presentation<T>,
      isListed = false,
    ): string {
      const { columns, pick } = choose(presentation);
      if (jq !== null) {
        const text = toJson(pick(item), 0);
        return resultLines(filterTokenValue(jq, isListed && format !== "ndjson" ? `[${text}]` : text));
      }
      if (printer.isJson) return `${shown(toJson(pick(item), indent))}\n`;
      if (!isFormatRequested || format === "table" || options.fields === null) return `${value}\n`;
      const cells = columns.map((column) => column.text(item));
      return format === "csv"
        ? csvRecord(columns.map(({ title }) => title)) + csvRecord(cells)
        : tsvLine(cells);
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

/**
 * The output of jq for a token's JSON. Throws an `undelivered` failure if jq fails or prints nothing, because the value
 * would be lost.
 */
function filterTokenValue(jq: Jq, json: string): readonly string[] {
  let results: readonly string[];
  try {
    results = jq.run(json);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw undelivered(error.message.replace(/^--jq: /, ""), error);
  }
  // A mistyped field name results in null.
  if (results.every((result) => /^\s*(?:null)?\s*$/.test(result))) throw undelivered();
  return results;
}

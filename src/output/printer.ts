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
import { csvRecord, tsvLine } from "./delimited.ts";
import type { Labelled } from "./labelled.ts";
import type { OutputStream } from "./output-stream.ts";
import { type Presentation, chooseShownFields, itemLines } from "./presentation.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { openJqWriter, openJsonWriter, openRowWriter, openTableWriter, type ListWriter } from "./writers.ts";

interface PrinterOptions {
  readonly stdout: OutputStream;
  readonly format: OutputFormat;
  /** True if a flag of this run sets the format; false if only the configuration does. */
  readonly isFormatRequested: boolean;
  /** The fields of `--json`; null for all. */
  readonly fields: readonly string[] | null;
  /** The jq program that the JSON passes through; null for none. */
  readonly jq: Jq | null;
  readonly hasColours: boolean;
  /** The reason why output would be lost, such as "the null device"; null if it is not. */
  readonly whyLost: () => string | null;
}

export type Printer = ReturnType<typeof createPrinter>;

/** A printer for one run. */
export function createPrinter(options: PrinterOptions) {
  const { stdout, format, fields, jq, isFormatRequested } = options;
  const isJson = format === "json" || format === "ndjson";
  const indent = format === "json" && stdout.isTerminal && jq === null ? 2 : 0;
  /** JSON for this output: on a terminal, control characters in it are escaped. */
  const shown = (text: string): string => (stdout.isTerminal ? sanitiseJson(text) : text);
  const resultLines = (results: readonly string[]): string =>
    results
      .map((result) => `${stdout.isTerminal ? result.split("\n").map(sanitise).join("\n") : result}\n`)
      .join("");
  const runJq = async (json: string): Promise<void> => {
    const text = resultLines(jq?.(json) ?? []);
    if (text !== "") await stdout.write(text);
  };

  const printer = {
    format,
    /** The fields of `--json`; null for all. */
    fields,
    /** True if a flag of this run requests JSON, as one document or one object per line. */
    isJson: isJson && isFormatRequested,
    /** True with --jq. */
    hasJq: jq !== null,
    /** True if a format was asked for in which even one new token is a row. */
    printsRows: jq === null && isFormatRequested,
    /** Opens a list to write items to as they arrive; without `end`, the output is visibly incomplete. */
    openList<T extends object>(presentation: Presentation<T>): ListWriter<T> {
      const { columns, pick } = chooseShownFields(presentation, fields);
      if (isJson) return printer.openJsonList((item: T) => toJson(pick(item), indent));
      return format === "table"
        ? openTableWriter(stdout, columns, options.hasColours)
        : openRowWriter(stdout, columns, format === "csv");
    },
    /** Opens a list of items of any shape, always as JSON: an array, or with ndjson one per line. */
    openJsonList<T>(toText: (item: T) => string): ListWriter<T> {
      const isArray = format !== "ndjson";
      return jq === null
        ? openJsonWriter(stdout, (item) => shown(toText(item)), isArray)
        : openJqWriter(runJq, toText, isArray);
    },
    /** Prints a list that is complete already. */
    async printList<T extends object>(items: readonly T[], presentation: Presentation<T>): Promise<void> {
      const list = printer.openList(presentation);
      await list.add(items);
      await list.end();
    },
    /** Prints one item. */
    async printItem<T extends object>(item: T, presentation: Presentation<T>): Promise<void> {
      if (isJson) await printer.printJson(toJson(chooseShownFields(presentation, fields).pick(item), indent));
      else if (format !== "table") await printer.printList([item], presentation);
      else await printer.printLabelled(itemLines(item, presentation, fields));
    },
    /** Prints labels with their lines, for a person. */
    async printLabelled(items: readonly Labelled[]): Promise<void> {
      const { formatLabelled } = await import("./labelled.ts");
      await stdout.write(formatLabelled(items, options.hasColours));
    },
    /** Prints consecutive JSON texts, through jq with --jq. */
    printJson: (text: string): Promise<void> =>
      jq === null ? stdout.write(`${shown(text)}\n`) : runJq(text),
    /** The text that delivers a new token: its value on a line, or the whole item. `isListed`: jq gets an array of it. */
    valueText<T extends { readonly token: string | null }>(
      item: T,
      presentation: Presentation<T>,
      isListed: boolean,
    ): string {
      const { columns, pick } = chooseShownFields(presentation, fields);
      if (jq !== null) {
        const text = toJson(pick(item), 0);
        return resultLines(jq(isListed && format !== "ndjson" ? `[${text}]` : text));
      }
      if (printer.isJson) return `${shown(toJson(pick(item), indent))}\n`;
      if (!isFormatRequested || format === "table" || fields === null) return `${item.token ?? ""}\n`;
      const cells = columns.map(({ text }) => text(item));
      return format === "csv"
        ? csvRecord(columns.map(({ title }) => title)) + csvRecord(cells)
        : tsvLine(cells);
    },
    /** What jq makes of a list of new tokens; null without --jq. */
    jqText<T extends object>(items: readonly T[], presentation: Presentation<T>): string | null {
      if (jq === null) return null;
      const texts = items.map((item) => toJson(chooseShownFields(presentation, fields).pick(item), 0));
      return resultLines(jq(format === "ndjson" ? texts.join("\n") : `[${texts.join(",")}]`));
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

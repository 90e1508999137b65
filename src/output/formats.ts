// The formats of results as text: JSON, JSON through jq, lines of tsv, records of csv (RFC 4180), tables, and labelled lines.
//
// A list is made as its items arrive. One that fails is never ended, so its JSON array stays unclosed and no reader takes it
// for complete.
//
// Cells contain untrusted text. In tsv, tabs and line ends are escaped, so that every line has the same number of cells. In
// csv, a cell that a spreadsheet would run as a formula is prefixed with an apostrophe.
import { Chalk } from "chalk";
import type { Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";
import type { Colour, createTable } from "./table.ts";

export interface ListFormat<T> {
  /** The text of more items, in order. */
  add(items: readonly T[]): string;
  /** The rest of the list. */
  end(): string;
  /** The titles of columns that do not fit into the window. */
  readonly hidden?: readonly string[];
}

/** JSON: one array that is closed only at the end, or one object per line. */
export function jsonFormat<T>(toText: (item: T) => string, isArray: boolean): ListFormat<T> {
  let opening = "[";
  return {
    add(items) {
      if (items.length === 0) return "";
      const texts = items.map(toText);
      if (!isArray) return `${texts.join("\n")}\n`;
      const text = `${opening}\n${texts.join(",\n")}`;
      opening = ",";
      return text;
    },
    end: () => (isArray ? (opening === "[" ? "[]\n" : "\n]\n") : ""),
  };
}

/** Lines of tsv, which has no header, or records of csv, which has one. */
export function rowFormat<T>(columns: readonly Column<T>[], isCsv: boolean): ListFormat<T> {
  const line = isCsv ? csvRecord : (cells: readonly string[]) => `${cells.map(sanitise).join("\t")}\n`;
  let header = isCsv ? csvRecord(columns.map(({ title }) => title)) : "";
  const add = (items: readonly T[]): string => {
    const lines = items.map((item) => line(columns.map(({ text }) => text(item))));
    const text = header + lines.join("");
    header = "";
    return text;
  };
  return { add, end: () => add([]) };
}

/** A table, with titles if it has rows. */
export function tableFormat<T>(
  columns: readonly Column<T>[],
  table: ReturnType<typeof createTable>,
): ListFormat<T> {
  let isEmpty = true;
  const hidden: string[] = [];
  return {
    hidden,
    add(items) {
      if (items.length === 0) return "";
      const rows = items.map((item) => columns.map(({ text }) => text(item)));
      hidden.push(...table.fit(rows));
      const titles = isEmpty ? [table.drawTitles()] : [];
      isEmpty = false;
      return [...titles, ...table.drawRows(rows)].map((line) => `${line}\n`).join("");
    },
    end: () => "",
  };
}

/** Labels with one or more lines each, for a person. Only the terminal wraps them, so that each line can be copied whole. */
export interface Labelled {
  readonly label: string;
  /** The first line is drawn beside the label, the others below it. */
  readonly lines: readonly string[];
  readonly colour?: Colour;
}

export function formatLabelled(items: readonly Labelled[], hasColours: boolean): string {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  const beside = Math.max(0, ...items.map(({ label }) => label.length)) + 2;
  return items
    .flatMap(({ label, lines, colour }) => {
      const title = colour === undefined ? label : chalk[colour](label);
      const padding = " ".repeat(beside - label.length);
      return lines.map(
        (line, index) => (index === 0 ? title + padding : " ".repeat(beside)) + sanitise(line),
      );
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function csvRecord(cells: readonly string[]): string {
  // CSV readers skip an empty line, so a single empty cell gets quotes.
  if (cells.length === 1 && cells[0] === "") return '""\r\n';
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string): string {
  const text = sanitise(cell);
  // Some localised spreadsheets also evaluate the full-width signs.
  const defused = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

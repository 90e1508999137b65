// Tables for a person. cli-table3 pads and draws; here it is decided which columns fit, and how wide they are.
//
// The first rows decide. In a window, a column that is empty in all of them is left out, and so is one whose text would become
// useless beside those with a lower priority number; never one with 1. IDs, tokens and commands are never cut, and findings
// are wrapped.
import { Chalk } from "chalk";
import Table from "cli-table3";
// The version that cli-table3 pads with.
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";

export type Colour = "red" | "yellow" | "green" | "cyan";

export type TableColumn = Pick<Column<never>, "title" | "isWhole" | "wraps" | "priority" | "colourOf">;

interface Fitted extends TableColumn {
  readonly index: number;
  readonly priority: number;
  width: number;
}

type Row = readonly string[];

const gap = 2;
/** Below this width a text is of little use, so that a column is dropped instead. */
const leastUseful = 12;
/** A column that must stay is cut to no less than this. */
const least = 4;
/** cli-table3 takes quadratic time. */
const rowsAtOnce = 10;
/** Characters of a cell: a note may have megabytes. Longer than any token in a path. */
const mostOfCell = 10_000;
const timestamp = /^(\d{4}-\d\d-\d\d)T[\d:.]+Z$/;

const noLines = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, ""]),
);

/** The cells without control characters; a timestamp as its day. */
function clean(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => row.map((text) => sanitise(text.slice(0, mostOfCell)).replace(timestamp, "$1")));
}

export function createTable(given: readonly TableColumn[], window: number, hasColours: boolean) {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  let columns: readonly Fitted[] = [];
  const draw = (rows: readonly Row[], style: (text: string, column: Fitted) => string): readonly string[] => {
    const table = new Table({
      chars: { ...noLines, middle: " ".repeat(gap) },
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
      colWidths: columns.map(({ width }) => width),
    });
    for (const row of rows)
      table.push(columns.map((column) => style(fitText(row[column.index] ?? "", column), column)));
    return table.toString().replaceAll(/ +$/gm, "").split("\n");
  };
  const colour = (text: string, { colourOf }: Fitted): string => {
    const name = colourOf?.(text);
    return name === undefined ? text : chalk[name](text);
  };
  return {
    /** Decides the columns, if these are the first rows; then returns the titles of others, in which they have text. */
    fit(rows: readonly Row[]): readonly string[] {
      if (columns.length > 0) return [];
      columns = fitColumns(given, clean(rows), window);
      const shown = new Set(columns.map(({ index }) => index));
      return given.flatMap(({ title }, at) =>
        shown.has(at) || rows.every((row) => row[at] === "") ? [] : title,
      );
    },
    drawTitles: (): string => draw([given.map(({ title }) => title)], (text) => chalk.bold(text)).join(""),
    drawRows(rows: readonly Row[]): readonly string[] {
      const cells = clean(rows);
      widen(columns, cells, window);
      const lines: string[] = [];
      for (let start = 0; start < cells.length; start += rowsAtOnce)
        lines.push(...draw(cells.slice(start, start + rowsAtOnce), colour));
      return lines;
    },
  };
}

/** The rows of a list to select from, drawn as a table. */
export function layOutRows<T>(items: readonly T[], columns: readonly Column<T>[]) {
  const rows = items.map((item) => columns.map((column) => column.text(item)));
  return {
    /** The text of each row that a search matches: every column except dates. */
    texts: rows.map((cells) => sanitise(cells.filter((cell) => !timestamp.test(cell)).join(" "))),
    /** Fits the columns into a window; `draw` gives a line for each of these rows. */
    fit(window: number) {
      const table = createTable(columns, window, false);
      table.fit(rows);
      return {
        titles: table.drawTitles(),
        draw: (indexes: readonly number[]) => table.drawRows(indexes.map((index) => rows[index] ?? [])),
      };
    },
  };
}

function widest(rows: readonly Row[], index: number, start: number): number {
  return rows.reduce((width, row) => Math.max(width, stringWidth(row[index] ?? "")), start);
}

function totalWidth(columns: readonly Fitted[], longestText = Infinity): number {
  const widths = columns.map(({ isWhole, wraps = 0, width }) =>
    isWhole ? width : Math.min(width, Math.max(wraps, longestText)),
  );
  return widths.reduce((sum, width) => sum + width + gap, -gap);
}

/** Gives longer texts of later rows the room that is left. A token gets what it needs. */
function widen(columns: readonly Fitted[], rows: readonly Row[], window: number): void {
  for (const column of columns) {
    const room = column.isWhole ? Infinity : Math.max(0, window - totalWidth(columns));
    column.width = Math.min(widest(rows, column.index, column.width), column.width + room);
  }
}

function fitColumns(given: readonly TableColumn[], rows: readonly Row[], window: number): readonly Fitted[] {
  const columns = given.map((column, index): Fitted => ({
    ...column,
    index,
    priority: column.priority ?? 1,
    // Rows that arrive one by one begin with a status, which has at most 12 characters.
    width: Math.max(
      rows.length === 1 && index === 0 && column.title === "STATUS" ? 12 : 0,
      widest(rows, index, stringWidth(column.title)),
    ),
  }));
  // Rows that arrive one by one do not show what others have.
  const filled = columns.filter(
    ({ index, priority }) => priority === 1 || rows.length === 1 || rows.some((row) => row[index] !== ""),
  );
  const kept: Fitted[] = [];
  for (const column of filled.toSorted((one, other) => one.priority - other.priority))
    if (column.priority === 1 || totalWidth([...kept, column], leastUseful) <= window) kept.push(column);
  for (let excess = totalWidth(kept) - window; excess > 0; excess -= 1) {
    const [longest] = kept
      .filter(({ isWhole, wraps = 0, width }) => !isWhole && width > wraps)
      .toSorted((one, other) => other.width - one.width);
    if (longest === undefined || longest.width <= least) break;
    longest.width -= 1;
  }
  return kept.toSorted((one, other) => one.index - other.index);
}

function fitText(text: string, { wraps, width }: Fitted): string {
  return wraps !== undefined ? wrapAnsi(text, width, { hard: true }) : cutText(text, width);
}

/** Cuts a text to a width, and marks the cut. cli-table3 would halve a character of two code units. */
export function cutText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

// Tables for a person. cli-table3 pads and draws; here it is decided which columns fit, and how wide they are.
//
// The first rows decide. In a window, a column that is empty in all of them is left out, and a column is dropped before its text
// becomes useless: the one with the highest priority number first, never one with 1. IDs and tokens are never cut.
import { Chalk } from "chalk";
import Table from "cli-table3";
import type { Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";
import { cutText, widthOf } from "./text.ts";

export type Colour = "red" | "yellow" | "green" | "cyan";

export type TableColumn = Pick<
  Column<never>,
  "title" | "isWhole" | "isMoment" | "minimum" | "priority" | "colourOf"
>;

interface Fitted extends Pick<TableColumn, "title" | "colourOf"> {
  /** The position of its cell in a row. */
  readonly index: number;
  readonly isWhole: boolean;
  readonly priority: number;
  readonly width: number;
}

type Row = readonly string[];

const gap = 2;
/** Below this width a text is of little use, so that a column is dropped instead. */
const leastUseful = 12;
/** A column that must stay is cut to no less than this. */
const least = 4;
/** cli-table3 takes quadratic time. */
const rowsAtOnce = 100;
/** Characters of a cell that cannot be cut, and the width of others without a window: a note may have megabytes. */
const mostOfCell = 1024;

const noLines = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, ""]),
);

/** A table, as wide as the window if there is one. */
export function createTable(given: readonly TableColumn[], window: number | null, hasColours: boolean) {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  let columns: readonly Fitted[] | null = null;
  const clean = (rows: readonly Row[]): readonly Row[] =>
    rows.map((row) => row.map((text, index) => sanitise(text.slice(0, mostOf(given[index], window)))));
  const drawLines = (rows: readonly Row[], fitted: readonly Fitted[]): string => {
    const table = new Table({
      chars: { ...noLines, middle: " ".repeat(gap) },
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
      colWidths: fitted.map(({ width }) => width),
    });
    for (const row of rows) table.push([...row]);
    return table.toString().replaceAll(/ +$/gm, "");
  };
  return {
    /** Decides the columns, if these are the first rows. */
    fit(rows: readonly Row[]): void {
      columns ??= fitColumns(given, clean(rows), window);
    },
    /** The line with the titles. */
    drawTitles(): string {
      const fitted = columns ?? [];
      return drawLines([fitted.map(({ title }) => chalk.bold(title))], fitted);
    },
    /** The lines of these rows, without the titles. */
    drawRows(rows: readonly Row[]): readonly string[] {
      const cells = clean(rows);
      const fitted = widen(columns ?? [], cells, window ?? Infinity);
      columns = fitted;
      const lines: string[] = [];
      for (let start = 0; start < cells.length; start += rowsAtOnce) {
        const chunk = cells.slice(start, start + rowsAtOnce).map((row) =>
          fitted.map(({ index, width, colourOf }) => {
            const text = cutText(row[index] ?? "", width);
            const colour = colourOf?.(text);
            return colour === undefined ? text : chalk[colour](text);
          }),
        );
        lines.push(...drawLines(chunk, fitted).split("\n"));
      }
      return lines;
    },
  };
}

/** The characters of a cell that can be seen; combining marks take none of the width. */
function mostOf(column: TableColumn | undefined, window: number | null): number {
  return column?.isWhole === true || window === null ? mostOfCell : Math.min(mostOfCell, 8 * window);
}

function widest({ index }: { readonly index: number }, rows: readonly Row[], start: number): number {
  return rows.reduce((width, row) => Math.max(width, widthOf(row[index] ?? "")), start);
}

/** Gives longer texts of later rows the room that is left. A token gets what it needs. */
function widen(columns: readonly Fitted[], rows: readonly Row[], window: number): readonly Fitted[] {
  let room = window - columns.reduce((sum, { width }) => sum + width + gap, -gap);
  return columns.map((column) => {
    const needed = widest(column, rows, column.width) - column.width;
    const more = column.isWhole ? needed : Math.max(0, Math.min(needed, room));
    room -= more;
    return { ...column, width: column.width + more };
  });
}

/** The columns that fit into the window, with their widths. */
function fitColumns(
  given: readonly TableColumn[],
  rows: readonly Row[],
  window: number | null,
): readonly Fitted[] {
  // Rows that arrive one by one do not show what others have.
  const isPage = rows.length > 1;
  const all = given.map((column, index) => ({
    ...column,
    index,
    isWhole: column.isWhole === true || column.isMoment === true,
    priority: column.priority ?? 1,
    width: widest({ index }, rows, isPage ? 0 : (column.minimum ?? 0)),
  }));
  const isShown = ({ priority, width }: Fitted): boolean =>
    window === null || !isPage || priority === 1 || width > 0;
  let kept = all
    .filter(isShown)
    .map((column) => ({ ...column, width: Math.max(column.width, widthOf(column.title)) }));
  if (window === null) return kept;
  const total = (shortest: number): number =>
    kept.reduce((sum, { isWhole, width }) => sum + gap + (isWhole ? width : Math.min(width, shortest)), -gap);
  while (total(leastUseful) > window) {
    const [last] = kept.toSorted((one, other) => other.priority - one.priority);
    if (last === undefined || last.priority === 1) break;
    kept = kept.filter((column) => column !== last);
  }
  const mayShrink = kept.filter(({ isWhole }) => !isWhole);
  for (let excess = total(Infinity) - window; excess > 0; excess -= 1) {
    const [longest] = mayShrink.toSorted((one, other) => other.width - one.width);
    if (longest === undefined || longest.width <= least) break;
    longest.width -= 1;
  }
  return kept;
}

// Tables for a person, drawn in chunks. The first chunk decides the columns and their widths, so that the time for a
// long list is linear. Loaded with the first table.
//
// A column is dropped before its text is cut so short that it is useless. The column with the highest priority number
// is dropped first; columns with priority 1 stay. IDs and tokens are never cut.
import Table from "cli-table3";
import { sanitise } from "./sanitise.ts";
import type { Ruler } from "./text-width.ts";
import { Chalk } from "chalk";

/** Spaces between two columns. */
export const gap = 2;

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ".repeat(gap),
};

export interface TableColumn extends Pick<ColumnRequest, "isWhole" | "priority"> {
  readonly title: string;
  /** The minimum width in terminal columns, with room for later rows. */
  readonly minimum: number;
}

export interface TableOptions {
  readonly columns: readonly TableColumn[];
  /** The width of the terminal; null for unlimited, so that nothing is cut. */
  readonly window: number | null;
  readonly hasColours: boolean;
}

type DrawnColumn = Fitted<TableColumn & ColumnRequest>;

/** The maximum width of a cell without a window: a name of megabytes would widen every row. */
const widestCell = 500;
/** The same for a column that is never cut, such as tokens. */
const widestWhole = 1024;

/** Draws more rows; the ruler must support all of their text. */
type DrawRows = (rows: readonly string[][], ruler: Ruler) => string;

/**
 * Draws rows in chunks; the header comes with the first chunk. Later chunks keep the widths, unless a text that may not
 * be cut needs more.
 */
export function createTable({ columns: given, window, hasColours }: TableOptions): DrawRows {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  const room = window ?? Infinity;
  const longest = given.map(({ isWhole }) => (isWhole ? widestWhole : Math.min(room, widestCell)));
  let drawn: readonly DrawnColumn[] | null = null;
  let layout: { readonly columns: unknown; readonly fill: ReturnType<typeof layOutRow> } | null = null;
  return (rows, ruler) => {
    const cells = rows.map((row) =>
      row.map((text, index) => {
        const most = longest[index] ?? widestCell;
        return ruler.cut(truncateToWidth(sanitise(truncateToWidth(text, most)), most), most);
      }),
    );
    const isFirst = drawn === null;
    const columns =
      drawn === null ? chooseDrawnColumns(given, cells, room, ruler) : widen(drawn, cells, room, ruler);
    drawn = columns;
    if (layout?.columns !== columns) layout = { columns, fill: layOutRow(columns.map(({ width }) => width)) };
    const { fill } = layout;
    const header = columns.map(({ title, width }) => {
      const text = ruler.cut(title, width);
      return { text: chalk.bold(text), width: ruler.widthOf(text) };
    });
    const lines = cells.map((row) =>
      columns.map(({ index, width }) => {
        const text = ruler.cut(row[index] ?? "", width);
        return { text, width: ruler.widthOf(text) };
      }),
    );
    return [...(isFirst ? [header] : []), ...lines].map((line) => `${fill(line)}\n`).join("");
  };
}

/** The maximum number of characters in one column, after the sanitiser. */
const mostOfAColumn = 16;

/** A prefix that is long enough to fill these columns, so that a text of megabytes is not measured whole. */
function truncateToWidth(text: string, columns: number): string {
  return text.slice(0, (columns + 1) * mostOfAColumn);
}

function chooseDrawnColumns(
  columns: readonly TableColumn[],
  cells: readonly (readonly string[])[],
  room: number,
  ruler: Ruler,
): readonly DrawnColumn[] {
  const requests = columns.map((column, index) => {
    const longest = widthOfColumn(cells, index, ruler);
    const width = Math.max(column.minimum, ruler.widthOf(column.title), longest);
    return { ...column, width, isEmpty: longest === 0 };
  });
  return fitColumns(requests, room);
}

/** Widens the columns that must not be cut, and narrows the others if that leaves less room. */
function widen(
  drawn: readonly DrawnColumn[],
  cells: readonly (readonly string[])[],
  room: number,
  ruler: Ruler,
): readonly DrawnColumn[] {
  const wished = drawn.map((column) => {
    const mayGrow = room === Infinity || column.isWhole;
    return mayGrow
      ? { ...column, width: Math.max(column.width, widthOfColumn(cells, column.index, ruler)) }
      : column;
  });
  if (wished.every(({ width }, position) => width === drawn[position]?.width)) return drawn;
  return fitWidths(wished, room);
}

function widthOfColumn(cells: readonly (readonly string[])[], index: number, ruler: Ruler): number {
  return cells.reduce((widest, row) => Math.max(widest, ruler.widthOf(row[index] ?? "")), 0);
}

/** A private-use character, always one column wide. */
const placeholder = "\ue000";

/** The text of a cell, with its width in terminal columns. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/**
 * Lays out one row with the table library, and returns a function that fills in the cells of each row, each at most as
 * wide as its column. The library is called only once: it is a hundred times slower than filling in, and it counts
 * combining marks of most scripts as separate columns.
 */
function layOutRow(widths: readonly number[]): (cells: readonly Cell[]) => string {
  const table = new Table({
    chars: noLines,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colWidths: [...widths],
  });
  table.push(widths.map((width) => placeholder.repeat(width)));
  const between = table.toString().split(/\ue000+/);
  return (cells) =>
    cells
      .map(
        ({ text, width }, index) =>
          `${between[index] ?? ""}${text}${" ".repeat(Math.max(0, (widths[index] ?? 0) - width))}`,
      )
      .join("")
      .trimEnd();
}

// Column fitting. Works with widths only, not with text.

/** Below this width a text is of little use, so a column is dropped instead. */
const minUsefulWidth = 12;
/** A column that must stay is cut to no less than this. */
const minWidth = 4;

export interface ColumnRequest {
  /** Terminal columns of its widest text. */
  readonly width: number;
  /** True if its texts are useless when cut, as ids are. */
  readonly isWhole: boolean;
  /** Columns with 1 stay; of the others, the one with the greatest number is left out first. */
  readonly priority: number;
  /** True if all its cells are empty, as far as is known. */
  readonly isEmpty: boolean;
}

type Fitted<Request extends ColumnRequest> = Request & {
  /** The position of its request, and of its cell in a row. */
  readonly index: number;
};

/**
 * The columns to draw, in order, with their widths. A column of priority 1 is dropped only if not even a few of its
 * characters fit, and never if it must not be cut.
 */
export function fitColumns<Request extends ColumnRequest>(
  requests: readonly Request[],
  window: number,
): readonly Fitted<Request>[] {
  let kept = requests.map((request, index) => ({ ...request, index }));
  const drop = (mayDrop: (request: Request) => boolean, shortest: number): void => {
    while (kept.length > 1 && totalWidth(kept.map((column) => leastWidth(column, shortest))) > window) {
      const [dropped] = kept
        .filter(mayDrop)
        .toSorted((one, other) => dropRank(other) - dropRank(one) || other.index - one.index);
      if (dropped === undefined) return;
      kept = kept.filter((column) => column !== dropped);
    }
  };
  drop(({ priority }) => priority > 1, minUsefulWidth);
  drop(({ isWhole }) => !isWhole, minWidth);
  return fitWidths(kept, window);
}

/**
 * Narrows the widest columns until all fit, starting with those that may be dropped. A column that must not be cut keeps
 * its width, even if it is wider than the window.
 */
function fitWidths<Column extends ColumnRequest>(
  columns: readonly Column[],
  window: number,
): readonly Column[] {
  const widths = columns.map(({ width }) => width);
  const isWhole = (index: number): boolean => columns[index]?.isWhole === true;
  const isExtra = (index: number): boolean => (columns[index]?.priority ?? 1) > 1;
  narrow(widths, window, minUsefulWidth, (index) => isExtra(index) && !isWhole(index));
  narrow(widths, window, minWidth, (index) => !isWhole(index));
  // Needed only if later rows are wider than those that the columns were chosen for.
  narrow(widths, window, minWidth, isExtra);
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? column.width }));
}

function narrow(
  widths: number[],
  window: number,
  shortest: number,
  mayCut: (index: number) => boolean,
): void {
  for (let excess = totalWidth(widths) - window; excess > 0; excess -= 1) {
    const widest = Math.max(0, ...widths.filter((_, index) => mayCut(index)));
    if (widest <= shortest) return;
    widths[widths.findIndex((width, index) => width === widest && mayCut(index))] = widest - 1;
  }
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}

function leastWidth({ isWhole, width }: ColumnRequest, shortest: number): number {
  return isWhole ? width : Math.min(width, shortest);
}

/** The column with the highest rank is dropped first; an empty one before all others. */
function dropRank({ priority, isEmpty }: ColumnRequest): number {
  return priority + (isEmpty && priority > 1 ? 1000 : 0);
}

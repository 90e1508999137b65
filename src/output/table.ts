// Tables for a person, drawn in chunks: columns and widths are fixed by the first rows, so that a long list takes
// linear time. Loaded with the first table.
import { Chalk } from "chalk";
import Table from "cli-table3";
import { beginningOf, cut, isPlain, widthOf } from "./display-width.ts";
import { chooseColumns, fitWidths, gap, type ColumnWish } from "./fit-columns.ts";
import { sanitise } from "./sanitise.ts";

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

export interface TableColumn {
  readonly title: string;
  /** Terminal columns it takes at least, for rows that come later. */
  readonly minimum: number;
  /** Whether part of a text is of no use. */
  readonly isWhole: boolean;
  /** 1 is for what has to stay; of the others the greatest goes first. */
  readonly priority: number;
}

export interface TableOptions {
  readonly columns: readonly TableColumn[];
  /** Terminal columns of the window; null where nothing has to fit, and so nothing is cut. */
  readonly window: number | null;
  readonly hasColours: boolean;
}

/** A column that is drawn. */
interface DrawnColumn extends TableColumn {
  /** Where its texts stand in a row. */
  readonly index: number;
  readonly width: number;
}

/**
 * Draws rows in chunks; the header comes with the first chunk. Columns stay as they were, but where text of one that is
 * whole would be lost.
 */
export function createTable(options: TableOptions): (rows: readonly string[][]) => string {
  const { window } = options;
  const chalk = new Chalk({ level: options.hasColours ? 1 : 0 });
  const cleanCell = (text: string): string => {
    const clean = sanitise(text);
    return window === null ? clean : beginningOf(clean, window);
  };
  let drawn: readonly DrawnColumn[] | null = null;
  return (rows) => {
    const cells = rows.map((row) => row.map(cleanCell));
    const isFirst = drawn === null;
    const columns =
      drawn === null ? chooseDrawn(options.columns, cells, window) : widen(drawn, cells, window);
    drawn = columns;
    const header = columns.map(({ title, width }) => chalk.bold(cut(title, width)));
    const texts = cells.map((row) => columns.map(({ index, width }) => cut(row[index] ?? "", width)));
    return drawRows(
      isFirst ? [header] : [],
      texts,
      columns.map(({ width }) => width),
    );
  };
}

function chooseDrawn(
  columns: readonly TableColumn[],
  cells: readonly (readonly string[])[],
  window: number | null,
): readonly DrawnColumn[] {
  const wishes = columns.map((column, index): ColumnWish => {
    const longest = widthOfColumn(cells, index);
    const width = Math.max(column.minimum, widthOf(column.title), longest);
    return { width, isWhole: column.isWhole, priority: column.priority, isEmpty: longest === 0 };
  });
  const chosen = window === null ? [...columns.keys()] : chooseColumns(wishes, window);
  const asked = chosen.flatMap((index) => wishes[index] ?? []);
  const widths = window === null ? asked.map(({ width }) => width) : fitWidths(asked, window);
  return chosen.flatMap((index, position) => {
    const column = columns[index];
    return column === undefined ? [] : [{ ...column, index, width: widths[position] ?? 1 }];
  });
}

/** The same columns, those wider of which nothing may be cut, and the others as far as that leaves room. */
function widen(
  drawn: readonly DrawnColumn[],
  cells: readonly (readonly string[])[],
  window: number | null,
): readonly DrawnColumn[] {
  const wishes = drawn.map(({ index, width, isWhole, priority }): ColumnWish => {
    const mayGrow = window === null || isWhole;
    const wished = mayGrow ? Math.max(width, widthOfColumn(cells, index)) : width;
    return { width: wished, isWhole, priority, isEmpty: false };
  });
  if (wishes.every(({ width }, position) => width === drawn[position]?.width)) return drawn;
  const widths = window === null ? wishes.map(({ width }) => width) : fitWidths(wishes, window);
  return drawn.map((column, position) => ({ ...column, width: widths[position] ?? column.width }));
}

function widthOfColumn(cells: readonly (readonly string[])[], index: number): number {
  return cells.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0);
}

/** A private-use character, one column wide for everybody. */
const placeholder = "\ue000";

/** Lines of rows, each text of at most its column's width. */
function drawRows(
  header: readonly string[][],
  texts: readonly string[][],
  widths: readonly number[],
): string {
  const table = new Table({
    chars: noLines,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colWidths: [...widths],
  });
  // The table takes marks of most scripts for columns of their own, so texts that are not plain are put in later.
  const held: string[] = [];
  const hold = (text: string): string => {
    if (isPlain(text)) return text;
    const width = widthOf(text);
    held.push(width === 0 ? ` ${text}` : text);
    return placeholder.repeat(Math.max(1, width));
  };
  table.push(...header, ...texts.map((row) => row.map(hold)));
  let next = 0;
  return `${table
    .toString()
    .replaceAll(/\ue000+/g, () => held[next++] ?? "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}

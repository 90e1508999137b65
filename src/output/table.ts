// Tables for a terminal, drawn in chunks: widths are fixed by the first rows, so that a long list takes linear time.
// Loaded with the first table.
import { Chalk } from "chalk";
import Table from "cli-table3";
import { cut, fitWidths, gap, mayCut, widthOfColumn } from "./column-widths.ts";
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

export interface TableOptions {
  readonly titles: readonly string[];
  /** The least width of each column; one of more than 1 is of a column that is never cut. */
  readonly minimums: readonly number[];
  /** Columns of the terminal; null where nothing has to fit, and so nothing is cut. */
  readonly columns: number | null;
  readonly hasColours: boolean;
}

/** Draws rows in chunks; the header comes with the first chunk, and its widths stay, but where text would be lost. */
export function createTable({
  titles,
  minimums,
  columns,
  hasColours,
}: TableOptions): (rows: readonly string[][]) => string {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  let widths: readonly number[] | null = null;
  return (rows) => {
    const cells = rows.map((row) => row.map(sanitise));
    const isFirst = widths === null;
    widths =
      widths === null
        ? fitWidths([titles, ...cells], minimums, columns)
        : widen(widths, cells, minimums, columns);
    const fixed = widths;
    const table = new Table({
      chars: noLines,
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
      colWidths: [...fixed],
    });
    if (isFirst) table.push(titles.map((title, index) => chalk.bold(cut(title, fixed[index] ?? 1))));
    table.push(...cells.map((row) => row.map((cell, index) => cut(cell, fixed[index] ?? 1))));
    return `${table
      .toString()
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")}\n`;
  };
}

/** The same widths, but for columns of which nothing may be cut. */
function widen(
  widths: readonly number[],
  rows: readonly (readonly string[])[],
  minimums: readonly number[],
  columns: number | null,
): readonly number[] {
  return widths.map((width, index) =>
    columns === null || !mayCut(minimums, index) ? Math.max(width, widthOfColumn(rows, index)) : width,
  );
}

// Tables for a terminal, drawn in chunks: widths are fixed by the first rows, so that a long list takes linear time.
// Loaded with the first table.
import { Chalk } from "chalk";
import Table from "cli-table3";
import displayWidth from "string-width";
import { sanitise } from "./sanitise.ts";

const gap = 2;
const narrowest = 4;

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

/** The natural width of each column, the widest ones that may be cut narrowed until everything fits. */
function fitWidths(
  rows: readonly (readonly string[])[],
  minimums: readonly number[],
  columns: number | null,
): readonly number[] {
  const widths = minimums.map((minimum, index) => Math.max(minimum, widthOfColumn(rows, index)));
  if (columns === null) return widths;
  const available = columns - gap * (widths.length - 1);
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess -= 1) {
    const widest = Math.max(...widths.filter((_, index) => mayCut(minimums, index)));
    if (widest <= narrowest) break;
    const narrowed = widths.findIndex((width, index) => width === widest && mayCut(minimums, index));
    widths[narrowed] = widest - 1;
  }
  return widths;
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

function mayCut(minimums: readonly number[], index: number): boolean {
  return (minimums[index] ?? 1) <= 1;
}

function widthOfColumn(rows: readonly (readonly string[])[], index: number): number {
  return Math.max(0, ...rows.map((row) => displayWidth(row[index] ?? "")));
}

/** A text of at most this width, cut between graphemes, the cut shown. */
function cut(text: string, width: number): string {
  // Most texts are short and plain, and need not be measured.
  if (text.length <= width && /^[\x20-\x7e]*$/.test(text)) return text;
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

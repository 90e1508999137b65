// Tables for a terminal, drawn in chunks: widths are fixed by the first rows, so that a long list takes linear time.
// Loaded with the first table.
import { Chalk } from "chalk";
import Table from "cli-table3";
import displayWidth from "string-width";
import { sanitise } from "./sanitise.ts";

const gap = 2;
const narrowest = 6;

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
  /** The least width of each column. */
  readonly minimums: readonly number[];
  /** Columns of the terminal; null where nothing has to fit. */
  readonly columns: number | null;
  readonly hasColours: boolean;
}

/** Draws rows in chunks; the header comes with the first chunk, and the widths stay those it had. */
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
    widths ??= fitWidths([titles, ...cells], minimums, columns);
    const table = new Table({
      chars: noLines,
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
      colWidths: [...widths],
    });
    if (isFirst) table.push(titles.map((title) => chalk.bold(title)));
    table.push(...cells);
    return `${table
      .toString()
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")}\n`;
  };
}

/** The natural width of each column, the widest ones narrowed until everything fits. */
function fitWidths(
  rows: readonly (readonly string[])[],
  minimums: readonly number[],
  columns: number | null,
): readonly number[] {
  const widths = minimums.map((minimum, index) =>
    Math.max(minimum, ...rows.map((row) => displayWidth(row[index] ?? ""))),
  );
  if (columns === null) return widths;
  const available = columns - gap * (widths.length - 1);
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess -= 1) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

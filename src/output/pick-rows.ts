// Rows of a list to pick from: each on one line, its columns straight, cut to the window it is drawn in. The same text,
// made safe and not cut, is what a search looks in.
import { cut, fitWidths, gap, widthOf } from "./column-widths.ts";
import { sanitise } from "./sanitise.ts";

export interface PickRows {
  /** The whole text of each row. */
  readonly texts: readonly string[];
  /** One row, not wider than so many columns. */
  draw(index: number, columns: number): string;
}

/** Lays cells out as rows. A column whose least width is more than 1 is not cut while the others can be. */
export function layOutRows(rows: readonly (readonly string[])[], minimums: readonly number[]): PickRows {
  const cells = rows.map((row) => row.map(sanitise));
  let fitted: { readonly columns: number; readonly widths: readonly number[] } | null = null;
  return {
    texts: cells.map((row) => row.join(" ")),
    draw(index, columns) {
      // Measuring takes a moment for a long list, and a window keeps its width most of the time.
      if (fitted?.columns !== columns) fitted = { columns, widths: fitWidths(cells, minimums, columns) };
      const { widths } = fitted;
      const line = (cells[index] ?? []).map((cell, column) => fill(cell, widths[column] ?? 0));
      return cut(line.join(" ".repeat(gap)).trimEnd(), columns);
    },
  };
}

function fill(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)));
}

// How wide text is on a terminal, and how columns share a line: nothing wraps, and wide characters count as two. Leaves
// drawing to tables and lists to pick from.
import displayWidth from "string-width";

/** Columns of a terminal between two columns of text. */
export const gap = 2;
const narrowest = 4;

/**
 * The natural width of each column, the widest ones that may be cut narrowed until everything fits into `columns`; null
 * for no bound. A column whose minimum is more than 1 is never cut.
 */
export function fitWidths(
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

/** Whether text of the column may be cut, going by its least width. */
export function mayCut(minimums: readonly number[], index: number): boolean {
  return (minimums[index] ?? 1) <= 1;
}

/** The width of the widest text in a column. */
export function widthOfColumn(rows: readonly (readonly string[])[], index: number): number {
  // One by one: there may be more rows than a call takes arguments.
  return rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0);
}

/** Columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  // Most texts are plain, and need not be measured.
  return isPlain(text) ? text.length : displayWidth(text);
}

/** A text of at most this width, cut between graphemes, the cut shown. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

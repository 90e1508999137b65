// Lays out the rows of a list to select from: one line each, in columns below their titles, cut to the window. The text
// that a search matches is also sanitised, but not cut.
import { fitColumns, gap, type ColumnRequest } from "./table.ts";
import { wideRuler } from "./wide-ruler.ts";
import { sanitise } from "./sanitise.ts";

const { cut, widthOf } = wideRuler;

/** The rows of a list to select from, sanitised. */
export interface PickRows {
  /** The text of each row that a search matches. */
  readonly texts: readonly string[];
  /** One row, at most `columns` wide. */
  draw(index: number, columns: number): string;
  /** The titles above rows of this width. */
  drawTitles(columns: number): string;
}

/** A column's title, and its behaviour in a narrow window. */
interface PickColumn extends Pick<ColumnRequest, "isWhole" | "priority"> {
  readonly title: string;
}

/** Lays cells out as rows. `searched` are the texts for a search, if they are not simply the cells. */
export function layOutRows(
  rows: readonly (readonly string[])[],
  columns: readonly PickColumn[],
  searched: readonly (readonly string[])[] = rows,
): PickRows {
  const cells = rows.map((row) => row.map(sanitise));
  const titles = columns.map(({ title }) => title);
  const requests = columns.map(({ title, isWhole, priority }, index): ColumnRequest => {
    const longest = cells.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0);
    return { isWhole, priority, width: Math.max(longest, widthOf(title)), isEmpty: longest === 0 };
  });
  let fitted = { window: 0, columns: fitColumns(requests, 0) };
  const drawCells = (texts: readonly string[], window: number): string => {
    if (fitted.window !== window) fitted = { window, columns: fitColumns(requests, window) };
    const line = fitted.columns.map(({ index, width }) => padTo(texts[index] ?? "", width));
    return cut(line.join(" ".repeat(gap)).trimEnd(), window);
  };
  return {
    texts: searched.map((texts) => sanitise(texts.join(" "))),
    draw: (index, window) => drawCells(cells[index] ?? [], window),
    drawTitles: (window) => drawCells(titles, window),
  };
}

function padTo(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)));
}

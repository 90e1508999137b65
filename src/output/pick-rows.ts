// The rows of a list to select from, drawn as a table. A search covers every column except dates.
import { cellFor, type Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";
import { createTable } from "./table.ts";

export interface PickRows {
  /** The text of each row that a search matches. */
  readonly texts: readonly string[];
  /** These rows, one line each. */
  draw(indexes: readonly number[], window: number): readonly string[];
  drawTitles(window: number): string;
}

export function layOutRows<T>(items: readonly T[], columns: readonly Column<T>[], now: number): PickRows {
  const rows = items.map((item) => columns.map((column) => cellFor(column, item, now)));
  const searched = columns.filter(({ isMoment }) => isMoment !== true);
  let fitted = { window: 0, table: createTable(columns, 0, false) };
  const tableFor = (window: number): (typeof fitted)["table"] => {
    if (fitted.window !== window) {
      fitted = { window, table: createTable(columns, window, false) };
      fitted.table.fit(rows);
    }
    return fitted.table;
  };
  return {
    texts: items.map((item) => sanitise(searched.map(({ text }) => text(item)).join(" "))),
    draw: (indexes, window) => tableFor(window).drawRows(indexes.map((index) => rows[index] ?? [])),
    drawTitles: (window) => tableFor(window).drawTitles(),
  };
}

// The rows of a list to select from, drawn as a table. A search covers every column except dates.
import type { Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";
import { createTable, timestamp } from "./table.ts";

export interface PickRows {
  /** The text of each row that a search matches. */
  readonly texts: readonly string[];
  /** These rows, one line each. */
  draw(indexes: readonly number[], window: number): readonly string[];
  drawTitles(window: number): string;
}

export function layOutRows<T>(items: readonly T[], columns: readonly Column<T>[]): PickRows {
  const rows = items.map((item) => columns.map((column) => column.text(item)));
  let fitted = { window: 0, table: createTable(columns, 0, false) };
  const tableFor = (window: number): (typeof fitted)["table"] => {
    if (fitted.window !== window) {
      fitted = { window, table: createTable(columns, window, false) };
      fitted.table.fit(rows);
    }
    return fitted.table;
  };
  return {
    texts: rows.map((cells) => sanitise(cells.filter((cell) => !timestamp.test(cell)).join(" "))),
    draw: (indexes, window) => tableFor(window).drawRows(indexes.map((index) => rows[index] ?? [])),
    drawTitles: (window) => tableFor(window).drawTitles(),
  };
}

// The rows of a list to select from, drawn as a table. A search covers every column except dates.
import type { Column } from "./presentation.ts";
import { sanitise } from "./sanitise.ts";
import { createTable, timestamp } from "./table.ts";

export interface PickRows {
  /** The text of each row that a search matches. */
  readonly texts: readonly string[];
  /** Fits the columns into a window; `draw` gives a line for each of these rows. */
  fit(window: number): {
    readonly titles: string;
    readonly draw: (indexes: readonly number[]) => readonly string[];
  };
}

export function layOutRows<T>(items: readonly T[], columns: readonly Column<T>[]): PickRows {
  const rows = items.map((item) => columns.map((column) => column.text(item)));
  return {
    texts: rows.map((cells) => sanitise(cells.filter((cell) => !timestamp.test(cell)).join(" "))),
    fit(window) {
      const table = createTable(columns, window, false);
      table.fit(rows);
      return {
        titles: table.drawTitles(),
        draw: (indexes) => table.drawRows(indexes.map((index) => rows[index] ?? [])),
      };
    },
  };
}

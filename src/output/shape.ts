// A presentation narrowed to the fields that this run shows: columns for rows, and a function that picks them for JSON.
import { textOf, type Column, type Presentation } from "./presentation.ts";
import { fieldOf, pickFields } from "./fields.ts";

export interface Shape<T extends object> {
  readonly columns: readonly Column<T>[];
  /** What JSON shows of an item: itself, unchanged, or the fields asked for. */
  readonly pick: (item: T) => object;
}

/** The presentation as it is, or narrowed to the fields of `--json`, which all stay in a table. */
export function chooseShape<T extends object>(
  presentation: Presentation<T>,
  fields: readonly string[] | null,
): Shape<T> {
  if (fields === null) return { columns: presentation.columns, pick: (item) => item };
  return {
    columns: fields.map((field) => ({
      title: field.toUpperCase(),
      text: (item) => textOf(fieldOf(item, field)),
      ...(presentation.columns.some((column) => column.field === field && column.isWhole === true)
        ? { isWhole: true }
        : {}),
    })),
    pick: (item) => pickFields(item, fields),
  };
}

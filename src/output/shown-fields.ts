// A presentation narrowed to the fields that this run shows: columns for rows, and a function that picks them for JSON.
import { textOf, type Column, type Presentation } from "./presentation.ts";
import { fieldOf, outerNames, pickFields } from "./fields.ts";

export interface ShownFields<T extends object> {
  readonly columns: readonly Column<T>[];
  /** The JSON of an item: the whole item, or the fields that were asked for. */
  readonly pick: (item: T) => object;
  /** The fields of an item that the columns read; null where they may read any. */
  readonly looksAt: readonly string[] | null;
}

/** The presentation as it is, or narrowed to the fields of `--json`, which all stay in a table. */
export function chooseShownFields<T extends object>(
  presentation: Presentation<T>,
  fields: readonly string[] | null,
): ShownFields<T> {
  if (fields === null) {
    const { columns } = presentation;
    const shown = columns.flatMap(({ field }) => field ?? []);
    const looksAt = shown.length === columns.length ? outerNames(shown) : null;
    return { columns, pick: (item) => item, looksAt };
  }
  return {
    looksAt: outerNames(fields),
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

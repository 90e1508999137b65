// How a kind of thing is shown: its columns in a table, tsv or csv, and the fields that its JSON has. What the
// service's things look like stands with their commands.
import { exactText, toJson } from "../exact-json.ts";
export interface Column<T> {
  readonly title: string;
  /** The whole value, for a reader that is a program. */
  readonly text: (item: T) => string;
  /** The value for a person, where it differs. */
  readonly short?: (item: T) => string;
  /** Columns of a terminal it takes at least; a column that says so is never cut. */
  readonly minimum?: number;
}

/** How one kind of thing is shown. */
export interface Presentation<T extends object> {
  /** Every field that `--json` may name. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<T>[];
}

/** Any value as one cell: empty for null, lists with commas, objects as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return exactText(value) ?? toJson(value, 0);
}

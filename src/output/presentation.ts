// How a kind of thing is shown: its columns in a table, tsv or csv, and the fields that its JSON has. Grants,
// authorizations and tokens have theirs in src/shapes, everything else beside its command.
import { exactText, toJson } from "../json/exact-json.ts";
import { fieldsOf, type Schema } from "./json-schema.ts";

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string;
  /** The only field of the item that it shows; absent where it shows several, or one that `--json` cannot name. */
  readonly field?: string;
  /** Its least width in columns of the terminal: values on later pages may be longer than the first. */
  readonly minimum?: number;
  /** The column is never cut, because part of an ID or a path is useless. */
  readonly isWhole?: true;
  /** The column holds moments, shown to a person as how long ago they were. */
  readonly isMoment?: true;
  /** Columns with 1, the default, stay in a narrow window; of the others, the greatest number is left out first. */
  readonly priority?: number;
}

/** How one kind of thing is shown. */
export interface Presentation<T extends object> {
  /** Every field that `--json` may name. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<T>[];
  /** The fields that a person is shown even when they are empty, because that says something. */
  readonly toldWhenEmpty?: readonly string[];
  /** The fields that a person is shown only when --json names them. */
  readonly toldWhenAsked?: readonly string[];
  /** The fields that hold a moment. */
  readonly moments?: readonly string[];
}

/** The presentation of what a schema describes: all its fields, in these columns. */
export function present<T extends object>(
  schema: Schema<T>,
  columns: readonly Column<NoInfer<T>>[],
  more: Pick<Presentation<T>, "moments" | "toldWhenEmpty"> = {},
): Presentation<T> {
  return { fields: fieldsOf(schema), columns, ...more };
}

/** A field's name, or that of one inside of it, as in `app.name`. */
type FieldOf<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** A column that shows one field. */
export function column<T extends object>(
  title: string,
  field: FieldOf<T>,
  more: Omit<Column<T>, "title" | "field" | "text"> = {},
): Column<T> {
  const [outer = "", inner] = field.split(".");
  const text =
    inner === undefined
      ? (item: T) => textOf(valueIn(item, outer))
      : (item: T) => textOf(valueIn(valueIn(item, outer), inner));
  return { title, field, text, ...more };
}

function valueIn(item: unknown, name: string): unknown {
  return (item as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

/** Any value as one cell: empty for null, lists with commas, objects as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return exactText(value) ?? toJson(value, 0);
}

// What can be shown of a type of item: the columns of its rows, the fields of its JSON, and its lines on a terminal. Defined
// beside its command. --json and --sort name fields; a dot selects a nested one (`app.name`), and a missing one is null.
import { usageFailure } from "../errors/errors.ts";
import { joinAnd, mayBeToken } from "../errors/words.ts";
import { exactText, toJson } from "../json.ts";
import type { Labelled } from "./formats.ts";
import type { Colour } from "./table.ts";

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string;
  /** The only field of the item that it shows. */
  readonly field?: string;
  /** The column is never cut, because part of an ID or a status is useless. */
  readonly isWhole?: true;
  /** Wraps a text that is too long; with less than this width, other columns are dropped before. */
  readonly wraps?: number;
  /** Columns with 1, the default, always stay; in a narrow window, those with the lowest numbers that fit. */
  readonly priority?: number;
  readonly colourOf?: (text: string) => Colour | undefined;
}

export interface Presentation<T extends object> {
  /** Every field that `--json` may name. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<T>[];
}

/** The name of a field, or of a nested one (`app.name`). */
type FieldOf<T> = (keyof T & string) | `${keyof T & string}.${string}`;

export function column<T extends object>(
  title: string,
  field: FieldOf<T>,
  more: Partial<Column<T>> = {},
): Column<T> {
  return { title, field, text: (item) => cellText(fieldOf(item, field)), ...more };
}

/** Red: a risk. Yellow: unproven. Green: no longer a risk. */
const colours: Readonly<Record<string, Colour>> = {
  active: "red",
  unproven: "yellow",
  revoked: "green",
  "not-found": "green",
  inactive: "green",
};

export const statusColumn = column<{ readonly status: string }>("STATUS", "status", {
  isWhole: true,
  colourOf: (status) => colours[status],
});

/** Formats any value as one cell: empty for null, lists with commas, objects as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(cellText).join(",");
  return exactText(value) ?? toJson(value, 0);
}

/** The columns, and the JSON of an item, or both for the fields of `--json`: a table never drops one of them. */
export function chooseShownFields<T extends object>(
  { columns }: Presentation<T>,
  fields: readonly string[] | null,
): { readonly columns: readonly Column<T>[]; readonly pick: (item: T) => object } {
  if (fields === null) return { columns, pick: (item) => item };
  return {
    columns: fields.map((field) => ({
      title: field.toUpperCase(),
      text: (item) => cellText(fieldOf(item, field)),
      ...(columns.some((shown) => shown.field === field && shown.isWhole === true) ? { isWhole: true } : {}),
    })),
    pick: (item) => pickFields(item, fields),
  };
}

/** One item for a person: a line per field that has a value; lists can be wrapped between their items. */
export function itemLines<T extends object>(
  item: T,
  { fields: all }: Presentation<T>,
  fields: readonly string[] | null,
): readonly Labelled[] {
  // Nested fields replace the field around them.
  const shown = fields ?? all.filter((field) => !all.some((other) => other.startsWith(`${field}.`)));
  return shown.flatMap((label) => {
    const value = fieldOf(item, label);
    const text = Array.isArray(value) ? value.map(cellText).join(", ") || "none" : cellText(value);
    return text === "" ? [] : [{ label, lines: [text] }];
  });
}

/** Parses the value of `--json`: null for all fields, also if the command has none of its own. */
export function parseFields(
  list: string | true | undefined,
  known: readonly string[],
): readonly string[] | null {
  if (typeof list !== "string" || known.length === 0) return null;
  const fields = list.split(",").map((field) => field.trim());
  for (const field of fields) checkField(field, known, " For all, put --json last.");
  return fields;
}

/** Throws a usage failure that lists the fields if this is none of them. */
export function checkField(field: string, known: readonly string[], more = ""): void {
  if (known.includes(field)) return;
  const name = mayBeToken(field) ? "" : ` '${field}'`;
  throw usageFailure(`unknown field${name}`, `The fields are ${joinAnd(known)}.${more}`);
}

/** An object with only these fields, in their order; a missing one is null, `app.name` stays nested. */
export function pickFields(item: object, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const [outer = "", inner] = field.split(".");
    const value = fieldOf(item, field);
    picked[outer] = inner === undefined ? value : { ...(picked[outer] as object | null), [inner]: value };
  }
  return picked;
}

/** The value of a field; null if the field, or the object around it, is missing. */
export function fieldOf(item: object, field: string): unknown {
  let value: unknown = item;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? null;
}

/** Text to compare without regard to case, or to the encoding of accents. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

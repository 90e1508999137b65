// The presentation of a type of item: the columns of its rows, the fields of its JSON, and its lines on a terminal.
//
//   Presentation      everything that can be shown of an item; defined beside its command
//   chooseShownFields narrows a presentation to `--json a,b`: columns for rows, and a function that picks for JSON
//   itemLines         one item for a person: a line per field that has a value, or that is meaningful when empty
import type { Labelled } from "../drawing/labelled.ts";
import { relativeDate } from "../drawing/relative-date.ts";
import { exactText, toJson } from "../json/exact-json.ts";
import { fieldOf, pickFields } from "./fields.ts";

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string;
  /** The text for a person, if it differs: in a table on a terminal and in the pick list. */
  readonly shown?: (item: T) => string;
  /** The only field of the item that it shows; absent if it shows several, or one that `--json` cannot name. */
  readonly field?: string;
  /** The minimum width in terminal columns: values on later pages may be longer than the first. */
  readonly minimum?: number;
  /** The column is never cut, because part of an ID or a path is useless. */
  readonly isWhole?: true;
  /** The column contains timestamps, shown as relative dates on a terminal. */
  readonly isMoment?: true;
  /** Columns with 1, the default, always stay; in a narrow window the highest number is dropped first. */
  readonly priority?: number;
}

/** The presentation of one type of item. */
export interface Presentation<T extends object> {
  /** Every field that `--json` may name. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<T>[];
  /** Fields shown to a person even if empty, because emptiness is information (no scopes). */
  readonly shownWhenEmpty?: readonly string[];
  /** Fields hidden from a person unless --json names them. */
  readonly shownOnRequest?: readonly string[];
  /** Fields that contain timestamps. */
  readonly moments?: readonly string[];
}

/** The name of a field, or of a nested one (`app.name`). */
export type FieldOf<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** A column that shows one field. */
export function column<T extends object>(
  title: string,
  field: FieldOf<T>,
  more: Omit<Column<T>, "title" | "field" | "text"> = {},
): Column<T> {
  const [outer = "", inner] = field.split(".");
  const text =
    inner === undefined
      ? (item: T) => cellText(valueIn(item, outer))
      : (item: T) => cellText(valueIn(valueIn(item, outer), inner));
  return { title, field, text, ...more };
}

function valueIn(item: unknown, name: string): unknown {
  return (item as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

/** Formats any value as one cell: empty for null, lists with commas, objects as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(cellText).join(",");
  return exactText(value) ?? toJson(value, 0);
}

export interface ShownFields<T extends object> {
  readonly columns: readonly Column<T>[];
  /** The JSON of an item: the whole item, or the requested fields. */
  readonly pick: (item: T) => object;
}

/** Narrows the presentation to the fields of `--json`, if given; a table never drops a requested field. */
export function chooseShownFields<T extends object>(
  presentation: Presentation<T>,
  fields: readonly string[] | null,
): ShownFields<T> {
  if (fields === null) return { columns: presentation.columns, pick: (item) => item };
  return {
    columns: fields.map((field) => ({
      title: field.toUpperCase(),
      text: (item) => cellText(fieldOf(item, field)),
      ...(presentation.columns.some((shown) => shown.field === field && shown.isWhole === true)
        ? { isWhole: true }
        : {}),
    })),
    pick: (item) => pickFields(item, fields),
  };
}

/** The lines of these fields, or of all. With `now` (epoch milliseconds), timestamps include a relative date. */
export function itemLines<T extends object>(
  item: T,
  presentation: Presentation<T>,
  fields: readonly string[] | null,
  now: number | null,
): readonly Labelled[] {
  const { shownOnRequest = [], shownWhenEmpty = [], moments = [] } = presentation;
  const shown =
    fields ??
    presentation.fields.filter(
      (field) =>
        // Nested fields that are listed replace the field around them.
        !presentation.fields.some((other) => other.startsWith(`${field}.`)) &&
        !shownOnRequest.includes(field),
    );
  const emptyText = (field: string): string => (shownWhenEmpty.includes(field) ? "none" : "");
  return shown
    .map((field) => [field, cellText(fieldOf(item, field)) || emptyText(field)] as const)
    .filter(([, text]) => text !== "")
    .map(([label, text]) => {
      const ago = now !== null && moments.includes(label) ? relativeDate(text, now) : null;
      return { label, lines: [ago === null ? text : `${text} (${ago})`] };
    });
}

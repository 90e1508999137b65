// How a kind of thing is shown: its columns in a table, tsv or csv, and the fields that its JSON has. Grants,
// authorizations and tokens have theirs in src/shapes, everything else beside its command.
import { exactText, toJson } from "../exact-json.ts";

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string;
  /** The field that it shows, where it is one that `--json` may name. */
  readonly field?: string;
  /** Columns of a terminal it takes at least: what comes on later pages may be longer. */
  readonly minimum?: number;
  /** Part of it is of no use, as of an id or a path: it is never cut. */
  readonly isWhole?: true;
  /** It is a moment, shown to a person as how long ago it was. */
  readonly isMoment?: true;
  /** 1, the default, is for what has to stay in a narrow window; of the others the greatest goes first. */
  readonly priority?: number;
}

/** How one kind of thing is shown. */
export interface Presentation<T extends object> {
  /** Every field that `--json` may name. */
  readonly fields: readonly string[];
  readonly columns: readonly Column<T>[];
  /** The fields of which a person is told that they are empty, because that says something. */
  readonly toldWhenEmpty?: readonly string[];
  /** The fields that a person is told of only when they are asked for by name. */
  readonly toldWhenAsked?: readonly string[];
  /** The fields that hold a moment. */
  readonly moments?: readonly string[];
}

/** Any value as one cell: empty for null, lists with commas, objects as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return exactText(value) ?? toJson(value, 0);
}

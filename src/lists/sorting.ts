// Sorts a list by --sort and --reverse. The order is stable, and independent of machine and locale. Items without a
// value, or with an unreadable one, come last in both directions.
import { cellText, checkField, fieldOf } from "../output/presentation.ts";
import { parseInstant } from "./age.ts";

export interface SortOptions {
  readonly sort?: string;
  readonly reverse?: boolean;
}

/** A function that sorts a whole list; null to keep its order. Throws a usage failure for a field that is none of `fields`. */
export function createSorter(
  { sort: field, reverse }: SortOptions,
  fields: readonly string[],
): (<T extends object>(items: readonly T[]) => readonly T[]) | null {
  if (field === undefined) return reverse === true ? (items) => items.toReversed() : null;
  checkField(field, fields);
  // A fixed locale; numbers in texts count as numbers, of any length.
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (one: Key, other: Key): number =>
    typeof one === "number" && typeof other === "number"
      ? one - other
      : collator.compare(String(one), String(other));
  return (items) => {
    const keyed = items.map((item) => ({ item, key: keyOf(fieldOf(item, field), field) }));
    const known = keyed.flatMap(({ item, key }) => (key === null ? [] : [{ item, key }]));
    const sorted = known.toSorted((one, other) => (reverse === true ? -1 : 1) * compare(one.key, other.key));
    return [...sorted, ...keyed.filter(({ key }) => key === null)].map(({ item }) => item);
  };
}

type Key = number | string;

/** A timestamp as an instant, anything else as text; null for no value. */
function keyOf(value: unknown, field: string): Key | null {
  return field.endsWith("_at") ? parseInstant(value) : cellText(value) || null;
}

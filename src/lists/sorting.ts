// Sorts a list by --sort and --reverse. The order is stable, and independent of machine and locale. Items without a
// value, or with an unreadable one, come last in both directions.
import { LosslessNumber } from "lossless-json";
import { usageFailure } from "../errors/errors.ts";
import { fieldOf } from "../output/fields.ts";
import { cellText } from "../output/presentation.ts";
import { parseInstant } from "./age.ts";

export interface SortOptions {
  readonly sort?: string;
  readonly reverse?: true;
}

interface Arrangement {
  /** The size of a chunk; a smaller one is the last. */
  readonly chunkSize: number;
  /** Reads a whole list, and yields its first `limit` items in order, in chunks. */
  readonly arrange: <T extends object>(
    pages: AsyncIterable<readonly T[]>,
    limit: number,
  ) => AsyncGenerator<readonly T[], void, undefined>;
}

/** Short names for the fields that people sort by most often. */
const shortNames: Readonly<Record<string, string>> = {
  app: "app.name",
  created: "created_at",
  updated: "updated_at",
};

/** The arrangement for --sort, which takes one of `fields` or a short name. Throws a usage failure that lists them. */
export function createArrangement(options: SortOptions, fields: readonly string[]): Arrangement {
  const field = parseField(options.sort, fields);
  const isReverse = options.reverse === true;
  return {
    chunkSize,
    async *arrange(pages, limit) {
      const items = [];
      for await (const page of pages) for (const item of page) items.push(item);
      if (isReverse && field === null) items.reverse();
      const sorted = field === null ? items : sortBy(items, field, isReverse);
      const arranged = sorted.slice(0, limit);
      for (let start = 0; start < arranged.length; start += chunkSize)
        yield arranged.slice(start, start + chunkSize);
    },
  };
}

function parseField(sort: string | undefined, fields: readonly string[]): string | null {
  if (sort === undefined) return null;
  const field = Object.hasOwn(shortNames, sort) ? shortNames[sort] : sort;
  if (field === undefined || !fields.includes(field)) {
    throw usageFailure(
      `cannot sort by ${sort}: there is no such field`,
      `Use ${Object.keys(shortNames).join(", ")}, or any --json field.`,
    );
  }
  return field;
}

/** Rows per chunk: drawing a table takes longer than linear time. */
const chunkSize = 100;

type SortKey = number | bigint | string | null;

function sortBy<T extends object>(items: readonly T[], field: string, isReverse: boolean): readonly T[] {
  // A fixed locale, so that the order does not depend on the machine.
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (one: SortKey, other: SortKey): number => {
    if (typeof one === "string" && typeof other === "string") return collator.compare(one, other);
    if (one === null || other === null) return 0;
    return one < other ? -1 : one > other ? 1 : 0;
  };
  const keyed = items.map((item) => ({ item, key: sortKey(fieldOf(item, field), field) }));
  const known = keyed.filter(({ key }) => key !== null);
  const unknown = keyed.filter(({ key }) => key === null);
  const sorted = known.toSorted((one, other) => (isReverse ? -1 : 1) * compare(one.key, other.key));
  return [...sorted, ...unknown].map(({ item }) => item);
}

/** The sort key of a value: a timestamp as an instant, a number with all its digits, anything else as text. */
function sortKey(value: unknown, field: string): SortKey {
  if (field.endsWith("_at")) return parseInstant(value);
  if (typeof value === "number") return value;
  if (value instanceof LosslessNumber)
    return /^-?\d+$/.test(value.value) ? BigInt(value.value) : Number(value.value);
  const text = cellText(value);
  return text === "" ? null : text;
}

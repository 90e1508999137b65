// In which order the page tells of what has access, and what its bars are measured by.
import { riskOfBreadth } from "../breadth.ts";
import type { Item } from "../item.ts";
import { allItems, type Report } from "../report.ts";
import type { RowScale } from "./page-rows.ts";

/** The broadest first, and of those the oldest. */
export function broadestFirst(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({
      item,
      risk: riskOfBreadth(item.breadth),
      // Items without a date come last.
      created: item.created ?? Infinity,
    }))
    .toSorted((one, other) => other.risk - one.risk || compare(one.created, other.created))
    .map(({ item }) => item);
}

function compare(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Bars of age are as long as their part of the oldest. */
export function scaleOf({ now, lists }: Report): RowScale {
  let oldestMs = 1;
  for (const { created } of allItems(lists)) {
    if (created !== null) oldestMs = Math.max(oldestMs, now - created);
  }
  return { now, oldestMs };
}

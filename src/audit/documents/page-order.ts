// The order in which the page lists what has access, and the scale of its bars.
import { riskOfBreadth } from "../breadth.ts";
import { createByRisk } from "../by-risk.ts";
import type { Item } from "../item.ts";
import { allItems, type Report } from "../report.ts";
import type { RowScale } from "./page-rows.ts";

/** The broadest first, and of equal ones the oldest: at least the given number. */
export function broadestFirst(items: readonly Item[], least: number): readonly Item[] {
  const byRisk = createByRisk();
  for (const item of items) byRisk.add(item, riskOfBreadth(item.breadth));
  return byRisk.inOrder(compareAges, least);
}

/** The oldest first; items without a date come last. */
function compareAges({ created: one }: Item, { created: other }: Item): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one - other;
}

/** The length of a bar of age, as a share of the oldest age. */
export function scaleOf({ now, lists }: Report): RowScale {
  let oldestMs = 1;
  for (const { created } of allItems(lists)) {
    if (created !== null) oldestMs = Math.max(oldestMs, now - created);
  }
  return { now, oldestMs };
}

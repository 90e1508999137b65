// Sorts items by their risk. There are few different risks, so most of the work is to order the items of equal risk,
// which usually are in order already.
import type { Item } from "./item.ts";

export interface ByRisk {
  add(item: Item, risk: number): void;
  /** The greatest risk first, equal ones in the order of `compare`: all items, or at least the given number. */
  inOrder(compare: (one: Item, other: Item) => number, least?: number): readonly Item[];
}

/** An empty collection. */
export function createByRisk(): ByRisk {
  const byRisk = new Map<number, Item[]>();
  return {
    add(item, risk) {
      const alike = byRisk.get(risk);
      if (alike === undefined) byRisk.set(risk, [item]);
      else alike.push(item);
    },
    inOrder(compare, least = Infinity) {
      const ordered: Item[] = [];
      for (const [, alike] of [...byRisk].toSorted(([one], [other]) => other - one)) {
        if (ordered.length >= least) break;
        for (const item of alike.toSorted(compare)) ordered.push(item);
      }
      return ordered;
    },
  };
}

// Puts items in the order of their risk. There are few different risks: most of the work is to order items within each,
// which as a rule are in their order already.
import type { Item } from "./item.ts";

export interface ByRisk {
  add(item: Item, risk: number): void;
  /** The greatest risk first, and of equal ones as `compare` says: all of them, or so many at least. */
  inOrder(compare: (one: Item, other: Item) => number, least?: number): readonly Item[];
}

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

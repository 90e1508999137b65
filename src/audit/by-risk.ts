// Puts items in the order of their risk. There are few different risks: most of the work is to order items within each,
// which as a rule are in their order already.
import type { Item } from "./item.ts";

export interface ByRisk {
  add(item: Item, risk: number): void;
  /** The greatest risk first, and of equal ones as `compare` says. */
  inOrder(compare: (one: Item, other: Item) => number): readonly Item[];
}

export function createByRisk(): ByRisk {
  const byRisk = new Map<number, Item[]>();
  return {
    add(item, risk) {
      const alike = byRisk.get(risk);
      if (alike === undefined) byRisk.set(risk, [item]);
      else alike.push(item);
    },
    inOrder: (compare) =>
      [...byRisk].toSorted(([one], [other]) => other - one).flatMap(([, alike]) => alike.toSorted(compare)),
  };
}

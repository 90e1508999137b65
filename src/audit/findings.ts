// What the rules found, with the gravest items first. The findings of an item are made when they are asked for, because
// a hundred thousand items may have several each.
import type { Id } from "../api/resources.ts";
import { riskOfBreadth } from "./breadth.ts";
import type { CommandLine } from "./command-line.ts";
import { compareIds, type Item, type Resource } from "./item.ts";
import type { Rule } from "./rules.ts";

export interface Finding {
  readonly rule: string;
  readonly resource: Resource;
  readonly id: Id;
  readonly name: string;
  readonly measure: string;
  readonly command: string;
}

export interface Findings {
  readonly count: number;
  /** How many each rule has, in the order of the rules. */
  readonly byRule: ReadonlyMap<Rule, number>;
  /** The items with findings, the gravest first. */
  readonly items: readonly Item[];
  /** What was found at one item. */
  of(item: Item): readonly (Finding & { readonly severity: Rule["severity"] })[];
}

const weights = { high: 100, medium: 10, low: 1 } as const;

/** Asks every rule of every item. */
export function findAll(items: readonly Item[], rules: readonly Rule[], commandLine: CommandLine): Findings {
  const byRule = new Map(rules.map((rule) => [rule, 0]));
  const found: { readonly item: Item; readonly risk: number }[] = [];
  let count = 0;
  for (const item of items) {
    let risk = 0;
    for (const rule of rules) {
      if (!rule.finds(item)) continue;
      byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
      count += 1;
      risk += weights[rule.severity];
    }
    // Of two that are equally suspicious, the one that may do more comes first.
    if (risk > 0) found.push({ item, risk: risk * 10 + riskOfBreadth(item.breadth) });
  }
  found.sort((one, other) => other.risk - one.risk || compareIds(one.item.id, other.item.id));
  return {
    count,
    byRule,
    items: found.map(({ item }) => item),
    of(item) {
      const { resource, id, name } = item;
      const own: ReturnType<Findings["of"]>[number][] = [];
      for (const rule of rules) {
        if (!rule.finds(item)) continue;
        const measure = rule.measure(item);
        const command = commandLine.mending(rule.name, item, measure);
        own.push({ rule: rule.text, resource, id, name, measure, command, severity: rule.severity });
      }
      return own;
    },
  };
}

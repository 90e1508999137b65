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

/** A finding without the item that it is about. */
export interface Found extends Pick<Finding, "rule" | "measure" | "command"> {
  readonly severity: Rule["severity"];
}

export interface Findings {
  readonly count: number;
  /** How many each rule has, in the order of the rules. */
  readonly byRule: ReadonlyMap<Rule, number>;
  /** The items with findings, the gravest first. */
  readonly items: readonly Item[];
  /** What was found at one item. */
  of(item: Item): readonly Found[];
}

const weights = { high: 100, medium: 10, low: 1 } as const;

/** Asks every rule of every item. */
export function findAll(items: readonly Item[], rules: readonly Rule[], commandLine: CommandLine): Findings {
  const counts = rules.map(() => 0);
  const byRisk = new Map<number, Item[]>();
  for (const item of items) {
    let risk = 0;
    for (const [index, rule] of rules.entries()) {
      if (!rule.finds(item)) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      risk += weights[rule.severity];
    }
    if (risk === 0) continue;
    // Of two that are equally suspicious, the one that may do more comes first.
    risk = risk * 10 + riskOfBreadth(item.breadth);
    const alike = byRisk.get(risk);
    if (alike === undefined) byRisk.set(risk, [item]);
    else alike.push(item);
  }
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    byRule: new Map(rules.map((rule, index) => [rule, counts[index] ?? 0])),
    items: [...byRisk]
      .toSorted(([one], [other]) => other - one)
      .flatMap(([, alike]) => alike.toSorted((one, other) => compareIds(one.id, other.id))),
    of(item) {
      const found: Found[] = [];
      for (const rule of rules) {
        if (!rule.finds(item)) continue;
        const measure = rule.measure(item);
        const command = commandLine.mending(rule.name, item, measure);
        found.push({ rule: rule.text, measure, command, severity: rule.severity });
      }
      return found;
    },
  };
}

/** The commands for what was found at one item; one that mends several is told once. */
export function commandsOf(found: readonly Found[]): readonly string[] {
  const commands: string[] = [];
  for (const { command } of found) if (!commands.includes(command)) commands.push(command);
  return commands;
}

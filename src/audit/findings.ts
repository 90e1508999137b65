// What the rules found, with the most serious items first. The findings of an item are made when they are asked for,
// because a hundred thousand items may have several each, and most have the same ones as many others.
import { textOf } from "../printing/presentation.ts";
import { riskOfBreadth } from "./breadth.ts";
import { createByRisk } from "./by-risk.ts";
import type { Command, CommandLine } from "./command-line.ts";
import { compareIds, type Item, type Resource } from "./item.ts";
import { remember } from "./remember.ts";
import type { Rule } from "./rules.ts";

/** A finding without its item, so that items with the same finding can share it. */
export interface Found {
  readonly rule: string;
  readonly measure: string;
  readonly severity: Rule["severity"];
  readonly command: Command;
}

export interface Findings {
  readonly count: number;
  /** How many each rule has, in the order of the rules. */
  readonly byRule: ReadonlyMap<Rule, number>;
  readonly itemCount: number;
  /** The items with findings, the most serious first: all of them, or at least the given number. */
  items(least?: number): readonly Item[];
  /** What was found at one item. */
  of(item: Item): readonly Found[];
}

const weights = { high: 100, medium: 10, low: 1 } as const;

/** Applies every rule to every item. */
export function findAll(items: readonly Item[], rules: readonly Rule[], commandLine: CommandLine): Findings {
  const rulesFor = remember((resource: Resource) =>
    rules
      .map((rule, index) => ({ rule, index, foundAs: createFound(rule, resource, commandLine) }))
      .filter(({ rule }) => rule.about.includes(resource)),
  );
  const counts = rules.map(() => 0);
  const byRisk = createByRisk();
  let itemCount = 0;
  for (const item of items) {
    let risk = 0;
    for (const { rule, index } of rulesFor(item.resource)) {
      if (!rule.finds(item)) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      risk += weights[rule.severity];
    }
    if (risk === 0) continue;
    itemCount += 1;
    // Of two that are equally suspicious, the one that may do more comes first.
    byRisk.add(item, risk * 10 + riskOfBreadth(item.breadth));
  }
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    byRule: new Map(rules.map((rule, index) => [rule, counts[index] ?? 0])),
    itemCount,
    items: (least) => byRisk.inOrder((one, other) => compareIds(one.id, other.id), least),
    of(item) {
      const found: Found[] = [];
      for (const { rule, foundAs } of rulesFor(item.resource)) {
        if (rule.finds(item)) found.push(foundAs(rule.measure(item)));
      }
      return found;
    },
  };
}

/** Makes what a rule found at things of a kind, given what it measured. */
function createFound(
  { name, text, severity }: Rule,
  resource: Resource,
  commandLine: CommandLine,
): (measure: string) => Found {
  return remember((measure: string) => ({
    rule: text,
    severity,
    measure,
    command: commandLine.mending(name, resource, measure),
  }));
}

/** The commands for the findings of one item; a command that fixes several is listed once. */
export function commandsOf({ id }: Item, found: readonly Found[]): readonly string[] {
  const commands: string[] = [];
  for (const { command } of found) {
    const text = command.join(textOf(id));
    if (!commands.includes(text)) commands.push(text);
  }
  return commands;
}

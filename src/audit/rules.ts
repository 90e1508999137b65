// The rules. For each item, a rule gives what it measured, or null where there is no finding. The current time, and
// everything else that is not in the item, comes as an argument; a date that is missing is never guessed.
import { usageFailure } from "../errors/errors.ts";
import { parseInstant, type Age } from "../lists/age.ts";
import type { Item } from "./item.ts";
import type { IsKnown } from "./known.ts";
import { ruleKinds, type RuleName, type Severity, type WantedRule } from "./rule-names.ts";

export interface Rule {
  readonly text: string;
  readonly name: RuleName;
  readonly severity: Severity;
  /** What it measured, where that is a finding; else null. */
  readonly measure: (item: Item) => string | null;
}

/** What rules need to know besides the item. */
export interface RuleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly items: readonly Item[];
  /** What an earlier snapshot did not hold; null without one. */
  readonly added: ReadonlySet<Item> | null;
  readonly isKnown: IsKnown | null;
  /** Called for an item with a date that a rule needs and that cannot be read, each time it is asked for. */
  readonly onUnread: (item: Item) => void;
}

const dayMs = 86_400_000;

/**
 * The rules, ready to be asked, in the order of their table. Throws a usage failure for an age that lies on the wrong
 * side of now, and for an expiry where the service reports none for anybody.
 */
export function createRules(wanted: readonly WantedRule[], options: RuleOptions): readonly Rule[] {
  const order = Object.keys(ruleKinds);
  const seen = new Map(wanted.map((rule) => [rule.text, rule]));
  return [...seen.values()]
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
    .map((rule) => {
      const { severity, about } = ruleKinds[rule.name];
      const look = looks[rule.name](rule, options);
      return {
        text: rule.text,
        name: rule.name,
        severity,
        measure: (item) => (about.includes(item.resource) ? look(item) : null),
      };
    });
}

/** Whether the service says of anything when it expires. */
export function hasExpiries(items: readonly Item[]): boolean {
  return items.some(({ expiresAt }) => expiresAt !== null);
}

/** What each rule looks at, for a run. */
const looks: Readonly<Record<RuleName, (rule: WantedRule, options: RuleOptions) => Rule["measure"]>> = {
  "unknown-app":
    (_, { isKnown }) =>
    (item) => {
      if (item.clientId === null && item.application === null) return null;
      return isKnown?.(item) === false ? "not a known application" : null;
    },
  new:
    (_, { added }) =>
    (item) =>
      added?.has(item) === true ? "not in the snapshot" : null,
  scope: lookForScope,
  "older-than": (rule, options) => lookForAge(rule, options, ({ createdAt }) => createdAt, "created"),
  "not-updated-for": (rule, options) =>
    lookForAge(rule, options, ({ updatedAt }) => updatedAt, "last updated"),
  "not-used-for": lookForUse,
  "no-expiry": (rule, options) => {
    checkExpiries(rule, options);
    return ({ expiresAt }) => (expiresAt === null ? "never expires" : null);
  },
  "expires-within": lookForExpiry,
  "duplicate-note": lookForDuplicates,
  "no-note":
    () =>
    ({ note }) =>
      note === null ? "no note" : null,
  "no-fingerprint":
    () =>
    ({ fingerprint }) =>
      fingerprint === null ? "no fingerprint" : null,
};

function lookForScope({ glob = "" }: WantedRule): Rule["measure"] {
  const pattern = new RegExp(
    `^${glob
      .split("*")
      .map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
      .join(".*")}$`,
    "s",
  );
  return ({ scopes }) => {
    const found = (scopes ?? []).filter((scope) => pattern.test(scope));
    return found.length === 0 ? null : found.join(", ");
  };
}

function lookForAge(
  { text, age }: WantedRule,
  { now, onUnread }: RuleOptions,
  dateOf: (item: Item) => string | null,
  verb: string,
): Rule["measure"] {
  const point = pastPointOf(text, age, now);
  return (item) => {
    const date = parseInstant(dateOf(item));
    if (date === null) onUnread(item);
    return date === null || date >= point ? null : `${verb} ${daysInWords(now - date)} ago`;
  };
}

function lookForUse({ text, age }: WantedRule, { now, onUnread }: RuleOptions): Rule["measure"] {
  const point = pastPointOf(text, age, now);
  return (item) => {
    const { usedAt, createdAt } = item;
    // What was never used counts as unused since it was made.
    const date = parseInstant(usedAt ?? createdAt);
    if (date === null) onUnread(item);
    if (date === null || date >= point) return null;
    return usedAt === null ? "never used" : `last used ${daysInWords(now - date)} ago`;
  };
}

function pastPointOf(rule: string, age: Age | undefined, now: number): number {
  const point = age?.pointBefore(now) ?? now;
  if (point > now) throw usageFailure(`the rule ${rule} is in the future: everything would match`);
  return point;
}

function lookForExpiry(rule: WantedRule, options: RuleOptions): Rule["measure"] {
  checkExpiries(rule, options);
  const { text, age } = rule;
  const { now, onUnread } = options;
  const point = age?.pointBefore(now) ?? now;
  // A day stands for itself, whatever now is; a length of time counts from now.
  const isDay = age?.pointBefore(now + 1) === point;
  const latest = isDay ? point : now + (now - point);
  if (latest < now) throw usageFailure(`the rule ${text} is in the past: nothing could match`);
  return (item) => {
    const date = parseInstant(item.expiresAt);
    if (date === null && item.expiresAt !== null) onUnread(item);
    if (date === null || date > latest) return null;
    return date <= now ? `expired ${daysInWords(now - date)} ago` : `expires in ${daysInWords(date - now)}`;
  };
}

function checkExpiries({ text }: WantedRule, { items }: RuleOptions): void {
  const concerned = items.filter(({ resource }) => resource !== "grant");
  if (concerned.length === 0 || hasExpiries(concerned)) return;
  throw usageFailure(
    `the rule ${text} is refused: the service does not report an expiry for anything`,
    "older-than=1y is about when it was created",
  );
}

function lookForDuplicates(_: WantedRule, { items }: RuleOptions): Rule["measure"] {
  const counts = new Map<string, number>();
  for (const { resource, note } of items) {
    if (resource === "authorization" && note !== null) counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  return ({ note }) => {
    const count = note === null ? 0 : (counts.get(note) ?? 0);
    return count > 1 ? `the note of ${count} authorizations` : null;
  };
}

/** `1 day`, `412 days`; what is less than a day is 0 days. */
function daysInWords(milliseconds: number): string {
  const days = Math.floor(milliseconds / dayMs);
  return `${days} ${days === 1 ? "day" : "days"}`;
}

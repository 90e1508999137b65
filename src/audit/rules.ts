// The rules: whether an item is a finding, and what was measured of it. The current time, and everything else that is
// not in the item, comes as an argument; a date that is missing is never guessed.
import { counted } from "../errors/words.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Age } from "../lists/age.ts";
import type { Item, Resource } from "./item.ts";
import type { IsKnown } from "./known.ts";
import { remember } from "./remember.ts";
import { countNotes } from "./repeated-notes.ts";
import { ruleKinds, type RuleName, type Severity, type WantedRule } from "./rule-names.ts";

export interface Rule {
  readonly text: string;
  readonly name: RuleName;
  readonly severity: Severity;
  /** The kinds of resource that the rule applies to. */
  readonly about: readonly Resource[];
  /** Whether an item is a finding. It is called for every item, so it makes no text. */
  readonly finds: (item: Item) => boolean;
  /** What was measured of a finding, in words; equal texts are kept once. */
  readonly measure: (item: Item) => string;
}

/** What a rule looks at, in a run. */
type Look = Pick<Rule, "finds" | "measure">;

/** What rules need to know besides the item. */
export interface RuleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly items: readonly Item[];
  /** The items that the earlier snapshot does not hold; null without a snapshot. */
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
      return { text: rule.text, name: rule.name, severity, about, ...looks[rule.name](rule, options) };
    });
}

/** Whether the service reports an expiry for any item. */
export function hasExpiries(items: readonly Item[]): boolean {
  return items.some(({ expiresAt }) => expiresAt !== null);
}

const looks: Readonly<Record<RuleName, (rule: WantedRule, options: RuleOptions) => Look>> = {
  "unknown-app": (_, { isKnown }) => ({
    finds: (item) => (item.clientId !== null || item.application !== null) && isKnown?.(item) === false,
    measure: () => "not a known application",
  }),
  new: (_, { added }) => ({
    finds: (item) => added?.has(item) === true,
    measure: () => "not in the snapshot",
  }),
  scope: lookForScope,
  "older-than": (rule, options) => lookForAge(rule, options, ({ created }) => created, "created"),
  "not-updated-for": (rule, options) => lookForAge(rule, options, ({ updated }) => updated, "last updated"),
  "not-used-for": lookForUse,
  "no-expiry": (rule, options) => {
    checkExpiries(rule, options);
    return { finds: ({ expiresAt }) => expiresAt === null, measure: () => "never expires" };
  },
  "expires-within": lookForExpiry,
  "duplicate-note": lookForDuplicates,
  "no-note": () => ({ finds: ({ noteHash }) => noteHash === null, measure: () => "no note" }),
  "no-fingerprint": () => ({
    finds: ({ fingerprint }) => fingerprint === null,
    measure: () => "no fingerprint",
  }),
};

function lookForScope({ glob = "" }: WantedRule): Look {
  const pattern = new RegExp(
    `^${glob
      .split("*")
      .map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
      .join(".*")}$`,
    "s",
  );
  const matchOf = remember((scopes: readonly string[]) => {
    const found = scopes.filter((scope) => pattern.test(scope));
    return { isOne: found.length > 0, words: found.join(", ") };
  });
  return {
    finds: ({ scopes }) => scopes !== null && matchOf(scopes).isOne,
    measure: ({ scopes }) => matchOf(scopes ?? []).words,
  };
}

function lookForAge(
  { text, age }: WantedRule,
  { now, onUnread }: RuleOptions,
  momentOf: (item: Item) => number | null,
  verb: string,
): Look {
  const point = pastPointOf(text, age, now);
  const words = remember((days: number) => `${verb} ${counted(days, "day")} ago`);
  return {
    finds(item) {
      const moment = momentOf(item);
      if (moment === null) onUnread(item);
      return moment !== null && moment < point;
    },
    measure: (item) => words(daysOf(now - (momentOf(item) ?? now))),
  };
}

function lookForUse(rule: WantedRule, options: RuleOptions): Look {
  const look = lookForAge(rule, options, lastUseOf, "last used");
  return { ...look, measure: (item) => (item.usedAt === null ? "never used" : look.measure(item)) };
}

/** What was never used counts as unused since it was made. */
function lastUseOf({ usedAt, used, created }: Item): number | null {
  return usedAt === null ? created : used;
}

function pastPointOf(rule: string, age: Age | undefined, now: number): number {
  const point = age?.pointBefore(now) ?? now;
  if (point > now) throw usageFailure(`the rule ${rule} is in the future: everything would match`);
  return point;
}

function lookForExpiry(rule: WantedRule, options: RuleOptions): Look {
  checkExpiries(rule, options);
  const { text, age } = rule;
  const { now, onUnread } = options;
  const latest = age?.pointAfter(now) ?? now;
  if (latest < now) throw usageFailure(`the rule ${text} is in the past: nothing could match`);
  const ago = remember((days: number) => `expired ${counted(days, "day")} ago`);
  const ahead = remember((days: number) => `expires in ${counted(days, "day")}`);
  return {
    finds(item) {
      const { expires } = item;
      if (expires === null && item.expiresAt !== null) onUnread(item);
      return expires !== null && expires <= latest;
    },
    measure({ expires }) {
      const left = (expires ?? now) - now;
      return left <= 0 ? ago(daysOf(-left)) : ahead(daysOf(left));
    },
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

function lookForDuplicates(_: WantedRule, { items }: RuleOptions): Look {
  const countOf = countNotes(items);
  const words = remember((count: number) => `the note of ${count} authorizations`);
  return { finds: (item) => countOf(item) > 1, measure: (item) => words(countOf(item)) };
}

/** A length of time in whole days. */
function daysOf(milliseconds: number): number {
  return Math.floor(milliseconds / dayMs);
}

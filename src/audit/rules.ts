// The rules of an audit: their names and values in `--fail-on`, and their verdicts.
//
// A rule has three verdicts on an item: a finding, none, or "cannot be judged", if the item lacks the data that the
// rule needs (null scopes, an unreadable date). An item that cannot be judged counts as a finding, so that an audit
// never passes because data is missing. A missing date is never guessed.
//
//   parseRules       --fail-on older-than=1y,scope=admin:*       (separated by commas)
//   checkRules       before anything is read: rejects rules without the earlier audit that they need
//   createRules      after everything was read: prepares the rules with the time, all items and the comparison
import { daysBetween } from "../drawing/relative-date.ts";
import { usageFailure } from "../errors/errors.ts";
import { counted, shorten } from "../errors/words.ts";
import { parseAge, type Age } from "../lists/age.ts";
import { cellText } from "../printing/presentation.ts";
import type { Comparison } from "./changes.ts";
import type { AuditItem, Resource } from "./items.ts";

export type Severity = "high" | "medium" | "low";

interface RuleType {
  /** `by-access`: old access is as serious as it is broad. */
  readonly severity: Severity | "by-access";
  readonly about: readonly Resource[];
  /** An example of the value after the equals sign; null for a rule without a value. */
  readonly example: string | null;
  /** The condition of the rule, given its value in words. */
  readonly sentence: (value: string) => string;
}

const everything: readonly Resource[] = ["grant", "authorization"];
const tokens: readonly Resource[] = ["authorization"];

/** In the order in which an item's findings are listed. */
const ruleTable = {
  new: {
    severity: "by-access",
    about: tokens,
    example: null,
    sentence: () => "is not in the earlier audit",
  },
  widened: {
    severity: "by-access",
    about: everything,
    example: null,
    sentence: () => "has scopes that it did not have in the earlier audit",
  },
  scope: {
    severity: "high",
    about: everything,
    example: "admin:*",
    sentence: (glob) => `has a scope that matches ${glob}`,
  },
  "older-than": {
    severity: "by-access",
    about: everything,
    example: "1y",
    sentence: (age) => `was created more than ${age} ago`,
  },
  "not-updated-for": {
    severity: "by-access",
    about: everything,
    example: "180d",
    sentence: (age) => `has not been updated for ${age}`,
  },
  "no-expiry": { severity: "low", about: tokens, example: null, sentence: () => "never expires" },
  "expires-within": {
    severity: "low",
    about: tokens,
    example: "30d",
    sentence: (age) => `has expired, or expires within ${age}`,
  },
  "duplicate-note": {
    severity: "low",
    about: tokens,
    example: null,
    sentence: () => "has the same note as another token",
  },
  "no-note": { severity: "low", about: tokens, example: null, sentence: () => "has no note" },
  "no-fingerprint": {
    severity: "low",
    about: tokens,
    example: null,
    sentence: () => "has no fingerprint",
  },
} as const satisfies Readonly<Record<string, RuleType>>;

export type RuleName = keyof typeof ruleTable;
const ruleTypes: Readonly<Record<RuleName, RuleType>> = ruleTable;

export function rulesOfSeverity(severity: RuleType["severity"]): readonly string[] {
  return Object.keys(ruleTypes).filter((name) => ruleTypes[name as RuleName].severity === severity);
}

/** A rule as typed. */
export interface WantedRule {
  readonly name: RuleName;
  /** As typed: `older-than=1y`. */
  readonly text: string;
  readonly age?: Age;
  /** A glob; `*` matches any text. */
  readonly glob?: string;
}

/** Parses the rules of one `--fail-on`. Throws a usage failure that lists the valid ones. */
export function parseRules(text: string): readonly WantedRule[] {
  return text.split(",").map((word) => parseRule(word.trim()));
}

function parseRule(text: string): WantedRule {
  const [, name = "", , value = null] = /^([^=]*)(=(.*))?$/s.exec(text) ?? [];
  if (!isRuleName(name)) throw unknownRule(text);
  const { example } = ruleTypes[name];
  if (example === null) {
    if (value !== null) throw usageFailure(`the rule ${name} takes no value`, `Use --fail-on ${name}.`);
    return { name, text };
  }
  if (value === null || value === "") {
    throw usageFailure(`the rule ${name} needs a value`, `Use, for example, --fail-on '${name}=${example}'.`);
  }
  return name === "scope" ? { name, text, glob: value } : { name, text, age: parseAge(name, value) };
}

function isRuleName(text: string): text is RuleName {
  return Object.hasOwn(ruleTypes, text);
}

function unknownRule(text: string): Error {
  if (/^(?:unused|not-used|last-used)/.test(text)) {
    return usageFailure(
      `unknown rule ${text}: the server does not report when a token was last used`,
      "Use not-updated-for=180d for the last change.",
    );
  }
  const forms = Object.entries(ruleTypes).map(([name, { example }]) =>
    example === null ? name : `${name}=${example}`,
  );
  return usageFailure(
    text === "" ? "--fail-on has an empty rule" : `unknown rule ${text}`,
    `Rules: ${forms.join(", ")}`,
  );
}

/** Throws a usage failure for a rule that needs an earlier audit, if there is none. */
export function checkRules(rules: readonly WantedRule[], isCompared: boolean): void {
  const rule = isCompared ? undefined : rules.find(({ name }) => name === "new" || name === "widened");
  if (rule === undefined) return;
  throw usageFailure(
    `the rule ${rule.name} needs an earlier audit`,
    "Add --compare audit.json, a file written by `grantctl audit --json`.",
  );
}

/** The default rules without --fail-on: those whose inputs this run has. */
export function defaultRules(isCompared: boolean, items: readonly AuditItem[]): readonly WantedRule[] {
  const reportsExpiry = items.some(({ expires_at }) => expires_at !== null);
  // Few accounts have such a scope, so the rule is listed only if it finds something.
  const allowsDeletion = items.some(({ scopes }) => scopes?.some((scope) => scope.startsWith("delete")));
  const texts = [
    ...(isCompared ? ["new", "widened"] : []),
    ...(allowsDeletion ? ["scope=delete*"] : []),
    "scope=admin:*",
    "older-than=1y",
    "not-updated-for=180d",
    ...(reportsExpiry ? ["no-expiry", "expires-within=30d"] : []),
    "duplicate-note",
    "no-note",
  ];
  return texts.map(parseRule);
}

/** A rule, ready to judge. */
export interface Rule extends WantedRule, Pick<RuleType, "severity" | "about"> {
  /** Its condition, as a predicate: `has not been updated for 180 days`. */
  readonly sentence: string;
  readonly judge: (item: AuditItem) => Verdict;
}

/** The measure of a finding, or the data that is missing for it; null for no finding. */
export type Verdict = {
  readonly measure: string;
  readonly judged: boolean;
  /** If it differs from that of the rule. */
  readonly severity?: Severity;
  /** The scopes that the finding is about. */
  readonly scopes?: readonly string[];
  /** True if it calls for a look and not for a change: an expiry in the future, a token that replaces another. */
  readonly isNotice?: true;
} | null;

export interface RuleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly items: readonly AuditItem[];
  /** Null without --compare. */
  readonly comparison: Comparison | null;
}

/**
 * The rules in table order, without duplicates. Throws a usage failure for an age in the wrong direction (past instead
 * of future, or the reverse), and for an expiry rule if the server reports no expiry for any item.
 */
export function createRules(wanted: readonly WantedRule[], options: RuleOptions): readonly Rule[] {
  const order = Object.keys(ruleTypes);
  const distinct = new Map(wanted.map((rule) => [rule.text, rule])).values();
  return [...distinct]
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
    .map((rule) => {
      const { severity, about, sentence } = ruleTypes[rule.name];
      const condition = sentence(rule.glob ?? ageInWords(rule));
      return { ...rule, severity, about, sentence: condition, judge: judges[rule.name](rule, options) };
    });
}

const unitWords = new Map(Object.entries({ m: "minute", h: "hour", d: "day", w: "week", y: "year" }));

function ageInWords({ age }: WantedRule): string {
  const [, digits = "", unit = ""] = /^(\d+)([mhdwy])$/.exec(age?.text ?? "") ?? [];
  return digits === "" ? (age?.text ?? "") : counted(Number(digits), unitWords.get(unit) ?? "");
}

const found = (measure: string) => ({ measure, judged: true });
const unjudged = (missing: string) => ({ measure: `cannot be judged: ${missing}`, judged: false });

type Judge = (item: AuditItem) => Verdict;

const judges: Readonly<Record<RuleName, (rule: WantedRule, options: RuleOptions) => Judge>> = {
  new:
    (_, { comparison }) =>
    (item) => {
      const former = comparison?.replaced.get(item);
      if (former !== undefined) {
        const replaces = found(`replaces ${item.resource} ${cellText(former)}`);
        return { ...replaces, severity: "low", isNotice: true };
      }
      return comparison?.added.has(item) === true ? found("not in the earlier audit") : null;
    },
  widened:
    (_, { comparison }) =>
    (item) => {
      const scopes = comparison?.gained.get(item);
      return scopes === undefined ? null : { ...found(`gained ${scopes.join(", ")}`), scopes };
    },
  scope: judgeScope,
  "older-than": (rule, { now }) => {
    const point = pastPoint(rule, now);
    return ({ created }) => {
      if (created === null) return unjudged("no readable date of creation");
      return created < point ? found(`created ${daysBetween(created, now)} ago`) : null;
    };
  },
  "not-updated-for": (rule, { now }) => {
    const point = pastPoint(rule, now);
    return ({ updated }) => {
      if (updated === null) return unjudged("no readable date of the last update");
      return updated < point ? found(`not updated for ${daysBetween(updated, now)}`) : null;
    };
  },
  "no-expiry": (rule, options) => {
    checkExpiries(rule, options);
    return ({ expires_at }) => (expires_at === null ? found("never expires") : null);
  },
  "expires-within": judgeExpiry,
  "duplicate-note": (_, { items }) => {
    const counts = new Map<string | null, number>();
    for (const { resource, note } of items) {
      if (resource === "authorization") counts.set(note, (counts.get(note) ?? 0) + 1);
    }
    return ({ note }) => {
      const count = note === null ? 0 : (counts.get(note) ?? 0);
      return count > 1 ? found(`note “${shorten(note ?? "", 40)}” shared by ${count} authorizations`) : null;
    };
  },
  "no-note": () => (item) => (item.note === null ? found("no note") : null),
  "no-fingerprint": () => (item) => (item.fingerprint === null ? found("no fingerprint") : null),
};

function judgeScope({ glob = "" }: WantedRule): Judge {
  const parts = glob.split("*").map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return ({ scopes }) => {
    if (scopes === null) return unjudged("no scopes reported");
    const matching = scopes.filter((scope) => pattern.test(scope));
    return matching.length === 0 ? null : { ...found(matching.join(", ")), scopes: matching };
  };
}

function judgeExpiry(rule: WantedRule, options: RuleOptions): Judge {
  checkExpiries(rule, options);
  const { now } = options;
  const latest = rule.age?.pointAfter(now) ?? now;
  if (latest < now) throw usageFailure(`the rule ${rule.text} is in the past: nothing could match`);
  return ({ expires, expires_at }) => {
    if (expires_at === null) return null;
    if (expires === null) return unjudged("no readable expiration date");
    if (expires > latest) return null;
    return expires <= now
      ? found(`expired ${daysBetween(expires, now)} ago`)
      : { ...found(`expires in ${daysBetween(now, expires)}`), isNotice: true };
  };
}

function pastPoint({ text, age }: WantedRule, now: number): number {
  const point = age?.pointBefore(now) ?? now;
  if (point > now) throw usageFailure(`the rule ${text} is in the future: everything would match`);
  return point;
}

function checkExpiries({ text }: WantedRule, { items }: RuleOptions): void {
  const concerned = items.filter(({ resource }) => resource !== "grant");
  if (concerned.length === 0 || concerned.some(({ expires_at }) => expires_at !== null)) return;
  throw usageFailure(
    `the rule ${text} is rejected: the server reports no expiration dates`,
    "Use older-than=1y for the date of creation.",
  );
}

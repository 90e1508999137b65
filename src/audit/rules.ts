// The rules of an audit, in one table: what each is called in `--fail-on`, an example of its value, whether a finding is a
// reason to end the access, and how it judges a row. A row that lacks what a rule needs is a finding of that rule,
// "cannot be judged", so that no audit passes because data is missing.
import { usageFailure } from "../errors/errors.ts";
import { joinAnd, counted, typedWord } from "../errors/words.ts";
import { dayMs, parseAge, parseInstant, type Age } from "../lists/age.ts";
import type { AuditRow, Item } from "./rows.ts";

/** The access that scopes give, from the narrowest. */
export const accessLevels = ["none", "read-only", "unknown", "write", "admin"] as const;
export type Access = (typeof accessLevels)[number];

/** All repositories, settings, secrets or members, or deletion. */
const administers =
  /^(?:repo|site_admin|scim:enterprise|delete[_:].*|(?:admin|manage_runners|manage_billing):.*)$/;
const reads = /^(?:read:.*|user:email|openid|email|profile|audit_log|repo:status|security_events)$/;

/** A scope that is not known counts as write access. */
export function accessOf(scopes: readonly string[] | null): Access {
  if (scopes === null) return "unknown";
  if (scopes.some((scope) => administers.test(scope))) return "admin";
  if (scopes.some((scope) => !reads.test(scope))) return "write";
  return scopes.length === 0 ? "none" : "read-only";
}

/** The time, the earlier audit and the other items, for rules that compare. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The item in the earlier audit, if it is in there; null without --compare. */
  readonly earlierOf: (item: Item) => AuditRow | undefined | null;
  /** The number of authorizations with each note. */
  readonly notes: ReadonlyMap<string, number>;
  /** The client IDs of authorizations in the lists: their grants are as old as their tokens. */
  readonly applications: ReadonlySet<string>;
}

/** The measure of a finding, or what the item lacks that the rule needs; null for no finding. */
type Judgement = string | { readonly missing: string } | null;

type Judge = (item: Item, surroundings: Surroundings) => Judgement;

interface RuleType {
  /** True if a finding is a reason to delete the item. */
  readonly endsAccess?: true;
  /** Of its value; absent for a rule without one. */
  readonly example?: string;
  readonly meaning: string;
  /** Takes the value and the name of the rule. Throws a usage failure for a wrong value. */
  readonly create: (value: string, rule: string) => Judge;
}

/** In the order in which the findings of an item are listed. */
const ruleTable: Readonly<Record<string, RuleType>> = {
  new: { endsAccess: true, meaning: "Not in the earlier audit of --compare", create: () => judgeNew },
  widened: {
    endsAccess: true,
    meaning: "Has scopes that it did not have in the earlier audit of --compare",
    create: () => judgeWidened,
  },
  scope: {
    endsAccess: true,
    example: "admin:*",
    meaning: "Has a matching scope, in any case; * matches any text",
    create: judgeScope,
  },
  "older-than": {
    endsAccess: true,
    example: "1y",
    meaning: "Created more than this long ago, or before this date",
    create: (value, rule) => judgeAge("created_at", parseAge(rule, value), (days) => `${days} old`),
  },
  "not-updated-for": {
    endsAccess: true,
    example: "180d",
    meaning: "Not updated for this long, which is not the last use",
    create: (value, rule) => judgeAge("updated_at", parseAge(rule, value), (days) => `updated ${days} ago`),
  },
  "no-expiry": { meaning: "An authorization that never expires", create: () => judgeNoExpiry },
  "expires-within": {
    example: "30d",
    meaning: "An authorization that expires within this time, or has expired",
    create: (value, rule) => judgeExpiry(parseAge(rule, value)),
  },
  "duplicate-note": { meaning: "An authorization with the note of another", create: () => judgeDuplicate },
  "no-note": { meaning: "An authorization without a note", create: () => judgeNoNote },
};

/** The rules that need an earlier audit. */
export const changeRules = ["new", "widened"];

export const notJudged = (why: string): string => `cannot be judged: ${why}`;

export interface Rule {
  readonly name: string;
  /** As it is typed, with its value. */
  readonly text: string;
  readonly judge: Judge;
  readonly endsAccess: boolean;
  /** The scopes of the rule `scope`, unless they are known: then it is not mistyped. */
  readonly pattern?: RegExp | undefined;
}

/** Parses a rule of `--fail-on`. Throws a usage failure that lists the valid ones. */
export function parseRule(text: string): Rule {
  const [, name = "", value] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  const type = Object.hasOwn(ruleTable, name) ? ruleTable[name] : undefined;
  if (type === undefined || (type.example === undefined) !== (value === undefined))
    throw usageFailure(
      `invalid rule ${typedWord(text)}`,
      `The rules are ${joinAnd(Object.keys(ruleMeanings()))}.`,
    );
  const isKnown = name !== "scope" || accessOf([value ?? ""]) !== "write";
  const pattern = isKnown ? undefined : scopePattern(value ?? "");
  return { name, text, judge: type.create(value ?? "", name), endsAccess: type.endsAccess === true, pattern };
}

/** The rules as they are typed (`older-than=1y`), with their meanings. */
export function ruleMeanings(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(ruleTable).map(([name, { example, meaning }]) => [
      example === undefined ? name : `${name}=${example}`,
      meaning,
    ]),
  );
}

/** The rules without --fail-on, for which there must be data. */
export const usualRules =
  `new widened scope=delete* scope=admin:* scope=site_admin older-than=1y not-updated-for=180d no-expiry
expires-within=30d duplicate-note no-note`.split(/\s/);

export function defaultRules(isCompared: boolean, items: readonly Item[]): readonly Rule[] {
  const reportsExpiry = items.some(({ expires_at }) => typeof expires_at === "string");
  const rules = usualRules.map(parseRule);
  return rules.filter(({ name }) =>
    changeRules.includes(name) ? isCompared : !name.includes("expir") || reportsExpiry,
  );
}

function judgeNew(item: Item, { earlierOf }: Surroundings): Judgement {
  return earlierOf(item) === undefined ? "new" : null;
}

function judgeWidened(item: Item, { earlierOf }: Surroundings): Judgement {
  const { scopes } = item;
  const before = earlierOf(item)?.scopes;
  if (before === undefined) return null;
  if (scopes === null || before === null) return { missing: "no scopes reported" };
  const gained = scopes.filter((scope) => !before.includes(scope));
  return gained.length === 0 ? null : `gained ${gained.join(", ")}`;
}

/** In any case, so that no finding is missed. */
function scopePattern(glob: string): RegExp {
  const parts = glob.split(/\*+/).map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "is");
}

function judgeScope(glob: string): Judge {
  if (accessLevels.some((access) => access === glob))
    throw usageFailure(
      `${glob} is an access, and no scope`,
      "For admin access, use `--fail-on 'scope=repo,scope=site_admin,scope=scim:*,scope=delete*,scope=admin:*,scope=manage_*'`.",
    );
  const pattern = scopePattern(glob);
  return ({ scopes }) => {
    if (scopes === null) return { missing: "no scopes reported" };
    const matching = scopes.filter((scope) => pattern.test(scope));
    return matching.length === 0 ? null : matching.join(", ");
  };
}

function judgeAge(field: "created_at" | "updated_at", age: Age, inWords: (days: string) => string): Judge {
  return (item, { now, applications }) => {
    // The tokens of the grant are judged themselves: it is as old as the oldest, and deleting it deletes the young ones.
    if (item.resource === "grant" && applications.has(item.client_id ?? "")) return null;
    const moment = parseInstant(item[field]);
    if (moment === null) return { missing: `no readable date: ${field}` };
    if (moment >= age.pointBefore(now)) return null;
    return inWords(daysBetween(moment, now));
  };
}

function judgeNoExpiry({ resource, expires_at }: Item): Judgement {
  if (resource === "grant") return null;
  if (expires_at === null) return "never expires";
  return parseInstant(expires_at) === null ? { missing: "no readable expiry" } : null;
}

function judgeExpiry(age: Age): Judge {
  return ({ resource, expires_at }, { now }) => {
    if (resource === "grant" || expires_at === null) return null;
    const moment = parseInstant(expires_at);
    if (moment === null) return { missing: "no readable expiry" };
    if (moment <= now) return `expired ${daysBetween(moment, now)} ago`;
    return moment <= age.pointAfter(now) ? `expires in ${daysBetween(now, moment)}` : null;
  };
}

function judgeDuplicate({ resource, note }: Item, { notes }: Surroundings): Judgement {
  if (note === undefined && resource === "authorization") return { missing: "no note reported" };
  const count = notes.get(note ?? "") ?? 0;
  return count > 1 ? `same note as ${counted(count - 1, "other")}` : null;
}

function judgeNoNote({ resource, note }: Item): Judgement {
  if (resource === "grant" || typeof note === "string") return null;
  return note === null ? "no note" : { missing: "no note reported" };
}

/** The whole days between two moments: `669 days`. */
function daysBetween(earlier: number, later: number): string {
  return counted(Math.floor((later - earlier) / dayMs), "day");
}

// The rules of an audit, in one table: what each is called in `--fail-on`, an example of its value, whether a finding is a
// reason to end the access, and how it judges a row. A row that lacks what a rule needs is a finding of that rule,
// "cannot be judged", so that no audit passes because data is missing.
import { usageFailure } from "../errors/errors.ts";
import { joinAnd, counted, typedWord } from "../errors/words.ts";
import { dayMs, parseAge, parseInstant } from "../lists/age.ts";
import type { AuditRow, Finding, Item } from "./rows.ts";

/** The access that scopes give, from the narrowest. */
export const accessLevels = ["none", "read-only", "unknown", "write", "admin"] as const;

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

/** The measure of a finding; null for none. */
type Judge = (item: Item, surroundings: Surroundings) => string | null;

/** With the value after the equals sign and the name of the rule. Throws a usage failure for a wrong value. */
type CreateJudge = (value: string, rule: string) => Judge;

/** `endsAccess`: a finding is a reason to delete the item. `example`: of a value; null for a rule without one. */
type RuleType = readonly [endsAccess: boolean, example: string | null, meaning: string, create: CreateJudge];

/** In the order in which the findings of an item are listed. */
const ruleTable: Readonly<Record<string, RuleType>> = {
  new: [true, null, "Not in the earlier audit of --compare", () => judgeNew],
  widened: [
    true,
    null,
    "Has scopes that it did not have in the earlier audit of --compare",
    () => judgeWidened,
  ],
  scope: [true, "admin:*", "Has a matching scope; * matches any text", judgeScope],
  "older-than": [true, "1y", "Created more than this long ago, or before this date", judgeAge],
  "not-updated-for": [true, "180d", "Not updated for this long, which is not the last use", judgeAge],
  "no-expiry": [false, null, "An authorization that never expires", () => judgeNoExpiry],
  "expires-within": [
    false,
    "30d",
    "An authorization that expires within this time, or has expired",
    judgeExpiry,
  ],
  "duplicate-note": [false, null, "An authorization with the same note as another", () => judgeDuplicate],
  "no-note": [false, null, "An authorization without a note", () => judgeNoNote],
};

const unjudged = (missing: string): string => `cannot be judged: ${missing}`;

/** 0 without a finding of a rule, 2 with one that is a reason to end the access, otherwise 1. */
export function severityOf({ findings }: Pick<AuditRow, "findings">): 0 | 1 | 2 {
  if (findings.some(isReasonToDelete)) return 2;
  return findings.some(({ rule }) => Object.hasOwn(ruleTable, rule)) ? 1 : 0;
}

function isReasonToDelete({ rule, measure }: Finding): boolean {
  const [endsAccess = false] = ruleTable[rule] ?? [];
  return endsAccess && !measure.startsWith(unjudged(""));
}

export interface Rule {
  readonly name: string;
  /** As it is typed, with its value. */
  readonly text: string;
  readonly judge: Judge;
}

/** Parses a rule of `--fail-on`. Throws a usage failure that lists the valid ones. */
export function parseRule(text: string): Rule {
  const [, name = "", value] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  const [, example, , create] = (Object.hasOwn(ruleTable, name) ? ruleTable[name] : undefined) ?? [];
  if (create === undefined || (example === null) !== (value === undefined))
    throw usageFailure(
      `invalid rule ${typedWord(text)}`,
      `The rules are ${joinAnd(Object.keys(ruleMeanings()))}.`,
    );
  return { name, text, judge: create(value ?? "", name) };
}

/** The rules as they are typed (`older-than=1y`), with their meanings. */
export function ruleMeanings(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(ruleTable).map(([name, [, example, meaning]]) => [
      example === null ? name : `${name}=${example}`,
      meaning,
    ]),
  );
}

/** The rules without --fail-on: those for which the lists have data. */
export function defaultRules(isCompared: boolean, items: readonly Item[]): readonly Rule[] {
  const reportsExpiry = items.some(({ expires_at }) => typeof expires_at === "string");
  return [
    ...(isCompared ? ["new", "widened"] : []),
    "scope=delete*",
    "scope=admin:*",
    "older-than=1y",
    "not-updated-for=180d",
    ...(reportsExpiry ? ["no-expiry", "expires-within=30d"] : []),
    "duplicate-note",
    "no-note",
  ].map(parseRule);
}

function judgeNew(item: Item, { earlierOf }: Surroundings): string | null {
  return earlierOf(item) === undefined ? "new" : null;
}

function judgeWidened(item: Item, { earlierOf }: Surroundings): string | null {
  const { scopes } = item;
  const before = earlierOf(item)?.scopes;
  if (before === undefined) return null;
  if (scopes === null || before === null) return unjudged("no scopes reported");
  const gained = scopes.filter((scope) => !before.includes(scope));
  return gained.length === 0 ? null : `gained ${gained.join(", ")}`;
}

function judgeScope(glob: string): Judge {
  if (accessLevels.some((access) => access === glob))
    throw usageFailure(
      `${glob} is an access, and no scope`,
      "For example, use `scope=repo` or `scope=admin:*`.",
    );
  const parts = glob.split(/\*+/).map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return ({ scopes }) => {
    if (scopes === null) return unjudged("no scopes reported");
    const matching = scopes.filter((scope) => pattern.test(scope));
    return matching.length === 0 ? null : matching.join(", ");
  };
}

function judgeAge(value: string, rule: string): Judge {
  const age = parseAge(rule, value);
  const field = rule === "older-than" ? "created_at" : "updated_at";
  return (item, { now, applications }) => {
    // The tokens of the grant are judged themselves: it is as old as the oldest, and deleting it deletes the young ones.
    if (item.resource === "grant" && applications.has(item.client_id ?? "")) return null;
    const moment = parseInstant(item[field]);
    if (moment === null) return unjudged(`no readable date: ${field}`);
    if (moment >= age.pointBefore(now)) return null;
    const days = daysBetween(moment, now);
    return field === "created_at" ? `${days} old` : `updated ${days} ago`;
  };
}

function judgeNoExpiry({ resource, expires_at }: Item): string | null {
  if (resource === "grant") return null;
  if (expires_at === null) return "never expires";
  return parseInstant(expires_at) === null ? unjudged("no readable expiry") : null;
}

function judgeExpiry(value: string, rule: string): Judge {
  const age = parseAge(rule, value);
  return ({ resource, expires_at }, { now }) => {
    if (resource === "grant" || expires_at === null) return null;
    const moment = parseInstant(expires_at);
    if (moment === null) return unjudged("no readable expiry");
    if (moment <= now) return `expired ${daysBetween(moment, now)} ago`;
    return moment <= age.pointAfter(now) ? `expires in ${daysBetween(now, moment)}` : null;
  };
}

function judgeDuplicate({ resource, note }: Item, { notes }: Surroundings): string | null {
  if (note === undefined && resource === "authorization") return unjudged("no note reported");
  const count = notes.get(note ?? "") ?? 0;
  return count > 1 ? `same note as ${counted(count - 1, "other")}` : null;
}

function judgeNoNote({ resource, note }: Item): string | null {
  if (resource === "grant" || typeof note === "string") return null;
  return note === null ? "no note" : unjudged("no note reported");
}

/** The whole days between two moments: `669 days`. */
function daysBetween(earlier: number, later: number): string {
  return counted(Math.floor((later - earlier) / dayMs), "day");
}

// The rules of an audit, in one table: what each is called in `--fail-on`, an example of its value, whether a finding is a
// reason to end the access, and its verdict on a row. A row that lacks what a rule needs is a finding of that rule,
// "cannot be judged", so that no audit passes because data is missing.
import { usageFailure } from "../errors/errors.ts";
import { counted, typedWord } from "../errors/words.ts";
import { parseAge, parseInstant } from "../lists/age.ts";
import type { AuditRow, Item } from "./rows.ts";

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
type Verdict = (item: Item, surroundings: Surroundings) => string | null;

interface RuleType {
  readonly endsAccess?: true;
  /** An example of the value after the equals sign; absent for a rule without one. */
  readonly example?: string;
  readonly meaning: string;
  readonly verdict: (value: string) => Verdict;
}

const unjudged = (missing: string): string => `cannot be judged: ${missing}`;

export function isJudged(measure: string): boolean {
  return !measure.startsWith(unjudged(""));
}

/** In the order in which the findings of an item are listed. */
export const ruleTable: Readonly<Record<string, RuleType>> = {
  new: {
    endsAccess: true,
    meaning: "Not in the earlier audit of --compare",
    verdict:
      () =>
      (item, { earlierOf }) =>
        earlierOf(item) === undefined ? "new" : null,
  },
  widened: {
    endsAccess: true,
    meaning: "Has scopes that it did not have in the earlier audit of --compare",
    verdict: () => judgeWidened,
  },
  scope: {
    endsAccess: true,
    example: "admin:*",
    meaning: "Has a matching scope; * matches any text",
    verdict: judgeScope,
  },
  "older-than": {
    endsAccess: true,
    example: "1y",
    meaning: "Created more than this long ago, or before this date",
    verdict: (value) => judgeAge("older-than", value, "created_at"),
  },
  "not-updated-for": {
    endsAccess: true,
    example: "180d",
    meaning: "Not updated for this long, which is not the last use",
    verdict: (value) => judgeAge("not-updated-for", value, "updated_at"),
  },
  "no-expiry": {
    meaning: "An authorization that never expires",
    verdict: () => (item) => {
      if (item.resource === "grant") return null;
      if (item.expires_at === null) return "never expires";
      return parseInstant(item.expires_at) === null ? unjudged("no readable date: expires_at") : null;
    },
  },
  "expires-within": {
    example: "30d",
    meaning: "An authorization that expires within this time, or has expired",
    verdict: judgeExpiry,
  },
  "duplicate-note": {
    meaning: "An authorization with the same note as another",
    verdict:
      () =>
      (item, { notes }) => {
        if (item.note === undefined && item.resource === "authorization") return unjudged("no note reported");
        const count = notes.get(item.note ?? "") ?? 0;
        return count > 1 ? `note shared by ${count}` : null;
      },
  },
  "no-note": {
    meaning: "An authorization without a note",
    verdict: () => (item) =>
      item.resource === "authorization" && (item.note ?? null) === null ? "no note" : null,
  },
};

/** A rule, ready to judge. */
export interface Rule {
  readonly name: string;
  readonly verdict: Verdict;
}

/** Parses the rules of one `--fail-on`, separated by commas. Throws a usage failure that lists the valid ones. */
export function parseRules(text: string): readonly Rule[] {
  return text.split(",").map((word) => parseRule(word.trim()));
}

function parseRule(text: string): Rule {
  const [, name = "", value] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  const type = Object.hasOwn(ruleTable, name) ? ruleTable[name] : undefined;
  if (type === undefined || (type.example === undefined) !== (value === undefined))
    throw usageFailure(
      `invalid rule ${typedWord(text)}`,
      `Rules: ${Object.entries(ruleTable).map(formOf).join(", ")}`,
    );
  return { name, verdict: type.verdict(value ?? "") };
}

/** A rule as in help: `older-than=1y`. */
export function formOf([name, { example }]: readonly [string, RuleType]): string {
  return example === undefined ? name : `${name}=${example}`;
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

function judgeWidened(item: Item, { earlierOf }: Surroundings): string | null {
  const { scopes } = item;
  const before = earlierOf(item)?.scopes;
  if (before === undefined) return null;
  if (scopes === null || before === null) return unjudged("no scopes reported");
  const gained = scopes.filter((scope) => !before.includes(scope));
  return gained.length === 0 ? null : `gained ${gained.join(", ")}`;
}

function judgeScope(glob: string): Verdict {
  const parts = glob.split(/\*+/).map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return ({ scopes }) => {
    if (scopes === null) return unjudged("no scopes reported");
    const matching = scopes.filter((scope) => pattern.test(scope));
    return matching.length === 0 ? null : matching.join(", ");
  };
}

function judgeAge(rule: string, value: string, field: "created_at" | "updated_at"): Verdict {
  const age = parseAge(rule, value);
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

function judgeExpiry(value: string): Verdict {
  const age = parseAge("expires-within", value);
  return ({ resource, expires_at }, { now }) => {
    if (resource === "grant" || expires_at === null) return null;
    const moment = parseInstant(expires_at);
    if (moment === null) return unjudged("no readable date: expires_at");
    if (moment <= now) return `expired ${daysBetween(moment, now)} ago`;
    return moment <= age.pointAfter(now) ? `expires in ${daysBetween(now, moment)}` : null;
  };
}

const dayMs = 24 * 60 * 60_000;

/** The whole days between two moments: `669 days`. */
function daysBetween(earlier: number, later: number): string {
  return counted(Math.floor((later - earlier) / dayMs), "day");
}

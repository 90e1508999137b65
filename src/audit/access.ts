// Groups audited items into units of access: an application's grant with its tokens, or a personal token. Findings of
// the same rule within a unit are merged. Reports for people list units, so that an application counts once; csv and
// JSON list every item.
import { daysBetween, relativeDate } from "../drawing/relative-date.ts";
import { both, withCommas } from "../errors/words.ts";
import { groupBy } from "../lists/group-by.ts";
import { actionsFor, isOfToken, tokensInWords, type Action, type ItemFinding } from "./actions.ts";
import { severities, severityOf, type Found } from "./findings.ts";
import { breadthOf, keyOf, unitKey, type AuditItem } from "./items.ts";
import { scopesInWords } from "./html.ts";
import { countOf, levelInWords, type Report } from "./report.ts";
import type { Rule, RuleName, Severity } from "./rules.ts";

export interface Unit {
  readonly kind: "application" | "token";
  readonly name: string;
  /** `application with 3 tokens`, or `authorization 12`. */
  readonly about: string;
  /** The grant first, then its tokens. */
  readonly items: readonly [AuditItem, ...AuditItem[]];
  readonly breadth: AuditItem["breadth"];
  /** The first scopes of the broadest item; empty without any. */
  readonly scopes: string;
  /** The application's URL, if the server reports it. */
  readonly homepage: string | null;
  /** `admin access (admin:org), last updated 2 days ago`: the access, and the dates that no finding contains. */
  readonly facts: string;
  /** Creation time of the oldest item, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  /** One per rule. */
  readonly findings: readonly UnitFinding[];
  /** The steps of the recommendation, then alternatives; empty if there are no findings. */
  readonly actions: readonly Action[];
  /** Null if there are no findings. */
  readonly severity: Severity | null;
  /** The token or grant that grantctl itself uses, or null. */
  readonly inUse: AuditItem | null;
  /** True if it is new, or gained scopes, since the earlier audit. */
  readonly isFresh: boolean;
}

export interface UnitFinding {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly judged: boolean;
  /** The measure, and the tokens that have it unless all have: `no note (3 of 17 tokens)`. */
  readonly measure: string;
  /** False if some of the tokens do not have it. */
  readonly isEverywhere: boolean;
}

/** All units, sorted by severity, fresh ones first, then by breadth, findings and age. */
export function unitsOf(report: Report): readonly Unit[] {
  const groups = groupBy(report.items, unitKey);
  const rank = ({ severity }: Unit): number =>
    severity === null ? severities.length : severities.indexOf(severity);
  return [...groups.values()]
    .map((items) => toUnit(items, report))
    .toSorted(
      (one, other) =>
        rank(one) - rank(other) ||
        Number(other.isFresh) - Number(one.isFresh) ||
        other.breadth.level - one.breadth.level ||
        other.findings.length - one.findings.length ||
        (one.created ?? 0) - (other.created ?? 0),
    );
}

function toUnit(items: Unit["items"], { findings, now, inUse }: Report): Unit {
  const [first] = items;
  const tokens = items.filter(({ resource }) => resource === "authorization").length;
  const isApplication = unitKey(first) !== keyOf(first);
  const [created] = rangeOf(items.map((item) => item.created));
  const [, updated] = rangeOf(items.map((item) => item.updated));
  const broadest = items.reduce(broader);
  const { breadth } = broadest;
  const scopes = scopesInWords((broadest.scopes ?? []).toSorted(byBreadth), 3);
  const found = items.flatMap((item) => findings.of(item).map((finding) => ({ item, finding })));
  const merged = mergeFindings(found, tokens);
  // A date of some tokens only is not that of the unit.
  const hasRule = (name: RuleName): boolean =>
    merged.some(({ rule, isEverywhere }) => rule.name === name && isEverywhere);
  const isFresh = merged.some(
    ({ rule, severity }) => severity !== "low" && (rule.name === "new" || rule.name === "widened"),
  );
  return {
    kind: isApplication || first.resource === "grant" ? "application" : "token",
    name: isApplication ? (first.application ?? first.client_id ?? first.name) : first.name,
    about: isApplication
      ? `application with ${tokens === 0 ? "no tokens" : countOf(tokens, "token")}`
      : keyOf(first),
    items,
    breadth,
    scopes,
    homepage: first.homepage,
    facts: [
      levelInWords(breadth.name) + (scopes === "" ? "" : ` (${scopes})`),
      ...(hasRule("older-than") ? [] : isFresh ? exactFact(created) : datedFact("created", created, now)),
      ...(hasRule("not-updated-for") || isSameDay(created, updated)
        ? []
        : datedFact("last updated", updated, now)),
    ].join(", "),
    created,
    findings: merged,
    actions: actionsFor(found, tokens, inUse),
    severity: merged.length === 0 ? null : severityOf(merged),
    inUse: items.findLast((item) => inUse.has(item)) ?? null,
    isFresh,
  };
}

/** The earliest and the latest of the known dates; null without any. */
function rangeOf(dates: readonly (number | null)[]): readonly [number | null, number | null] {
  const known = dates.filter((date) => date !== null).toSorted((one, other) => one - other);
  return [known[0] ?? null, known.at(-1) ?? null];
}

function datedFact(label: string, date: number | null, now: number): readonly string[] {
  if (date === null) return [];
  // In days, as the findings next to it are.
  const isToday = now - date < 86_400_000;
  const ago = isToday ? relativeDate(new Date(date).toISOString(), now) : `${daysBetween(date, now)} ago`;
  return ago === null ? [] : [`${label} ${ago}`];
}

/** To the minute, for access that its owner may not recognize: `created 2026-01-31 12:00 UTC`. */
function exactFact(created: number | null): readonly string[] {
  if (created === null) return [];
  return [`created ${new Date(created).toISOString().slice(0, 16).replace("T", " ")} UTC`];
}

/** Sorts the broadest scopes first. */
function byBreadth(one: string, other: string): number {
  return breadthOf([other]).level - breadthOf([one]).level;
}

/** True for dates that differ by less than a day. */
function isSameDay(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && Math.abs(one - other) < 86_400_000;
}

function broader(one: AuditItem, other: AuditItem): AuditItem {
  return other.breadth.level > one.breadth.level ? other : one;
}

/** Merges each rule's findings on a grant and its tokens. Counts the tokens unless all of them have the finding. */
function mergeFindings(found: readonly ItemFinding[], tokens: number): readonly UnitFinding[] {
  const byRule = groupBy(found, ({ finding }) => `${finding.rule.text} ${finding.judged}`);
  return [...byRule.values()].map((group) => {
    const [{ finding }] = group;
    const findings = group.map((each) => each.finding);
    const ofTokens = group.filter(isOfToken);
    const isEverywhere = tokens === 0 || ofTokens.length >= tokens;
    const where = ofTokens.length === 0 ? "the grant" : tokensInWords(ofTokens, `of ${tokens} tokens`);
    const measure = measureOf(findings);
    return {
      rule: finding.rule,
      severity: severityOf(findings),
      judged: finding.judged,
      measure: isEverywhere ? measure : `${measure} (${where})`,
      isEverywhere,
    };
  });
}

/** The measure that a rule's findings share, or the rule's own sentence if they differ. */
function measureOf(findings: readonly Found[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  if (others.some(({ measure }) => measure !== first.measure)) return first.rule.sentence;
  return first.rule.name === "scope" && first.judged ? `has scope ${first.measure}` : first.measure;
}

/**
 * The measures of the wanted findings. Both ages are one: `created 592 days ago, not updated for 296 days`, or
 * `not updated since` if they are equal.
 */
export function reasonsOf({ findings }: Unit, wanted: (finding: UnitFinding) => boolean): readonly string[] {
  const those = findings.filter(wanted);
  const ageOf = (name: RuleName): RegExpExecArray | null =>
    /^(?:created|not updated for) (\d+ days?)(?: ago)?(.*)$/.exec(
      those.find(({ rule }) => rule.name === name)?.measure ?? "",
    );
  const [created, updated] = [ageOf("older-than"), ageOf("not-updated-for")];
  // Not if they are about different tokens.
  if (created === null || updated === null || created[2] !== updated[2])
    return those.map(({ measure }) => measure);
  const since = created[1] === updated[1] ? "not updated since" : `not updated for ${updated[1]}`;
  return those.flatMap(({ rule, measure }) => {
    if (rule.name === "older-than") return [`created ${created[1]} ago, ${since}${created[2]}`];
    return rule.name === "not-updated-for" ? [] : [measure];
  });
}

export interface RuleCount {
  readonly rule: Rule;
  /** The number of units that it applies to. */
  readonly checked: number;
  readonly found: number;
  /** The number of units with an item that it could not judge. */
  readonly unjudged: number;
}

export function countByRule({ findings }: Report, units: readonly Unit[]): readonly RuleCount[] {
  return findings.rules.map(({ rule }) => {
    const having = (judged: boolean): number =>
      units.filter((unit) => unit.findings.some((one) => one.rule === rule && one.judged === judged)).length;
    const checked = units.filter(({ items }) =>
      items.some(({ resource }) => rule.about.includes(resource)),
    ).length;
    return { rule, checked, found: having(true), unjudged: having(false) };
  });
}

/** The access, counted in units: `40 applications with 78 tokens and 2 personal tokens`. */
export function accessOfUnits(units: readonly Unit[]): string {
  const ofKind = (kind: Unit["kind"]): readonly Unit[] => units.filter((unit) => unit.kind === kind);
  const applications = ofKind("application");
  const tokens = applications
    .flatMap(({ items }) => items)
    .filter(({ resource }) => resource === "authorization");
  const personal = ofKind("token").length;
  const parts: string[] = [];
  if (applications.length > 0)
    parts.push(`${countOf(applications.length, "application")} with ${countOf(tokens.length, "token")}`);
  if (personal > 0) parts.push(countOf(personal, "personal token"));
  return parts.length === 0 ? "Nothing has access" : both(parts);
}

/** A sentence with the number of units that have findings: `14 of 17 applications and personal tokens have findings`. */
export function findingsInWords(units: readonly Unit[]): string {
  const count = units.filter(({ severity }) => severity !== null).length;
  const some =
    count === units.length && count > 1
      ? `All ${withCommas(count)}`
      : `${withCommas(count)} of ${withCommas(units.length)}`;
  return `${some} applications and personal tokens have findings`;
}

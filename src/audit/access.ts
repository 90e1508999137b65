// Groups audited items into units of access: an application's grant with its tokens, a personal token, or an
// organization's credential. Findings of the same rule within a unit are merged. Reports for people list units, so that
// an application counts once; csv and JSON list every item.
import { relativeDate } from "../drawing/relative-date.ts";
import { withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import type { Found } from "./findings.ts";
import { severities, severityOf } from "./findings.ts";
import { allItems, breadthNames, type AuditItem, type BreadthName } from "./items.ts";
import { breadthInWords, type Report } from "./report.ts";
import type { Severity } from "./rules.ts";

/** The most IDs in one command, which is shown as a whole. */
const mostIds = 25;

export interface Unit {
  readonly kind: "application" | "token" | "credential";
  readonly name: string;
  /** `application with 3 tokens`, or `authorization 12`. */
  readonly about: string;
  /** The grant first, then its tokens. */
  readonly items: readonly AuditItem[];
  readonly breadth: AuditItem["breadth"];
  /** `admin, created 1 year ago`. */
  readonly facts: string;
  /** Creation time of the oldest item, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  /** One per rule. */
  readonly findings: readonly UnitFinding[];
  /** More drastic commands, the most thorough first. */
  readonly alternatives: readonly Alternative[];
  /** Null if there are no findings. */
  readonly severity: Severity | null;
}

/** The finding of one rule at a unit. */
export interface UnitFinding {
  readonly severity: Severity;
  /** The measure and the items that it applies to: `created 699 days ago (grant 1)`. */
  readonly measure: string;
  /** The safest commands that fix it: one, or as many as the items need. */
  readonly commands: readonly string[];
}

/** Another command that fixes findings, and its effect: `delete the token`. */
export interface Alternative {
  readonly effect: string;
  readonly command: string;
}

/** All units, sorted by severity, breadth, number of findings and age. */
export function unitsOf(report: Report): readonly Unit[] {
  const groups = new Map<string, AuditItem[]>();
  for (const item of allItems(report.lists)) {
    const app = applicationOf(item);
    const key = app === null ? `${item.resource} ${cellText(item.id)}` : `app ${app}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  const order = new Map(report.findings.items.map((item, index) => [item, index]));
  const rank = ({ items }: Unit): number => Math.min(...items.map((item) => order.get(item) ?? Infinity));
  const ranked = [...groups.values()].map((items) => {
    const unit = toUnit(items, report);
    return { unit, weight: severityWeight(unit.severity), rank: rank(unit) };
  });
  return ranked
    .toSorted(
      (one, other) =>
        other.weight - one.weight ||
        (one.rank === other.rank ? 0 : one.rank - other.rank) ||
        (other.unit.breadth.level ?? 2) - (one.unit.breadth.level ?? 2) ||
        (one.unit.created ?? Infinity) - (other.unit.created ?? Infinity) ||
        0,
    )
    .map(({ unit }) => unit);
}

/** The client ID (otherwise the name) of an item's application; null for personal tokens and credentials. */
function applicationOf({ resource, clientId, application }: AuditItem): string | null {
  return resource === "credential" ? null : (clientId ?? application);
}

function kindOf(item: AuditItem): Unit["kind"] {
  if (item.resource === "credential") return "credential";
  return item.resource === "grant" || applicationOf(item) !== null ? "application" : "token";
}

function severityWeight(severity: Severity | null): number {
  return severity === null ? 0 : { high: 3, medium: 2, low: 1 }[severity];
}

function toUnit(items: readonly AuditItem[], { findings, now }: Report): Unit {
  const [first] = items as readonly [AuditItem, ...AuditItem[]];
  const tokens = items.filter(({ resource }) => resource !== "grant").length;
  const isApplication = applicationOf(first) !== null;
  const dates = items.flatMap((item) => (item.created === null ? [] : [item.created]));
  const created = dates.length === 0 ? null : Math.min(...dates);
  const age = created === null ? null : relativeDate(new Date(created).toISOString(), now);
  const breadth = items.map((item) => item.breadth).reduce(broader);
  const found = items.flatMap((item) => findings.of(item).map((one) => ({ item, one })));
  return {
    kind: kindOf(first),
    name: isApplication ? (first.application ?? first.clientId ?? first.name) : first.name,
    about: isApplication
      ? `application with ${tokens === 0 ? "no tokens" : tokens === 1 ? "1 token" : `${tokens} tokens`}`
      : `${first.resource} ${cellText(first.id)}`,
    items,
    breadth,
    facts: [breadthInWords(breadth.name), ...(age === null ? [] : [`created ${age}`])].join(", "),
    created,
    findings: mergeFindings(found, tokens),
    alternatives: alternativesOf(found, tokens),
    severity: found.length === 0 ? null : severityOf(found.map(({ one }) => one)),
  };
}

function broader(one: AuditItem["breadth"], other: AuditItem["breadth"]): AuditItem["breadth"] {
  return (other.level ?? 2) > (one.level ?? 2) ? other : one;
}

/** A finding and its item. */
interface FoundAt {
  readonly item: AuditItem;
  readonly one: Found;
}

/** Merges each rule's findings on a grant and its tokens. Names the items unless all tokens have the finding. */
function mergeFindings(found: readonly FoundAt[], tokens: number): readonly UnitFinding[] {
  const byRule = new Map<string, FoundAt[]>();
  for (const each of found) {
    const key = `${each.one.rule.text} ${each.one.judged}`;
    const group = byRule.get(key);
    if (group === undefined) byRule.set(key, [each]);
    else group.push(each);
  }
  return [...byRule.values()].map((group) => {
    const [{ one: first }] = group as [(typeof group)[0], ...typeof group];
    // Deleting a grant also deletes its tokens: if a token has the same finding, its own command is safer.
    const ownTokens = group.filter(({ item }) => item.resource !== "grant");
    const safest = ownTokens.length > 0 ? ownTokens : group;
    const places = group.map(({ item }) => `${item.resource} ${cellText(item.id)}`);
    const isEverywhere = tokens === 0 || ownTokens.length === tokens;
    return {
      severity: first.severity,
      measure: `${measureOf(group.map(({ one }) => one))}${isEverywhere ? "" : ` (${shortList(places)})`}`,
      commands: commandsOfMany(safest),
    };
  });
}

/** The command of each item, or one for several of them. */
function commandsOfMany(found: readonly FoundAt[]): readonly string[] {
  const [first, ...others] = found.map(({ one }) => one.commandOfMany);
  const isOne = typeof first === "string" && others.every((other) => other === first);
  if (!isOne) return [...new Set(found.map(({ one }) => one.command))];
  const ids = found.map(({ item }) => cellText(item.id));
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, part) =>
    ids.slice(part * mostIds, (part + 1) * mostIds),
  );
  return parts.map((part) => [first, ...part].join(" "));
}

/** The deletion of the grant, and of the token if there is only one. */
function alternativesOf(found: readonly FoundAt[], tokens: number): readonly Alternative[] {
  const ofGrant = found
    .filter(({ item, one }) => item.resource === "grant" && one.judged)
    .map(({ one }) => one.command);
  const ofTokens = found.flatMap(({ one }) => one.alternatives);
  return [
    ...(tokens === 0
      ? []
      : ofGrant.map((command) => ({ effect: "delete the grant and all its tokens", command }))),
    ...(tokens === 1 ? ofTokens.map((command) => ({ effect: "delete the token", command })) : []),
  ];
}

/** The measure that a rule's findings share, or the rule's own sentence if they differ. */
function measureOf(findings: readonly Found[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  if (others.some(({ measure }) => measure !== first.measure)) return first.rule.sentence;
  return first.rule.name === "scope" && first.judged ? `has scope ${first.measure}` : first.measure;
}

function shortList(texts: readonly string[]): string {
  return texts.length <= 3
    ? texts.join(", ")
    : `${texts.slice(0, 2).join(", ")} and ${texts.length - 2} more`;
}

/** A row of the age-by-permission table: the number of items in each age range. */
export interface BreadthRow {
  readonly breadth: BreadthName;
  /** One count for each of `ageNames`. */
  readonly counts: readonly number[];
  /** Risk from 1 to 4 for each of `ageNames`: higher for broader and for older access. */
  readonly risks: readonly number[];
  readonly total: number;
}

export const ageNames = ["under 3 months", "3 to 12 months", "1 to 2 years", "over 2 years"] as const;
const ageDays = [91, 365, 730, Infinity] as const;
/** Index in `ageNames` of the first range of more than a year. */
export const oldFrom = 2;

/** Counts tokens and credentials, and grants without a listed token. Items without a date are left out. */
export function ageByPermission(report: Report): readonly BreadthRow[] {
  const items = unitsOf(report).flatMap(({ items: own }) => {
    const tokens = own.filter(({ resource }) => resource !== "grant");
    return tokens.length === 0 ? own : tokens;
  });
  return [...breadthNames, "unknown" as const].toReversed().flatMap((breadth) => {
    const ages = items.flatMap(({ breadth: { name }, created }) =>
      name === breadth && created !== null ? [(report.now - created) / 86_400_000] : [],
    );
    const counts = ageDays.map(
      (most, index) => ages.filter((age) => age < most && age >= (ageDays[index - 1] ?? -Infinity)).length,
    );
    const level = breadth === "unknown" ? 2 : breadthNames.indexOf(breadth);
    const risks = ageDays.map((_, age) => riskOf(level * age));
    return ages.length === 0 ? [] : [{ breadth, counts, risks, total: ages.length }];
  });
}

function riskOf(product: number): number {
  if (product < 3) return 1;
  if (product < 6) return 2;
  return product < 10 ? 3 : 4;
}

/** The number of units of each severity: `6 high, 33 medium, 9 low`. */
export function severitiesInWords(units: readonly Unit[]): string {
  const countOf = (severity: Severity): number => units.filter((unit) => unit.severity === severity).length;
  return severities.map((severity) => `${withCommas(countOf(severity))} ${severity}`).join(", ");
}

/** A sentence with the number of units that have findings. */
export function withFindings(count: number): string {
  return count === 1
    ? "1 application or token has findings"
    : `${withCommas(count)} applications or tokens have findings`;
}

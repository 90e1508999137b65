// Groups audited items into units of access: an application's grant with its tokens, a personal token, or an
// organization's credential. Findings of the same rule within a unit are merged. Reports for people list units, so that
// an application counts once; csv and JSON list every item.
import { withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import type { Found } from "./findings.ts";
import { severities, severityOf } from "./findings.ts";
import { allItems, breadthNames, type AuditItem, type BreadthName } from "./items.ts";
import type { Report } from "./report.ts";
import type { Severity } from "./rules.ts";

export interface Unit {
  readonly name: string;
  /** `application with 3 tokens`, or `authorization 12`. */
  readonly about: string;
  /** The grant first, then its tokens. */
  readonly items: readonly AuditItem[];
  readonly breadth: AuditItem["breadth"];
  /** Of its oldest item; null if no date is known. */
  readonly created: number | null;
  /** One per rule. */
  readonly findings: readonly UnitFinding[];
  /** Null without findings. */
  readonly severity: Severity | null;
}

/** The finding of one rule at a unit. */
export interface UnitFinding {
  readonly severity: Severity;
  /** The measure, with the items it was found at: `created 699 days ago (grant 1)`. */
  readonly measure: string;
  /** The safest commands that fix it: one, or one per token. */
  readonly commands: readonly string[];
  readonly alternatives: readonly string[];
}

/** Every unit, the most serious first; of equal ones the broadest, then the oldest. */
export function unitsOf(report: Report): readonly Unit[] {
  const groups = new Map<string, AuditItem[]>();
  for (const item of allItems(report.lists)) {
    const { resource, clientId, application, id } = item;
    const app = clientId ?? application;
    const key = resource === "credential" || app === null ? `${resource} ${cellText(id)}` : `app ${app}`;
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

function severityWeight(severity: Severity | null): number {
  return severity === null ? 0 : { high: 3, medium: 2, low: 1 }[severity];
}

function toUnit(items: readonly AuditItem[], { findings }: Report): Unit {
  const [first] = items as readonly [AuditItem, ...AuditItem[]];
  const tokens = items.filter(({ resource }) => resource !== "grant").length;
  const isApplication = first.resource !== "credential" && (first.clientId ?? first.application) !== null;
  const created = items.flatMap((item) => (item.created === null ? [] : [item.created]));
  const found = items.flatMap((item) => findings.of(item).map((one) => ({ item, one })));
  return {
    name: isApplication ? (first.application ?? first.clientId ?? first.name) : first.name,
    about: isApplication
      ? `application with ${tokens === 0 ? "no tokens" : tokens === 1 ? "1 token" : `${tokens} tokens`}`
      : `${first.resource} ${cellText(first.id)}`,
    items,
    breadth: items.map(({ breadth }) => breadth).reduce(broader),
    created: created.length === 0 ? null : Math.min(...created),
    findings: mergeFindings(found, items.length),
    severity: found.length === 0 ? null : severityOf(found.map(({ one }) => one)),
  };
}

function broader(one: AuditItem["breadth"], other: AuditItem["breadth"]): AuditItem["breadth"] {
  return (other.level ?? 2) > (one.level ?? 2) ? other : one;
}

/** Findings of one rule at a grant and its tokens are one. */
function mergeFindings(
  found: readonly { readonly item: AuditItem; readonly one: Found }[],
  itemCount: number,
): readonly UnitFinding[] {
  const byRule = new Map<string, { readonly item: AuditItem; readonly one: Found }[]>();
  for (const each of found) {
    const key = `${each.one.rule.text} ${each.one.judged}`;
    const group = byRule.get(key);
    if (group === undefined) byRule.set(key, [each]);
    else group.push(each);
  }
  return [...byRule.values()].map((group) => {
    const [{ one: first }] = group as [(typeof group)[0], ...typeof group];
    // Deleting a grant also deletes its tokens: if a token has the same finding, its own command is safer.
    const tokens = group.filter(({ item }) => item.resource !== "grant");
    const safest = tokens.length > 0 ? tokens : group;
    const others = tokens.length > 0 ? group.filter(({ item }) => item.resource === "grant") : [];
    const places = group.map(({ item }) => `${item.resource} ${cellText(item.id)}`);
    const where = group.length === itemCount && itemCount === 1 ? "" : ` (${shortList(places)})`;
    return {
      severity: first.severity,
      measure: `${measureOf(group.map(({ one }) => one))}${where}`,
      commands: [...new Set(safest.map(({ one }) => one.command))],
      alternatives: [
        ...new Set([
          ...safest.flatMap(({ one }) => one.alternatives),
          ...others.map(({ one }) => one.command),
        ]),
      ],
    };
  });
}

/** The common measure of findings of one rule; the rule itself if they differ. */
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

/** A row of the table of age by permission: the number of items of each age. */
export interface BreadthRow {
  readonly breadth: BreadthName;
  /** One count for each of `ageNames`. */
  readonly counts: readonly number[];
  readonly total: number;
}

export const ageNames = ["under 3 months", "3 to 12 months", "1 to 2 years", "over 2 years"] as const;
const ageDays = [91, 365, 730, Infinity] as const;
/** From this position on, an age is more than a year. */
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
    return ages.length === 0 ? [] : [{ breadth, counts, total: ages.length }];
  });
}

/** How many units have which severity: `6 high, 33 medium, 9 low`. */
export function severitiesInWords(units: readonly Unit[]): string {
  const countOf = (severity: Severity): number => units.filter((unit) => unit.severity === severity).length;
  return severities.map((severity) => `${withCommas(countOf(severity))} ${severity}`).join(", ");
}

/** How many applications, and tokens without one, have findings. */
export function withFindings(count: number): string {
  return count === 1
    ? "1 application or token has findings"
    : `${withCommas(count)} applications or tokens have findings`;
}

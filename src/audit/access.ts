// Groups audited items into units of access: an application's grant with its tokens, a personal token, or an
// organization's credential. Findings of the same rule within a unit are merged. Reports for people list units, so that
// an application counts once; csv and JSON list every item.
import { relativeDate } from "../drawing/relative-date.ts";
import { counted, withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import { severities, severityOf, type Found } from "./findings.ts";
import { allItems, type AuditItem } from "./items.ts";
import { scopesInWords } from "./html.ts";
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
  /** `access admin (admin:org), created 17 months ago, last updated 2 days ago`. */
  readonly facts: string;
  /** Creation time of the oldest item, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  /** One per rule. */
  readonly findings: readonly UnitFinding[];
  /** The steps of the recommendation, then alternatives; empty if there are no findings. */
  readonly actions: readonly Action[];
  /** Null if there are no findings. */
  readonly severity: Severity | null;
}

/** The finding of one rule at a unit. */
export interface UnitFinding {
  readonly severity: Severity;
  /** The measure, and how many tokens have it unless all have: `no note (3 of 17 tokens)`. */
  readonly measure: string;
  /** The safest commands that fix it: one, or as many as the items need. */
  readonly commands: readonly string[];
}

/** An action that fixes findings of a unit: `delete 8 of 17 tokens`. */
export interface Action {
  readonly effect: string;
  /** False for a step of the recommendation. */
  readonly isAlternative: boolean;
  readonly commands: readonly string[];
  /** The grant that it deletes, or null. */
  readonly deletedGrant: AuditItem | null;
}

/** All units, sorted by severity, breadth, number of findings and age. */
export function unitsOf(report: Report): readonly Unit[] {
  const groups = new Map<string, AuditItem[]>();
  for (const item of allItems(report.lists)) {
    const app = applicationOf(item);
    const key = app === null ? placeOf(item) : `app ${app}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  // Findings are sorted by severity, then by permissions. Items without one come last.
  const order = new Map(report.findings.items.map((item, index) => [item, index]));
  const rank = ({ items }: Unit): number =>
    items.reduce((first, item) => Math.min(first, order.get(item) ?? first), order.size);
  return [...groups.values()]
    .map((items) => toUnit(items, report))
    .map((unit) => ({ unit, rank: rank(unit) }))
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        (other.unit.breadth.level ?? 2) - (one.unit.breadth.level ?? 2) ||
        (one.unit.created ?? 0) - (other.unit.created ?? 0),
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

function toUnit(items: readonly AuditItem[], { findings, now }: Report): Unit {
  const [first] = items as readonly [AuditItem, ...AuditItem[]];
  const tokens = items.filter(({ resource }) => resource !== "grant").length;
  const isApplication = applicationOf(first) !== null;
  const [created] = rangeOf(items.map((item) => item.created));
  const [, updated] = rangeOf(items.map((item) => item.updated));
  const [, used] = rangeOf(items.map((item) => item.used));
  const breadth = items.map((item) => item.breadth).reduce(broader);
  const found = items.flatMap((item) => findings.of(item).map((finding) => ({ item, finding })));
  return {
    kind: kindOf(first),
    name: isApplication ? (first.application ?? first.clientId ?? first.name) : first.name,
    about: isApplication
      ? `application with ${tokens === 0 ? "no tokens" : counted(tokens, "token")}`
      : placeOf(first),
    items,
    breadth,
    facts: [
      accessOf(items, breadth),
      ...since("created", created, now),
      ...since("last updated", updated, now),
      ...since("last used", used, now),
    ].join(", "),
    created,
    findings: mergeFindings(found, tokens),
    actions: actionsFor(found, tokens),
    severity: found.length === 0 ? null : severityOf(found.map(({ finding }) => finding)),
  };
}

/** The access level, with the first scopes of the broadest item: `access everything (repo, workflow and 2 more)`. */
function accessOf(items: readonly AuditItem[], breadth: AuditItem["breadth"]): string {
  const scopes = items.find((item) => item.breadth.level === breadth.level)?.scopes ?? [];
  const level = breadthInWords(breadth.name);
  return scopes.length === 0 ? level : `access ${level} (${scopesInWords(scopes, 3)})`;
}

function placeOf({ resource, id }: AuditItem): string {
  return `${resource} ${cellText(id)}`;
}

/** The earliest and the latest of the known dates; null without any. */
function rangeOf(dates: readonly (number | null)[]): readonly [number | null, number | null] {
  const known = dates.filter((date) => date !== null).toSorted((one, other) => one - other);
  return [known[0] ?? null, known.at(-1) ?? null];
}

function since(label: string, date: number | null, now: number): readonly string[] {
  const ago = date === null ? null : relativeDate(new Date(date).toISOString(), now);
  return ago === null ? [] : [`${label} ${ago}`];
}

function broader(one: AuditItem["breadth"], other: AuditItem["breadth"]): AuditItem["breadth"] {
  return (other.level ?? 2) > (one.level ?? 2) ? other : one;
}

/** A finding and its item. */
interface ItemFinding {
  readonly item: AuditItem;
  readonly finding: Found;
}

/** Merges each rule's findings on a grant and its tokens. Counts the tokens unless all of them have the finding. */
function mergeFindings(found: readonly ItemFinding[], tokens: number): readonly UnitFinding[] {
  const byRule = new Map<string, ItemFinding[]>();
  for (const each of found) {
    const key = `${each.finding.rule.text} ${each.finding.judged}`;
    const group = byRule.get(key);
    if (group === undefined) byRule.set(key, [each]);
    else group.push(each);
  }
  return [...byRule.values()].map((group) => {
    // Deleting a grant also deletes its tokens: if a token has the same finding, its own command is safer.
    const ofTokens = group.filter(isOfToken);
    const safest = ofTokens.length > 0 ? ofTokens : group;
    const where = ofTokens.length === 0 ? "the grant" : `${ofTokens.length} of ${tokens} tokens`;
    const isEverywhere = tokens === 0 || ofTokens.length === tokens;
    return {
      severity: severityOf(group.map(({ finding }) => finding)),
      measure: `${measureOf(group.map(({ finding }) => finding))}${isEverywhere ? "" : ` (${where})`}`,
      commands: commandsOfMany(safest),
    };
  });
}

function isOfToken({ item }: ItemFinding): boolean {
  return item.resource !== "grant";
}

/** The command of each item, or one for several of them. */
function commandsOfMany(found: readonly ItemFinding[]): readonly string[] {
  const [first, ...others] = found.map(({ finding }) => finding.commandOfMany);
  const isOne = typeof first === "string" && others.every((other) => other === first);
  if (!isOne) return [...new Set(found.map(({ finding }) => finding.command))];
  const ids = [...new Set(found.map(({ item }) => cellText(item.id)))];
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, part) =>
    ids.slice(part * mostIds, (part + 1) * mostIds),
  );
  return parts.map((part) => [first, ...part].join(" "));
}

/**
 * The recommended steps for the findings of high and medium severity, then alternatives. Old or unknown access is deleted,
 * because removing a scope would make it look recently updated; scopes are removed from the tokens that stay.
 */
function actionsFor(found: readonly ItemFinding[], tokens: number): readonly Action[] {
  const serious = found.filter(({ finding }) => finding.severity !== "low");
  const chosen = serious.length > 0 ? serious : found;
  const tokensWith = (action: Found["action"]): readonly ItemFinding[] =>
    chosen.filter((each) => isOfToken(each) && each.finding.action === action);
  const inWords = (some: readonly ItemFinding[]): string => {
    const count = itemsOf(some).size;
    if (tokens <= 1) return "the token";
    return count === tokens ? `all ${tokens} tokens` : `${count} of ${tokens} tokens`;
  };
  const actions: Action[] = [];
  const add = (effect: string, some: readonly ItemFinding[], more: Partial<Action> = {}): void => {
    if (some.length === 0) return;
    const commands = commandsOfMany(some);
    actions.push({ effect, commands, isAlternative: false, deletedGrant: null, ...more });
  };
  const grant = chosen.find((each) => !isOfToken(each) && each.finding.action === "delete");
  const [deletions, rotations, updates] = [tokensWith("delete"), tokensWith("rotate"), tokensWith("update")];
  const deleted = itemsOf(deletions);
  const ofTokens = tokens === 1 ? " and its token" : ` and all ${tokens} tokens`;
  const wholeEffect = `delete the grant${tokens === 0 ? "" : ofTokens}`;
  const isWhole = grant !== undefined && deleted.size === tokens;
  if (isWhole) add(wholeEffect, [grant], { deletedGrant: grant.item });
  else add(`delete ${inWords(deletions)}`, deletions);
  add(`replace ${inWords(rotations)}`, rotations);
  const kept = updates.filter(({ item }) => !deleted.has(item));
  const change = serious.length > 0 ? "remove scopes from" : "update";
  add(`${change} ${inWords(kept)}`, kept);
  add(
    "look it up",
    chosen.filter(({ finding }) => finding.action === "look-up"),
  );
  if (kept.length === 0) add(`${change} ${inWords(updates)}`, updates, { isAlternative: true });
  const deletable = [...new Set(rotations.flatMap(({ finding }) => finding.alternatives))];
  if (deletable.length > 0) add("delete the token", rotations, { isAlternative: true, commands: deletable });
  if (grant !== undefined && !isWhole)
    add(wholeEffect, [grant], { isAlternative: true, deletedGrant: grant.item });
  return actions;
}

function itemsOf(found: readonly ItemFinding[]): ReadonlySet<AuditItem> {
  return new Set(found.map(({ item }) => item));
}

/** The measure that a rule's findings share, or the rule's own sentence if they differ. */
function measureOf(findings: readonly Found[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  if (others.some(({ measure }) => measure !== first.measure)) return first.rule.sentence;
  return first.rule.name === "scope" && first.judged ? `has scope ${first.measure}` : first.measure;
}

/** The number of units of each severity: `6 high, 33 medium, 9 low`. */
export function severitiesInWords(units: readonly Unit[]): string {
  const countOf = (severity: Severity): number => units.filter((unit) => unit.severity === severity).length;
  return severities.map((severity) => `${withCommas(countOf(severity))} ${severity}`).join(", ");
}

/** A sentence with the number of units that have findings: `14 of 17 applications and personal tokens have findings`. */
export function findingsInWords(units: readonly Unit[]): string {
  const count = units.filter(({ severity }) => severity !== null).length;
  const all = units.every(({ kind }) => kind === "credential")
    ? "credentials"
    : "applications and personal tokens";
  const some =
    count === units.length
      ? `All ${withCommas(count)}`
      : `${withCommas(count)} of ${withCommas(units.length)}`;
  return `${some} ${all} have findings`;
}

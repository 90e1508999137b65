// The findings of the rules, the most serious items first, and the command for each.
//
// The command is the safest one that fixes the finding; others are alternatives. Commands contain the profile and base
// URL of the run. Untrusted names are always in single quotes, which a shell takes literally. If a command needs text
// from the reader, it uses `${NOTE:?}`: a shell stops there until the variable is set, so that no placeholder is pasted
// as a value.
import type { Id } from "../api/resources.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import { quoteWord } from "../printing/complete-commands.ts";
import { withCommas } from "../errors/words.ts";
import { groupBy } from "../lists/group-by.ts";
import { cellText } from "../printing/presentation.ts";
import { commandsOfMany } from "./actions.ts";
import type { AuditItem, BreadthName } from "./items.ts";
import type { Rule, RuleName, Severity, Verdict } from "./rules.ts";

export interface Found {
  readonly rule: Rule;
  readonly measure: string;
  /** False if the rule could not judge the item. */
  readonly judged: boolean;
  readonly severity: Severity;
  readonly command: string;
  /** The effect of the command. */
  readonly action: "delete" | "rotate" | "update" | "look-up";
  /** The command without its ID, if it takes the IDs of several items; otherwise null. */
  readonly commandOfMany: string | null;
  readonly alternatives: readonly string[];
}

export interface RuleResult {
  readonly rule: Rule;
  /** The number of findings, including items that it could not judge. */
  readonly findings: number;
  /** The number of items that it applies to. */
  readonly items: number;
  readonly unjudged: number;
}

export interface Findings {
  readonly count: number;
  /** In the order of the rules. */
  readonly rules: readonly RuleResult[];
  /** The items with findings, the most serious first. */
  readonly items: readonly AuditItem[];
  of(item: AuditItem): readonly Found[];
}

const weights: Readonly<Record<Severity, number>> = { high: 100, medium: 10, low: 1 };

export function findAll(
  items: readonly AuditItem[],
  rules: readonly Rule[],
  commands: FixingCommands,
): Findings {
  const found = new Map<AuditItem, readonly Found[]>();
  for (const item of items) {
    const own: Found[] = [];
    for (const rule of rules) {
      const verdict = rule.about.includes(item.resource) ? rule.judge(item) : null;
      if (verdict === null) continue;
      const severity = verdict.severity ?? (verdict.judged ? severityAt(rule, item) : "low");
      own.push({ rule, ...verdict, severity, ...commands(rule.name, item, verdict) });
    }
    if (own.length > 0) found.set(item, own);
  }
  spareTokens(items, found, commands);
  const risks = new Map([...found].map(([item, own]) => [item, riskOf(item, own)]));
  const all = [...found.values()].flat();
  return {
    count: all.length,
    rules: rules.map((rule) => {
      const own = all.filter((one) => one.rule === rule);
      return {
        rule,
        findings: own.length,
        items: items.filter(({ resource }) => rule.about.includes(resource)).length,
        unjudged: own.filter(({ judged }) => !judged).length,
      };
    }),
    items: [...found.keys()].toSorted(
      (one, other) => (risks.get(other) ?? 0) - (risks.get(one) ?? 0) || compareIds(one.id, other.id),
    ),
    of: (item) => found.get(item) ?? [],
  };
}

/** Compares IDs exactly, including those beyond 2^53. */
function compareIds(first: Id, second: Id): number {
  if (typeof first === "number" && typeof second === "number") return first - second;
  const [one, other] = [BigInt(cellText(first)), BigInt(cellText(second))];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Ranks by the worst finding, then by permissions (unknown ones in the middle), then by the sum of all findings. */
function riskOf({ breadth }: AuditItem, own: readonly Found[]): number {
  const sum = own.reduce((total, { severity }) => total + weights[severity], 0);
  return weights[severityOf(own)] * 1e6 + breadth.level * 1e4 + sum;
}

/**
 * Replaces the command of a grant unless all its tokens have the same finding: deleting the grant would also revoke the
 * others. The command is that of the tokens with the finding, or shows the grant if they need several or none; the
 * deletion is an alternative. An old grant whose tokens are all younger is no risk of its own: its severity is low.
 */
function spareTokens(
  items: readonly AuditItem[],
  found: Map<AuditItem, readonly Found[]>,
  commands: FixingCommands,
): void {
  const tokensOf = groupBy(
    items.filter(({ resource, client_id }) => resource === "authorization" && client_id !== null),
    ({ client_id }) => client_id,
  );
  for (const [grant, own] of found) {
    const tokens = grant.resource === "grant" ? (tokensOf.get(grant.client_id) ?? []) : [];
    const sparing = own.map((finding): Found => {
      const same = tokens.flatMap((item) => {
        const one = found.get(item)?.find(({ rule, judged }) => rule === finding.rule && judged);
        return one === undefined ? [] : [{ item, finding: one }];
      });
      const isOld = finding.rule.name === "older-than" || finding.rule.name === "not-updated-for";
      if (same.length === tokens.length || finding.action !== "delete") return finding;
      if (same.length === 0 && !isOld) return finding;
      const [only, ...others] = commandsOfMany(same);
      const view = commands(finding.rule.name, grant, { ...finding, judged: false });
      const command = only === undefined || others.length > 0 ? view.command : only;
      const spared = { ...finding, command, alternatives: [finding.command] };
      return same.length > 0 ? spared : { ...spared, severity: "low", action: view.action };
    });
    if (tokens.length > 0) found.set(grant, sparing);
  }
}

/** The worst first. */
export const severities: readonly Severity[] = ["high", "medium", "low"];

const severityByAccess: Readonly<Record<BreadthName, Severity>> = {
  everything: "high",
  delete: "high",
  admin: "high",
  write: "medium",
  unknown: "medium",
  "read-only": "low",
  none: "low",
};

function severityAt({ severity }: Rule, { breadth }: AuditItem): Severity {
  return severity === "by-access" ? severityByAccess[breadth.name] : severity;
}

/** The severity of an item: that of its worst finding. */
export function severityOf(found: readonly Pick<Found, "severity">[]): Severity {
  return severities.find((severity) => found.some((one) => one.severity === severity)) ?? "low";
}

/** The number of units of each severity: `6 high, 33 medium, 9 low`. */
export function severitiesInWords(units: readonly { readonly severity: Severity | null }[]): string {
  return countsInWords(
    severities,
    units.map(({ severity }) => severity),
  );
}

/** The number of texts of each kind, without zeros: `2 new, 1 gone`. */
export function countsInWords(kinds: readonly string[], texts: readonly (string | null)[]): string {
  const counts = kinds.map((kind) => ({ kind, count: texts.filter((one) => one === kind).length }));
  const present = counts.filter(({ count }) => count > 0);
  return present.map(({ kind, count }) => `${withCommas(count)} ${kind}`).join(", ");
}

/** Finds the commands for a finding. */
export type FixingCommands = (rule: RuleName, item: AuditItem, verdict: NonNullable<Verdict>) => Fix;

type Fix = Pick<Found, "command" | "action" | "commandOfMany" | "alternatives">;

/** The commands of this run, with its profile, base URL and server type. */
export function createFixingCommands({
  profile,
  baseUrl,
  serverType,
}: Pick<GlobalOptions, "profile" | "baseUrl" | "serverType">): FixingCommands {
  const start = [
    "grantctl",
    ...(profile === undefined ? [] : ["--profile", quoteWord(profile)]),
    ...(baseUrl === undefined ? [] : ["--base-url", quoteWord(baseUrl)]),
    ...(serverType === undefined ? [] : ["--server-type", serverType]),
  ].join(" ");
  return (rule, { resource, id, client_id, application }, { judged, scopes = [], isNotice = false }) => {
    const itself = cellText(id);
    if (!judged) return single("look-up", `${start} ${resource} view ${itself}`);
    if (resource === "grant") return ofMany("delete", `${start} grant delete`, itself);
    const remove = ofMany("delete", `${start} authorization delete`, itself);
    const update = updates[rule]?.(scopes);
    if (update !== undefined) {
      const alternatives = rule === "scope" || rule === "widened" ? [remove.command] : [];
      return single("update", `${start} authorization update ${itself} ${update}`, alternatives);
    }
    // An application replaces its own tokens, so only personal tokens get a `rotate` command.
    const isPersonal = client_id === null && application === null;
    if (isPersonal && ["older-than", "not-updated-for", "expires-within"].includes(rule)) {
      // Without a file, the new value would appear on the terminal.
      const replace = `${start} authorization rotate ${itself} --output-file token-${itself}.txt`;
      return single("rotate", replace, [remove.command]);
    }
    return isNotice ? single("look-up", `${start} authorization view ${itself}`, [remove.command]) : remove;
  };
}

function single(action: Found["action"], command: string, alternatives: readonly string[] = []): Fix {
  return { command, action, commandOfMany: null, alternatives };
}

function ofMany(action: Found["action"], command: string, id: string): Fix {
  return { command: `${command} ${id}`, action, commandOfMany: command, alternatives: [] };
}

function removeScopes(scopes: readonly string[]): string {
  return scopes.map((scope) => `--remove-scope ${quoteWord(scope)}`).join(" ");
}

const newNote = `--note "\${NOTE:?describe the token}"`;

/** The flags of `authorization update` that fix a finding about these scopes. */
const updates: Readonly<Partial<Record<RuleName, (scopes: readonly string[]) => string>>> = {
  scope: removeScopes,
  widened: removeScopes,
  "duplicate-note": () => newNote,
  "no-note": () => newNote,
  "no-fingerprint": () => `--fingerprint "\${FINGERPRINT:?name where it is used}"`,
};

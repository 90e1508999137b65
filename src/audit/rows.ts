// What has access, as rows: one for each grant and authorization, with what the rules find and the command that ends it.
// The rows are the audit: the table, csv, json and the page show them, and their JSON is what a later --compare reads.
// No row holds a token's value.
//
//   items   the grants and authorizations of the lists, with the access that their scopes give
//   rows    the items with their findings, the worst application first; a grant's tokens stand below it
import { idText, isPersonal } from "../api/resources.ts";
import type { Authorization, Grant, Id, ResourceName } from "../api/resources.ts";
import { textOf } from "../json.ts";
import { cellText, column, type Column, type Presentation } from "../output/presentation.ts";
import { accessLevels, accessOf, changeRules, notJudged } from "./rules.ts";
import type { Access, Rule, Surroundings } from "./rules.ts";

export interface Finding {
  readonly rule: string;
  readonly measure: string;
}

export interface AuditRow {
  readonly resource: ResourceName;
  readonly id: Id;
  readonly name: string;
  /** Null for a personal token. */
  readonly client_id: string | null;
  readonly note: string | null;
  readonly scopes: readonly string[] | null;
  readonly access: Access;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  readonly findings: readonly Finding[];
  /** The command that ends the access, or looks at it; null without findings, and for what grantctl uses. */
  readonly command: string | null;
}

export interface JudgedRow {
  readonly row: AuditRow;
  /** 0 without a finding of a rule, 2 with one that is a reason to end the access, otherwise 1. */
  readonly severity: 0 | 1 | 2;
}

/** A grant or authorization, before it is judged. */
export interface Item extends Omit<AuditRow, "note" | "expires_at" | "findings" | "command"> {
  /** Undefined if the server does not report it, null for none. */
  readonly note: string | null | undefined;
  /** As `note`: null if it never expires. */
  readonly expires_at: string | null | undefined;
  /** True if grantctl itself uses it. */
  readonly isInUse: boolean;
}

type Identity = Pick<AuditRow, "resource" | "id" | "client_id" | "created_at">;

/** Identifies an item in this audit and in an earlier one, which may be of another server with the same IDs. */
export function rowKey({ resource, id, client_id, created_at }: Identity): string {
  return `${resource} ${idText(id)} ${resource === "grant" ? client_id : created_at}`;
}

export function itemOf(resource: ResourceName, each: Grant | Authorization, isInUse: boolean): Item {
  const { note, token_last_eight, expires_at }: Partial<Omit<Authorization, "user">> = each;
  const app = isPersonal(each) ? null : each.app;
  const nameless =
    resource === "grant" ? "an application without a name" : `token ending in ${token_last_eight ?? ""}`;
  // Servers may leave out what their types promise.
  const scopes = (each.scopes as readonly string[] | null | undefined) ?? null;
  return {
    resource,
    id: each.id,
    name: textOf(note) ?? textOf(app?.name) ?? textOf(app?.client_id) ?? nameless,
    client_id: textOf(app?.client_id),
    note: note === undefined ? undefined : textOf(note),
    scopes,
    access: accessOf(scopes),
    created_at: textOf(each.created_at),
    updated_at: textOf(each.updated_at),
    // A date in another form, such as a number, is one that cannot be read.
    expires_at: expires_at === undefined ? undefined : textOf(cellText(expires_at)),
    isInUse,
  };
}

/** The rows of all items, the worst application first. `complete` adds the flags of this run to a command. */
export function rankedRows(
  items: readonly Item[],
  rules: readonly Rule[],
  compared: Pick<Surroundings, "now" | "earlierOf">,
  complete: (command: string) => string,
): readonly JudgedRow[] {
  const notes = new Map<string, number>();
  const applications = new Set<string>();
  for (const { resource, note, client_id } of items) {
    if (resource === "grant") continue;
    if (typeof note === "string") notes.set(note, (notes.get(note) ?? 0) + 1);
    if (client_id !== null) applications.add(client_id);
  }
  const surroundings: Surroundings = { ...compared, notes, applications };
  const groups = new Map<string, { readonly rows: JudgedRow[]; worst: number }>();
  for (const item of items) {
    const key = item.client_id ?? rowKey(item);
    const group = groups.get(key) ?? { rows: [], worst: 0 };
    const judged = judge(item, rules, surroundings, complete);
    const { findings } = judged.row;
    // Changes since an earlier audit come first, then reasons to delete. Findings of what grantctl itself uses do not move
    // its application up, because it must not be deleted.
    const severity = findings.some(({ rule }) => changeRules.includes(rule)) ? 3 : judged.severity;
    const rank =
      (item.isInUse ? 0 : severity * 10) + accessLevels.indexOf(item.access) + findings.length / 10;
    group.rows.push(judged);
    group.worst = Math.max(group.worst, rank);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((one, other) => other.worst - one.worst).flatMap(({ rows }) => rows);
}

function judge(
  item: Item,
  rules: readonly Rule[],
  surroundings: Surroundings,
  complete: (command: string) => string,
): JudgedRow {
  const { isInUse, ...fields } = item;
  const findings: Finding[] = [];
  let severity: JudgedRow["severity"] = 0;
  for (const rule of rules) {
    const found = rule.judge(item, surroundings);
    if (found === null) continue;
    const isJudged = typeof found === "string";
    findings.push({ rule: rule.name, measure: isJudged ? found : notJudged(found.missing) });
    severity = severity === 2 || (isJudged && rule.endsAccess) ? 2 : 1;
  }
  if (isInUse) findings.push({ rule: "in-use", measure: "used by grantctl" });
  const verb = severity === 2 ? "delete" : "view";
  const command =
    severity === 0 || isInUse ? null : complete(`grantctl ${item.resource} ${verb} ${idText(item.id)}`);
  const { note = null, expires_at = null } = item;
  return { row: { ...fields, note, expires_at, findings, command }, severity };
}

/** True for a token of an application: it stands below the application's grant. */
export function isBelowGrant({ resource, client_id }: Identity): boolean {
  return resource === "authorization" && client_id !== null;
}

export function findingsText({ findings }: Pick<AuditRow, "findings">): string {
  return findings.map(({ rule, measure }) => (rule === "scope" ? `scope ${measure}` : measure)).join("; ");
}

const columns = {
  resource: column<AuditRow>("RESOURCE", "resource", { priority: 3 }),
  id: column<AuditRow>("ID", "id", { isWhole: true }),
  name: column<AuditRow>("NAME", "name"),
  access: column<AuditRow>("ACCESS", "access", { priority: 4 }),
  scopes: column<AuditRow>("SCOPES", "scopes"),
  created: column<AuditRow>("CREATED", "created_at"),
  updated: column<AuditRow>("UPDATED", "updated_at"),
  findings: { title: "FINDINGS", text: findingsText, priority: 2, wraps: 24 },
  command: column<AuditRow>("COMMAND", "command", { isWhole: true, priority: 5, colourOf: () => "cyan" }),
} satisfies Record<string, Column<AuditRow>>;

export const auditPresentation: Presentation<AuditRow> = {
  fields: `resource id name client_id note scopes access created_at updated_at expires_at findings
command`.split(/\s/),
  columns: Object.values(columns),
};

/** On a terminal, the findings need room, so the resource is one word; tokens are indented below their grant. */
export const terminalPresentation: Presentation<AuditRow> = {
  ...auditPresentation,
  columns: [
    { title: "TYPE", text: ({ resource }) => (resource === "grant" ? "grant" : "token") },
    columns.id,
    { ...columns.name, text: (row) => `${isBelowGrant(row) ? "  " : ""}${row.name}` },
    columns.access,
    { ...columns.scopes, priority: 6 },
    { ...columns.created, priority: 8 },
    { ...columns.updated, priority: 7 },
    columns.findings,
    columns.command,
  ],
};

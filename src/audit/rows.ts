// What has access, as rows: one for each grant and authorization, with what the rules find and the command that ends it.
// The rows are the audit: the table, csv, json and the page show them, and their JSON is what a later --compare reads.
// No row holds a token's value.
//
//   items   the grants and authorizations of the lists, with the access that their scopes give
//   rows    the items with their findings, the worst application first; a grant's tokens stand below it
import {
  idText,
  isPersonal,
  type Authorization,
  type Grant,
  type Id,
  type ResourceName,
} from "../api/resources.ts";
import { textOf } from "../json.ts";
import { cellText, column, type Presentation } from "../output/presentation.ts";
import { accessLevels, severityOf, type Rule, type Surroundings } from "./rules.ts";

type Access = (typeof accessLevels)[number];

/** All repositories, settings, secrets or members, or deletion. */
const administers =
  /^(?:repo|site_admin|scim:enterprise|delete[_:].*|(?:admin|manage_runners|manage_billing):.*)$/;
const reads = /^(?:read:.*|user:email|openid|email|profile|audit_log|repo:status|security_events)$/;

/** A scope that is not known counts as write access. */
function accessOf(scopes: readonly string[] | null): Access {
  if (scopes === null) return "unknown";
  if (scopes.some((scope) => administers.test(scope))) return "admin";
  if (scopes.some((scope) => !reads.test(scope))) return "write";
  return scopes.length === 0 ? "none" : "read-only";
}

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
): readonly AuditRow[] {
  const notes = new Map<string, number>();
  const applications = new Set<string>();
  for (const { resource, note, client_id } of items) {
    if (resource === "grant") continue;
    if (typeof note === "string") notes.set(note, (notes.get(note) ?? 0) + 1);
    if (client_id !== null) applications.add(client_id);
  }
  const surroundings: Surroundings = { ...compared, notes, applications };
  const groups = new Map<string, AuditRow[]>();
  for (const item of items) {
    const key = item.client_id ?? rowKey(item);
    const group = groups.get(key) ?? [];
    group.push(rowOf(item, rules, surroundings, complete));
    groups.set(key, group);
  }
  return [...groups.values()]
    .map((rows) => ({ rows, worst: rows.reduce((worst, row) => Math.max(worst, rankOf(row)), 0) }))
    .toSorted((one, other) => other.worst - one.worst)
    .flatMap(({ rows }) => rows);
}

function rowOf(
  item: Item,
  rules: readonly Rule[],
  surroundings: Surroundings,
  complete: (command: string) => string,
): AuditRow {
  const { isInUse, ...fields } = item;
  const findings: Finding[] = [];
  for (const { name, judge } of rules) {
    const measure = judge(item, surroundings);
    if (measure !== null) findings.push({ rule: name, measure });
  }
  if (isInUse) findings.push({ rule: "in-use", measure: "used by grantctl" });
  const severity = severityOf({ findings });
  const verb = severity === 2 ? "delete" : "view";
  const command =
    severity === 0 || isInUse ? null : complete(`grantctl ${item.resource} ${verb} ${idText(item.id)}`);
  const { note = null, expires_at = null } = item;
  return { ...fields, note, expires_at, findings, command };
}

/** What grantctl itself uses must not be deleted, so its findings do not move its application up. */
const rankOf = (row: AuditRow): number =>
  (row.command === null ? 0 : severityOf(row) * 10) + accessLevels.indexOf(row.access);

/** True for a token of an application: it stands below the application's grant. */
export function isBelowGrant({ resource, client_id }: Identity): boolean {
  return resource === "authorization" && client_id !== null;
}

export const auditPresentation: Presentation<AuditRow> = {
  fields:
    "resource id name client_id note scopes access created_at updated_at expires_at findings command".split(
      " ",
    ),
  columns: [
    column("RESOURCE", "resource", { priority: 3 }),
    column("ID", "id", { isWhole: true }),
    column("NAME", "name"),
    column("ACCESS", "access", { priority: 4 }),
    column("SCOPES", "scopes"),
    column("CREATED", "created_at"),
    column("UPDATED", "updated_at"),
    {
      title: "FINDINGS",
      text: ({ findings }) =>
        findings.map(({ rule, measure }) => (rule === "scope" ? `scope ${measure}` : measure)).join("; "),
      priority: 2,
      wraps: true,
    },
    { ...column("COMMAND", "command", { isWhole: true, priority: 5 }), colourOf: () => "cyan" },
  ],
};

/** On a terminal, the findings need the room of what they say as well, and tokens are indented below their grant. */
export const terminalPresentation: Presentation<AuditRow> = {
  ...auditPresentation,
  columns: auditPresentation.columns
    .filter(({ title }) => !["SCOPES", "CREATED", "UPDATED"].includes(title))
    .map((each) =>
      each.title === "NAME"
        ? { ...each, text: (row) => `${isBelowGrant(row) ? "  " : ""}${row.name}` }
        : each,
    ),
};

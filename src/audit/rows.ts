// What has access, as rows: one for each grant and authorization, with what the rules find and the command that ends it.
// The rows are the audit: the table, csv, json and the page show them, and their JSON is what a later --compare reads.
// No row holds a token's value.
//
//   items   the grants and authorizations of the lists, with the access that their scopes give
//   rows    the items with their findings, the worst application first; a grant's tokens stand below it
import type { Authorization, Grant, Id } from "../api/resources.ts";
import { cellText, column, type FieldOf, type Presentation } from "../output/presentation.ts";
import type { Rule, Surroundings } from "./rules.ts";

export type Resource = "grant" | "authorization";

/** The access that scopes give, from the narrowest, and how serious a finding about it is: 3 is high. */
const accessWeights = { none: 1, "read-only": 1, unknown: 2, write: 2, admin: 3 } as const;
export type Access = keyof typeof accessWeights;

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
  readonly resource: Resource;
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
export interface Item extends Omit<AuditRow, "expires_at" | "findings" | "command"> {
  /** Undefined if the server does not report it; null if it never expires. */
  readonly expires_at: string | null | undefined;
}

/** A row, and how serious its findings are: from 0 for none, and for what no rule looks for, to 3. */
export interface Judged {
  readonly row: AuditRow;
  readonly severity: number;
}

/** Identifies an item in this audit and in an earlier one: `authorization 12`. */
export function keyOf({ resource, id }: Pick<Item, "resource" | "id">): string {
  return `${resource} ${cellText(id)}`;
}

/** Client IDs that servers report for personal tokens. */
const personal = /^0*$/;

const filled = (text: string | null | undefined): string | null =>
  text === undefined || text === "" ? null : text;

export function itemOf(resource: Resource, each: Grant | Authorization): Item {
  const { note, token_last_eight, expires_at }: Partial<Omit<Authorization, "user">> = each;
  const isPersonal = personal.test(each.app?.client_id ?? "");
  const names = [note, isPersonal ? "" : each.app?.name, isPersonal ? "" : each.app?.client_id];
  const nameless =
    resource === "grant" ? "an application without a name" : `token ending in ${token_last_eight ?? ""}`;
  // Servers may leave out what their types promise.
  const scopes = (each.scopes as readonly string[] | null | undefined) ?? null;
  return {
    resource,
    id: each.id,
    name: names.find((name) => filled(name) !== null) ?? nameless,
    client_id: isPersonal ? null : filled(each.app?.client_id),
    note: filled(note),
    scopes,
    access: accessOf(scopes),
    created_at: filled(each.created_at),
    updated_at: filled(each.updated_at),
    expires_at: expires_at === undefined ? undefined : filled(expires_at),
  };
}

/** The rows of these items, the worst application first. `complete` adds the flags of this run to a command. */
export function judgeItems(
  items: readonly Item[],
  rules: readonly Rule[],
  surroundings: Surroundings,
  complete: (command: string) => string,
): readonly Judged[] {
  const applications = new Map<string, { worst: number; readonly own: Judged[] }>();
  for (const item of items) {
    const judged = judge(item, rules, surroundings, complete);
    const key = item.client_id ?? keyOf(item);
    const application = applications.get(key) ?? { worst: 0, own: [] };
    applications.set(key, application);
    application.own.push(judged);
    const rank = judged.severity * 10 + accessWeights[item.access];
    application.worst = Math.max(application.worst, rank);
  }
  return [...applications.values()]
    .toSorted((one, other) => other.worst - one.worst)
    .flatMap(({ own }) => own);
}

function judge(
  item: Item,
  rules: readonly Rule[],
  surroundings: Surroundings,
  complete: (command: string) => string,
): Judged {
  const isInUse = surroundings.inUse.has(keyOf(item));
  const findings: Finding[] = isInUse ? [{ rule: "in-use", measure: "used by grantctl" }] : [];
  let severity = 0;
  let mayEnd = false;
  for (const { name, weight, verdict } of rules) {
    const measure = verdict(item, surroundings);
    if (measure === null) continue;
    findings.push({ rule: name, measure });
    severity = Math.max(severity, weight === "access" ? accessWeights[item.access] : weight);
    // A missing note, or missing data, is no reason to end the access.
    mayEnd ||= weight !== 1 && !measure.startsWith("cannot be judged");
  }
  const verb = mayEnd ? "delete" : "view";
  const command =
    severity === 0 || isInUse ? null : complete(`grantctl ${item.resource} ${verb} ${cellText(item.id)}`);
  return { row: { ...item, expires_at: item.expires_at ?? null, findings, command }, severity };
}

/** What the rules compare items with. */
export function surroundingsOf(
  items: readonly Item[],
  others: Pick<Surroundings, "now" | "earlier" | "inUse">,
): Surroundings {
  const notes = new Map<string, number>();
  const applications = new Set<string>();
  for (const { resource, note, client_id } of items) {
    if (resource === "grant") continue;
    if (note !== null) notes.set(note, (notes.get(note) ?? 0) + 1);
    if (client_id !== null) applications.add(client_id);
  }
  return { ...others, notes, applications };
}

export const auditPresentation: Presentation<AuditRow> = {
  fields: [
    "resource",
    "id",
    "name",
    "client_id",
    "note",
    "scopes",
    "access",
    "created_at",
    "updated_at",
    "expires_at",
    "findings",
    "command",
  ] satisfies readonly FieldOf<AuditRow>[],
  columns: [
    column("RESOURCE", "resource", { priority: 6 }),
    column("ID", "id", { isWhole: true, priority: 3 }),
    column("NAME", "name", { priority: 4 }),
    column("ACCESS", "access", { priority: 5 }),
    column("SCOPES", "scopes", { priority: 8 }),
    column("CREATED", "created_at", { priority: 7 }),
    column("UPDATED", "updated_at", { priority: 9 }),
    {
      title: "FINDINGS",
      text: ({ findings }) => findings.map(({ measure }) => measure).join("; "),
    },
    {
      title: "COMMAND",
      text: ({ command }) => command ?? "",
      isWhole: true,
      priority: 2,
      colourOf: () => "cyan",
    },
  ],
};

// The audit's JSON document: its fields, and the types of what is compared with an earlier audit.
import type { Id } from "../api/resources.ts";
import type { ChangeKind } from "./changes.ts";
import type { BreadthName, Resource } from "./items.ts";

/** The totals of an audit; null for changes without an earlier audit. */
export interface Summary {
  readonly grants: number;
  readonly authorizations: number;
  readonly findings: number;
  readonly items_with_findings: number;
  /** Since the earlier audit. */
  readonly changes: number | null;
  /** `findings` includes the items that a rule could not judge because data is missing. */
  readonly rules: readonly {
    readonly rule: string;
    readonly findings: number;
    readonly items: number;
    readonly unjudged: number;
  }[];
  /** The number of items by the permissions of their broadest scope. */
  readonly breadths: readonly {
    readonly breadth: BreadthName;
    readonly grants: number;
    readonly authorizations: number;
  }[];
  readonly change_kinds: readonly { readonly change: ChangeKind; readonly count: number }[];
}

/** An item with access, as it is compared. Null for what it does not have, or the server does not report. */
export interface SnapshotItem {
  readonly id: Id;
  readonly name: string;
  readonly application: string | null;
  readonly client_id: string | null;
  /** In alphabetical order. */
  readonly scopes: readonly string[] | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  readonly hashed_token: string | null;
}

/** A change since the earlier audit. Replaced scopes are both widened and narrowed. */
export interface Change {
  readonly change: ChangeKind;
  readonly resource: Resource;
  readonly id: Id;
  readonly name: string;
  readonly before: SnapshotItem | null;
  readonly after: SnapshotItem | null;
}

/** Every field that `--json` may name. */
export const auditFields: readonly string[] = [
  "account",
  "base_url",
  "server_type",
  "incomplete",
  "incomplete.organizations",
  "summary",
  "summary.grants",
  "summary.authorizations",
  "summary.findings",
  "summary.items_with_findings",
  "summary.changes",
  "summary.rules",
  "summary.breadths",
  "summary.change_kinds",
  "findings",
  "changes",
  "grants",
  "authorizations",
];

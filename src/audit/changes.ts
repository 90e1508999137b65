// Compares an audit with a snapshot. Items are matched by list and ID. Scopes are compared as sets, so replaced scopes
// are both "widened" and "narrowed". If the lists are partial, a missing item may still exist, so none counts as
// "gone".
import type { Id } from "../api/resources.ts";
import { cellText } from "../printing/presentation.ts";
import type { AuditItem, ListName, Lists, Resource } from "./items.ts";
import { snapshotLists, toSnapshotItem, type Snapshot, type SnapshotItem } from "./snapshot.ts";

/** In display order. */
export const changeKinds = ["new", "widened", "narrowed", "expired", "touched", "gone"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Change {
  readonly change: ChangeKind;
  readonly resource: Resource;
  readonly id: Id;
  readonly name: string;
  /** The state in the snapshot; null for a new item. */
  readonly before: SnapshotItem | null;
  /** The current state; null for an item that is gone. */
  readonly after: SnapshotItem | null;
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Items that are not in the snapshot. */
  readonly added: ReadonlySet<AuditItem>;
}

const resourceOf: Readonly<Record<ListName, Resource>> = {
  grants: "grant",
  authorizations: "authorization",
  credentials: "credential",
};

/**
 * Compares lists with a snapshot of the same lists. `now` is in milliseconds since 1970.
 */
export function compareWithSnapshot(
  snapshot: Snapshot,
  lists: Lists<readonly AuditItem[]>,
  now: number,
  isPartial: boolean,
): Comparison {
  const added = new Set<AuditItem>();
  const changes: Change[] = [];
  for (const list of snapshotLists) {
    const resource = resourceOf[list];
    const current = new Map<string, AuditItem>();
    for (const item of lists[list] ?? []) current.set(cellText(item.id), item);
    for (const old of snapshot.lists[list] ?? []) {
      const key = cellText(old.id);
      const item = current.get(key);
      // Items that remain in `current` after the loop are new.
      current.delete(key);
      if (item === undefined && isPartial) continue;
      const after = item === undefined ? null : toSnapshotItem(item, now);
      for (const change of changesBetween(old, after)) {
        changes.push({ change, resource, id: old.id, name: (after ?? old).name, before: old, after });
      }
    }
    for (const item of current.values()) {
      added.add(item);
      const { id, name } = item;
      const after = toSnapshotItem(item, now);
      changes.push({ change: "new", resource, id, name, before: null, after });
    }
  }
  const order = (one: Change): number => changeKinds.indexOf(one.change);
  return { changes: changes.toSorted((one, other) => order(one) - order(other)), added };
}

/** The changes to one item of the snapshot; empty if it is unchanged. */
function changesBetween(before: SnapshotItem, after: SnapshotItem | null): readonly ChangeKind[] {
  if (after === null) return ["gone"];
  const kinds: ChangeKind[] = [];
  if (lacks(before.scopes, after.scopes)) kinds.push("widened");
  if (lacks(after.scopes, before.scopes)) kinds.push("narrowed");
  if (after.expired && !before.expired) kinds.push("expired");
  // Any other change, such as a new name or date, is reported only if there is nothing more specific.
  if (kinds.length === 0 && isTouched(before, after)) kinds.push("touched");
  return kinds;
}

/** True if `those` has a scope that `these` lacks. Scopes that the server does not report are not compared. */
function lacks(these: readonly string[] | null, those: readonly string[] | null): boolean {
  return these !== null && those !== null && those.some((scope) => !these.includes(scope));
}

function isTouched(before: SnapshotItem, after: SnapshotItem): boolean {
  const fields = ["name", "application", "client_id", "updated_at", "expires_at", "hashed_token"] as const;
  return fields.some((field) => before[field] !== after[field]);
}

/** Formats the details of a change: `gained repo, gist`. */
export function describeChange({ change, before, after }: Change): string {
  return words[change](before, after);
}

const words: Readonly<
  Record<ChangeKind, (before: SnapshotItem | null, after: SnapshotItem | null) => string>
> = {
  new: (_, after) => {
    if (after?.scopes === null) return "with unknown scopes";
    return after?.scopes.length ? after.scopes.join(", ") : "without scopes";
  },
  widened: (before, after) => `gained ${scopesBeyond(after, before)}`,
  narrowed: (before, after) => `lost ${scopesBeyond(before, after)}`,
  expired: (_, after) => `on ${after?.expires_at ?? ""}`,
  gone: (before) => {
    if (before?.scopes === null) return "had unknown scopes";
    return before?.scopes.length ? `had ${before.scopes.join(", ")}` : "had no scopes";
  },
  touched: touchedText,
};

function scopesBeyond(these: SnapshotItem | null, those: SnapshotItem | null): string {
  return (these?.scopes ?? []).filter((scope) => those?.scopes?.includes(scope) === false).join(", ");
}

function touchedText(before: SnapshotItem | null, after: SnapshotItem | null): string {
  if (before?.hashed_token !== after?.hashed_token) return "its token has another value";
  if (before?.name !== after?.name) return `was called ${before?.name ?? ""}`;
  if (before?.expires_at !== after?.expires_at) return `now expires ${after?.expires_at ?? "never"}`;
  return `updated ${after?.updated_at ?? ""}`;
}

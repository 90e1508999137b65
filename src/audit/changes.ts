// Compares an audit with an earlier one. Items are matched by list and ID. Scopes are compared as sets, so replaced scopes
// are both "widened" and "narrowed". If the lists are partial, a missing item may still exist, so none counts as
// "gone".
import type { Id } from "../api/resources.ts";
import { dayOf } from "../drawing/relative-date.ts";
import { both, counted } from "../errors/words.ts";
import { groupBy } from "../lists/group-by.ts";
import { cellText } from "../printing/presentation.ts";
import { countsInWords } from "./findings.ts";
import { keyOf, unitKey, type AuditItem, type ListName, type Lists, type Resource } from "./items.ts";
import type { Change, SnapshotItem } from "./document.ts";
import { toSnapshotItem } from "./earlier-audit.ts";

/** In display order. */
export const changeKinds = ["new", "widened", "narrowed", "touched", "gone"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Comparison {
  readonly changes: readonly Change[];
  /** Items that are not in the earlier audit. */
  readonly added: ReadonlySet<AuditItem>;
  /** The scopes that items of the earlier audit gained. */
  readonly gained: ReadonlyMap<AuditItem, readonly string[]>;
  /** New tokens that replace one that is gone, with its ID: same note, application and scopes, as after a rotation. */
  readonly replaced: ReadonlyMap<AuditItem, Id>;
}

const resourceOf: Readonly<Record<ListName, Resource>> = {
  grants: "grant",
  authorizations: "authorization",
};

/** Compares lists with those of an earlier audit. */
export function compareLists(
  earlier: Lists<readonly SnapshotItem[]>,
  lists: Lists<readonly AuditItem[]>,
  isPartial: boolean,
): Comparison {
  const added = new Set<AuditItem>();
  const gained = new Map<AuditItem, readonly string[]>();
  const replaced = new Map<AuditItem, Id>();
  const changes: Change[] = [];
  for (const list of ["grants", "authorizations"] as const) {
    const resource = resourceOf[list];
    const current = new Map<string, AuditItem>();
    const gone = new Map<string, Id>();
    for (const item of lists[list]) current.set(cellText(item.id), item);
    for (const old of earlier[list]) {
      const key = cellText(old.id);
      const item = current.get(key);
      // Items that remain in `current` after the loop are new.
      current.delete(key);
      if (item === undefined && isPartial) continue;
      const after = item === undefined ? null : toSnapshotItem(item);
      if (item === undefined) gone.set(replacementKey(old), old.id);
      else if (lacks(old.scopes, item.scopes)) gained.set(item, scopesBeyond(item.scopes, old.scopes));
      for (const change of changesBetween(old, after)) {
        changes.push({ change, resource, id: old.id, name: (after ?? old).name, before: old, after });
      }
    }
    for (const item of current.values()) {
      added.add(item);
      const { id, name } = item;
      const after = toSnapshotItem(item);
      const former = item.note === null ? undefined : gone.get(replacementKey(after));
      if (former !== undefined) replaced.set(item, former);
      changes.push({ change: "new", resource, id, name, before: null, after });
    }
  }
  return { changes: changes.toSorted(byKind), added, gained, replaced };
}

function byKind(one: Pick<Change, "change">, other: Pick<Change, "change">): number {
  return changeKinds.indexOf(one.change) - changeKinds.indexOf(other.change);
}

/** The properties that a token and its replacement share. */
function replacementKey({ name, application, client_id, scopes }: SnapshotItem): string {
  return JSON.stringify([name, application, client_id, scopes]);
}

/** The item as it is, or as it was before it was gone. */
function stateOf({ before, after }: Change): SnapshotItem {
  return (after ?? before) as SnapshotItem;
}

/** The changes to one item of the earlier audit; empty if it is unchanged. */
function changesBetween(before: SnapshotItem, after: SnapshotItem | null): readonly ChangeKind[] {
  if (after === null) return ["gone"];
  const kinds: ChangeKind[] = [];
  if (lacks(before.scopes, after.scopes)) kinds.push("widened");
  if (lacks(after.scopes, before.scopes)) kinds.push("narrowed");
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
  widened: (before, after) => `gained ${scopesBeyond(after?.scopes, before?.scopes).join(", ")}`,
  narrowed: (before, after) => `lost ${scopesBeyond(before?.scopes, after?.scopes).join(", ")}`,
  gone: (before) => {
    if (before?.scopes === null) return "had unknown scopes";
    return before?.scopes.length ? `had ${before.scopes.join(", ")}` : "had no scopes";
  },
  touched: touchedText,
};

type Scopes = readonly string[] | null | undefined;

function scopesBeyond(these: Scopes, those: Scopes): readonly string[] {
  return (these ?? []).filter((scope) => those?.includes(scope) === false);
}

function touchedText(before: SnapshotItem | null, after: SnapshotItem | null): string {
  if (before?.hashed_token !== after?.hashed_token) return "its token has another value";
  if (before?.name !== after?.name) return `called “${after?.name ?? ""}”, before “${before?.name ?? ""}”`;
  if (before?.expires_at !== after?.expires_at) return `now expires ${after?.expires_at ?? "never"}`;
  return `updated ${dayOf(after?.updated_at ?? "")}`;
}

/** Changes of the same type to an application's grant and tokens, or to a personal token. */
export interface ChangeGroup {
  readonly change: ChangeKind;
  readonly name: string;
  /** The items, as `keyOf` identifies them. */
  readonly keys: readonly string[];
  /** `grant 5 and authorization 7`. */
  readonly items: string;
  readonly description: string;
}

const mostDescriptions = 3;

/**
 * Groups changes in the way in which reports for people count access. A token that replaces another, and the one that it
 * replaces, are one change.
 */
export function groupChanges({ changes, replaced }: Comparison): readonly ChangeGroup[] {
  const replacedKeys = new Set<string>();
  const replacements = [...replaced].map(([item, id]): ChangeGroup => {
    const [own, former] = [keyOf(item), keyOf({ resource: item.resource, id })];
    replacedKeys.add(own).add(former);
    return { change: "touched", name: item.name, keys: [own], items: own, description: `replaces ${former}` };
  });
  const groups = groupBy(
    changes.filter((each) => !replacedKeys.has(keyOf(each))),
    (change) => `${change.change} ${unitKey({ ...stateOf(change), resource: change.resource })}`,
  );
  const others = [...groups.values()].map((group) => {
    const [first] = group;
    const descriptions = [...new Set(withAllScopes(group).map(describeChange))];
    const left = descriptions.length - mostDescriptions;
    return {
      change: first.change,
      name: group.length === 1 ? first.name : (stateOf(first).application ?? first.name),
      keys: group.map(keyOf),
      items: both(
        Object.values(resourceOf).flatMap((resource) => {
          const own = group.filter((change) => change.resource === resource);
          const [one] = own;
          if (one === undefined) return [];
          return own.length === 1 ? keyOf(one) : counted(own.length, resource);
        }),
      ),
      description: [
        ...descriptions.slice(0, mostDescriptions),
        ...(left > 0 ? [`and ${counted(left, "other change")}`] : []),
      ].join("; "),
    };
  });
  return [...others, ...replacements].toSorted(byKind);
}

/**
 * One change with the scopes of all, if only the scopes of what appeared or disappeared differ: `had repo, gist` and not
 * `had repo; had gist`.
 */
function withAllScopes(group: readonly [Change, ...Change[]]): readonly Change[] {
  const [first] = group;
  if (first.change !== "new" && first.change !== "gone") return group;
  const scopes = new Set<string>();
  for (const change of group) {
    const own = stateOf(change).scopes;
    if (own === null) return group;
    for (const scope of own) scopes.add(scope);
  }
  const withScopes = (item: SnapshotItem | null): SnapshotItem | null =>
    item === null ? null : { ...item, scopes: [...scopes] };
  return [{ ...first, before: withScopes(first.before), after: withScopes(first.after) }];
}

/** The groups by type: `2 new, 1 gone`. */
export function changesInWords(groups: readonly ChangeGroup[]): string {
  const kinds = groups.map(({ change }) => change);
  return kinds.length === 0 ? "none" : countsInWords(changeKinds, kinds);
}

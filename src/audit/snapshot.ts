// A snapshot: what had access when it was taken, to be compared with a later run. JSON with one item a line, in the
// order of the identifiers and without a date of its own, so that `diff` and git show what changed and nothing else.
// It holds identifiers, names, scopes, dates and the hashes that the service publishes: nothing that gives access.
import type { Id } from "../api/resources.ts";
import { toJson } from "../json/exact-json.ts";
import { compareIds, type Item } from "./item.ts";

/** The version of the format that this program writes; newer ones are not read. */
export const snapshotVersion = 1;

/** Whose snapshot it is. */
export interface SnapshotOwner {
  readonly account: string;
  readonly base_url: string;
  readonly operator: string;
  /** Whose credential authorizations it holds; null for none. */
  readonly organization: string | null;
}

/** An item as a snapshot holds it. */
export interface SnapshotItem {
  readonly id: Id;
  readonly name: string;
  readonly application: string | null;
  readonly client_id: string | null;
  /** In alphabetical order; null if the service does not report them. */
  readonly scopes: readonly string[] | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  /** Whether its expiry had passed. */
  readonly expired: boolean;
  readonly hashed_token: string | null;
}

export const snapshotLists = ["grants", "authorizations", "credentials"] as const;
export type SnapshotList = (typeof snapshotLists)[number];

/** The lists of a run, or of a snapshot; null for one that was not read. */
export type Lists<T> = Readonly<Record<SnapshotList, T | null>>;

/** What a snapshot keeps of an item; `now` is in milliseconds since 1970. */
export function toSnapshotItem(item: Item, now: number): SnapshotItem {
  const { expires } = item;
  return {
    id: item.id,
    name: item.name,
    application: item.application,
    client_id: item.clientId,
    scopes: item.scopes === null ? null : [...new Set(item.scopes)].toSorted(compareTexts),
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    expires_at: item.expiresAt,
    expired: expires !== null && expires <= now,
    hashed_token: item.hash,
  };
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The text of a snapshot, in pieces. */
export function* snapshotText(
  owner: SnapshotOwner,
  lists: Lists<readonly Item[]>,
  now: number,
): Generator<string> {
  const { account, base_url, operator, organization } = owner;
  const head = { grantctl_audit: snapshotVersion, account, base_url, operator, organization };
  yield toJson(head, 2).replace(/\n\}$/, "");
  for (const name of snapshotLists) {
    const items = lists[name];
    if (items === null) {
      yield `,\n  "${name}": null`;
      continue;
    }
    yield `,\n  "${name}": [`;
    let separator = "\n    ";
    for (const item of items.toSorted((one, other) => compareIds(one.id, other.id))) {
      yield `${separator}${toJson(toSnapshotItem(item, now), 0)}`;
      separator = ",\n    ";
    }
    yield items.length === 0 ? "]" : "\n  ]";
  }
  yield "\n}\n";
}

/** A snapshot that was read. */
export interface Snapshot {
  readonly owner: SnapshotOwner;
  /** Whether it has this list. */
  has(list: SnapshotList): boolean;
  /** The items of a list, unpacked on each call. */
  items(list: SnapshotList): Generator<SnapshotItem>;
}

// A snapshot: what had access when it was taken, to be compared with a later run. JSON with one item a line, in the
// order of the identifiers and without a date of its own, so that `diff` and git show what changed and nothing else.
// It holds identifiers, names, scopes, dates and the hashes that the service publishes: nothing that gives access.
import * as v from "valibot";
import { LosslessNumber } from "lossless-json";
import type { Id } from "../api/resources.ts";
import { parseJson, toJson } from "../exact-json.ts";
import { parseInstant } from "../lists/age.ts";
import { textOf } from "../output/presentation.ts";
import { compareIds, keyOfId, type Item } from "./item.ts";

/** The form that this program writes; it reads no newer one. */
const snapshotVersion = 1;

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
  /** In alphabetical order; null where the service does not tell. */
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
  const expiry = parseInstant(item.expiresAt);
  return {
    id: item.id,
    name: item.name,
    application: item.application,
    client_id: item.clientId,
    scopes: item.scopes === null ? null : [...new Set(item.scopes)].toSorted(compareTexts),
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    expires_at: item.expiresAt,
    expired: expiry !== null && expiry <= now,
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
  /** The items of a list, read anew each time: kept as objects they would take many times their text. */
  items(list: SnapshotList): Generator<SnapshotItem>;
}

/** It is not a snapshot; the message says why, as the end of a sentence. */
export class NoSnapshot extends Error {
  override readonly name = "NoSnapshot";
}

const textOrNull = v.nullable(v.string());
const itemSchema = v.object({
  id: v.union([v.pipe(v.number(), v.integer()), v.instance(LosslessNumber)]),
  name: v.string(),
  application: textOrNull,
  client_id: textOrNull,
  scopes: v.nullable(v.array(v.string())),
  created_at: textOrNull,
  updated_at: textOrNull,
  expires_at: textOrNull,
  expired: v.boolean(),
  hashed_token: textOrNull,
});
const listSchema = v.nullable(v.array(v.unknown()));
const documentSchema = v.object({
  grantctl_audit: v.literal(snapshotVersion),
  account: v.string(),
  base_url: v.string(),
  operator: v.string(),
  organization: textOrNull,
  grants: listSchema,
  authorizations: listSchema,
  credentials: listSchema,
});

/** Reads the bytes of a snapshot, every item of it. Throws NoSnapshot. */
export function readSnapshot(bytes: Uint8Array): Snapshot {
  const frame = v.safeParse(documentSchema, parseFrame(bytes));
  if (!frame.success) throw new NoSnapshot("it is damaged, or no snapshot at all");
  const { account, base_url, operator, organization } = frame.output;
  const snapshot: Snapshot = {
    owner: { account, base_url, operator, organization },
    has: (list) => frame.output[list] !== null,
    *items(list) {
      for (const line of itemLines(bytes, list)) yield readItem(line);
      // Written anew by another program, items stand on more than one line each.
      for (const item of frame.output[list] ?? []) yield checkItem(item);
    },
  };
  for (const list of snapshotLists) {
    const twice = isOutOfOrder(snapshot.items(list)) ? findRepeated(snapshot.items(list)) : null;
    if (twice !== null) throw new NoSnapshot(`it is damaged: ${list} has ${twice} twice`);
  }
  return snapshot;
}

/** Whether an item does not come after the one before it, as all do in a file that was written here. */
function isOutOfOrder(items: Iterable<SnapshotItem>): boolean {
  let previous: Id | null = null;
  let isOut = false;
  // To the end in any case: every item is checked as it is read.
  for (const { id } of items) {
    if (previous !== null && compareIds(previous, id) >= 0) isOut = true;
    previous = id;
  }
  return isOut;
}

/** An identifier that comes twice; null for none. */
function findRepeated(items: Iterable<SnapshotItem>): string | null {
  const ids = new Set<number | string>();
  for (const { id } of items) {
    if (ids.has(keyOfId(id))) return textOf(id);
    ids.add(keyOfId(id));
  }
  return null;
}

/** The document without the items that stand on a line of their own. */
function parseFrame(bytes: Uint8Array): unknown {
  let text = "";
  for (const line of linesOf(bytes)) if (!isItemLine(line)) text += `${line}\n`;
  const document = parseOrRefuse(text);
  if (typeof document === "object" && document !== null && "grantctl_audit" in document) {
    const version = document.grantctl_audit;
    if (typeof version === "number" && version > snapshotVersion) {
      throw new NoSnapshot(
        `a newer grantctl wrote it, in version ${version}; this one reads ${snapshotVersion}`,
      );
    }
  }
  return document;
}

function* itemLines(bytes: Uint8Array, list: SnapshotList): Generator<string> {
  let current = "";
  for (const line of linesOf(bytes)) {
    if (isItemLine(line)) {
      if (current === list) yield line.trim().replace(/,$/, "");
    } else current = /^ *"(\w+)": \[/.exec(line)?.[1] ?? current;
  }
}

function isItemLine(line: string): boolean {
  return /^ *\{"id":.*\},?\r?$/.test(line);
}

function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    try {
      yield decoder.decode(bytes.subarray(start, end));
    } catch {
      throw new NoSnapshot("it is damaged, or no snapshot at all");
    }
    start = end + 1;
  }
}

function readItem(line: string): SnapshotItem {
  return checkItem(parseOrRefuse(line));
}

function checkItem(value: unknown): SnapshotItem {
  const checked = v.safeParse(itemSchema, value);
  if (!checked.success) throw new NoSnapshot("it is damaged: an item of it is not whole");
  return checked.output;
}

function parseOrRefuse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new NoSnapshot("it is damaged, or no snapshot at all");
  }
}

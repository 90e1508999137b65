// A snapshot: all items with access at one time, to compare with a later audit.
//
//   content   JSON with one item per line, ordered by ID and without a timestamp, so that `diff` and git show only real
//             changes. It contains IDs, names, scopes, dates and the hashes that the server publishes: nothing that
//             gives access.
//   owner     one account at one service. A snapshot of another one is rejected.
//   reading   from plain files only, every item checked; a damaged, newer or foreign file is a usage failure.
//   writing   atomic; replaces only an earlier snapshot of the same owner, unless forced.
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { LosslessNumber } from "lossless-json";
import * as v from "valibot";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { readPlainFile, Unreadable } from "../files/bounded-reads.ts";
import { parseJson, toJson } from "../json/exact-json.ts";
import { cellText } from "../printing/presentation.ts";
import { compareIds, type AuditItem, type ListName, type Lists } from "./items.ts";
import type { SnapshotItem } from "./schema.ts";

/** The version of the format that this release writes; newer versions are rejected. */
const snapshotVersion = 1;

/** The account, server and organization that a snapshot describes. */
export interface SnapshotOwner {
  readonly account: string;
  readonly base_url: string;
  readonly operator: string;
  /** The organization whose credential authorizations it contains; null for none. */
  readonly organization: string | null;
}

export interface Snapshot {
  readonly path: string;
  readonly owner: SnapshotOwner;
  readonly lists: Lists<readonly SnapshotItem[]>;
  /** When the file was last modified, in milliseconds since 1970; null for what is not a file. */
  readonly modifiedAt: number | null;
}

export const snapshotLists: readonly ListName[] = ["grants", "authorizations", "credentials"];

/** The fields of an item that a snapshot contains; `now` is in milliseconds since 1970. */
export function toSnapshotItem(item: AuditItem, now: number): SnapshotItem {
  const { expires } = item;
  return {
    id: item.id,
    name: item.name,
    application: item.application,
    client_id: item.client_id,
    // Sorted by code unit, independent of the locale.
    scopes: item.scopes === null ? null : [...new Set(item.scopes)].toSorted(),
    created_at: item.created_at,
    updated_at: item.updated_at,
    expires_at: item.expires_at,
    expired: expires !== null && expires <= now,
    hashed_token: item.hashed_token,
  };
}

export function* snapshotText(
  owner: SnapshotOwner,
  lists: Lists<readonly AuditItem[]>,
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

const textOrNull = v.nullable(v.string());
const listSchema = v.nullable(
  v.array(
    v.object({
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
    }),
  ),
);
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

/** A snapshot of 100,000 authorizations has about 30 MB. */
const mostBytes = 512 * 1024 * 1024;

/** Reads a snapshot. Throws a usage failure for a file that is not a snapshot, or not a plain file. */
export async function readSnapshotFile(flag: string, path: string): Promise<Snapshot> {
  const stat = await lstat(path).catch(() => null);
  if (stat?.isSymbolicLink() === true)
    throw usageFailure(`${flag} ${path} is a symbolic link, which is not followed`);
  const bytes = await readPlainFile(path, mostBytes).catch((error: unknown) => {
    if (error instanceof Unreadable) throw usageFailure(`${flag} ${path} cannot be read (${error.message})`);
    throw error;
  });
  const read = parseSnapshot(bytes);
  if (typeof read !== "string")
    return { ...read, path, modifiedAt: stat?.isFile() === true ? stat.mtimeMs : null };
  throw usageFailure(
    `${flag} ${path} cannot be used: ${read}`,
    "Run `grantctl audit --save FILE` to make one.",
  );
}

/** Parses a snapshot. If the bytes are not one, returns the reason as a clause for a message. */
function parseSnapshot(bytes: Uint8Array): Pick<Snapshot, "owner" | "lists"> | string {
  const damaged = "it is damaged, or not a snapshot";
  let document: unknown;
  try {
    document = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return damaged;
  }
  if (typeof document === "object" && document !== null && "grantctl_audit" in document) {
    const version = document.grantctl_audit;
    if (typeof version === "number" && version > snapshotVersion)
      return `a newer grantctl wrote it, in version ${version}; this one reads ${snapshotVersion}`;
  }
  const checked = v.safeParse(documentSchema, document);
  if (!checked.success) return damaged;
  const { output } = checked;
  for (const list of snapshotLists) {
    const ids = new Set<string>();
    for (const { id } of output[list] ?? []) {
      if (ids.has(cellText(id))) return `it is damaged: ${list} has ${cellText(id)} twice`;
      ids.add(cellText(id));
    }
  }
  return { owner: output, lists: output };
}

/** Throws a usage failure for a snapshot of another account, service or organization. */
export function checkOwner(flag: string, path: string, actual: SnapshotOwner, wanted: SnapshotOwner): void {
  const differing = (["account", "base_url", "operator", "organization"] as const).find(
    (key) => actual[key] !== wanted[key],
  );
  if (differing === undefined) return;
  const name = differing === "base_url" ? "service" : differing;
  throw usageFailure(
    `${flag} ${path} is a snapshot of another ${name}: ${actual[differing] ?? "none"} (this run: ${wanted[differing] ?? "none"})`,
    "Use a snapshot per account, service and organization.",
  );
}

/**
 * Checks that a file may be written, before anything is sent. Allowed are a new file, any existing plain file with
 * `isForced`, and an earlier snapshot of the same `owner` (null if the file is not a snapshot).
 */
export async function checkTarget(
  flag: string,
  path: string,
  isForced: boolean,
  owner: SnapshotOwner | null,
): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat !== null && !stat.isFile()) throw usageFailure(`${flag} ${path} is not a plain file`);
  try {
    // With `/.` appended, the path is valid only if it is a folder.
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw usageFailure(`${flag} ${path} cannot be written (${inWords(code)})`);
  }
  if (stat === null || isForced) return;
  const hint = "Choose another file, or add --force to replace it.";
  if (owner === null) throw usageFailure(`${path} already exists`, hint);
  try {
    checkOwner(flag, path, (await readSnapshotFile(flag, path)).owner, owner);
  } catch (error) {
    throw isFailure(error, "usage") ? usageFailure(error.message, hint) : error;
  }
}

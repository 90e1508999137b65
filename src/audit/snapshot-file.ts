// Snapshots on disk: read from plain files only, and written whole or not at all. A snapshot replaces only an earlier
// one of the same account and service, and any other file only with --force.
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { plainFilePieces, Unreadable } from "../files/bounded-reads.ts";
import { NoSnapshot, readSnapshot } from "./read-snapshot.ts";
import type { Snapshot, SnapshotOwner } from "./snapshot.ts";

/** Reads a snapshot. Throws a usage failure for a file that is not a snapshot, or not a plain file. */
export async function readSnapshotFile(flag: string, path: string): Promise<Snapshot> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() === true)
    throw usageFailure(`${flag} ${path} is a symbolic link, which is not followed`);
  try {
    return await readSnapshot(plainFilePieces(path, mostBytes));
  } catch (error) {
    if (error instanceof Unreadable) throw usageFailure(`${flag} ${path} cannot be read (${error.message})`);
    if (!(error instanceof NoSnapshot)) throw error;
    throw usageFailure(
      `${flag} ${path} cannot be used: ${error.message}`,
      "grantctl audit --save FILE makes one",
    );
  }
}

/** A snapshot of a hundred thousand authorizations has some 30 MB. */
const mostBytes = 512 * 1024 * 1024;

/** Throws a usage failure for a snapshot of another account, service or organization. */
export function checkOwner(flag: string, path: string, found: SnapshotOwner, wanted: SnapshotOwner): void {
  const differing = (["account", "base_url", "operator", "organization"] as const).find(
    (key) => found[key] !== wanted[key],
  );
  if (differing === undefined) return;
  const name = differing === "base_url" ? "service" : differing;
  throw usageFailure(
    `${flag} ${path} is a snapshot of another ${name}: ${found[differing] ?? "none"}, and this is ${wanted[differing] ?? "none"}`,
    "each account, service and organization has a snapshot of its own",
  );
}

/** Checks, before anything is sent, that a snapshot may be written to this path. */
export async function checkSnapshotTarget(
  path: string,
  owner: SnapshotOwner,
  isForced: boolean,
): Promise<void> {
  if (!(await isThere("--save", path)) || isForced) return;
  try {
    checkOwner("--save", path, (await readSnapshotFile("--save", path)).owner, owner);
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
    throw usageFailure(error.message, "name another file, or add --force to replace it");
  }
}

/** Checks, before anything is sent, that a document may be written to this path. */
export async function checkDocumentTarget(path: string, isForced: boolean): Promise<void> {
  if (!(await isThere("--output-file", path)) || isForced) return;
  throw usageFailure(`${path} exists already`, "name a new file, or add --force to replace it");
}

/** Whether the file exists; throws a usage failure unless it is a plain file or absent, in a folder that can be written. */
async function isThere(flag: string, path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw usageFailure(`${flag} ${path} is not a plain file`);
  try {
    // With `/.` appended, the path is valid only if it is a folder.
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    throw usageFailure(
      `${flag} ${path} cannot be written (${inWords((error as NodeJS.ErrnoException).code ?? "unknown error")})`,
    );
  }
  return found !== null;
}

// The folder that keeps a sandbox between runs: the store and, beside it, the credentials in a private file. Owns
// modes and the safe replacement of a file; leaves to the store who may use the folder.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { SandboxUnavailable } from "./sandbox-unavailable.ts";

export interface DataFolder {
  /** The store's file, which exists and is private. */
  readonly storeFile: string;
  /** The credentials' text, or null when there is none. */
  readCredentials(): string | null;
  /** Replaces the credentials; after this they are on disk as a whole. */
  writeCredentials(text: string): void;
}

/** Makes the folder if need be, private to its owner. Throws SandboxUnavailable when that is not possible. */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  const storeFile = join(folder, "sandbox.db");
  const credentialsFile = join(folder, "credentials.json");
  reportUnusable(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseSymbolicLink(storeFile);
    refuseSymbolicLink(credentialsFile);
    // Before SQLite does, which would make it as public as the umask allows; its journal takes the same mode.
    closeSync(openSync(storeFile, "a", 0o600));
    chmodSync(storeFile, 0o600);
    syncFolder(folder);
  });
  return {
    storeFile,
    readCredentials: () => reportUnusable(folder, () => readIfThere(credentialsFile)),
    writeCredentials: (text) =>
      reportUnusable(folder, () => {
        replaceFile(credentialsFile, text);
        syncFolder(folder);
      }),
  };
}

function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** A new name in a folder is on disk only when the folder is. Windows has no such thing. */
function syncFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, "r");
  } catch (error) {
    if (hasCode(error, "EISDIR", "EPERM")) return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!hasCode(error, "EPERM", "EINVAL")) throw error;
  } finally {
    closeSync(descriptor);
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function refuseSymbolicLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new SandboxUnavailable(`${file} is a symbolic link`);
  }
}

function reportUnusable<Result>(folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SandboxUnavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SandboxUnavailable(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

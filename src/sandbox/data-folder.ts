// The folder that keeps a sandbox between runs: the store and, beside it, the credentials in a private file. Owns file
// modes and the safe replacement of a file; the store makes sure that only one process uses the folder.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SandboxUnavailable } from "./sandbox-unavailable.ts";

export type DataFolder = ReturnType<typeof openDataFolder>;

/** Makes the folder if need be, private to its owner. Throws SandboxUnavailable when that is not possible. */
export function openDataFolder(path: string) {
  const folder = resolve(path);
  const storeFile = join(folder, "sandbox.db");
  const credentialsFile = join(folder, "credentials.json");
  reportUnusable(folder, () => {
    makeFolder(folder);
    for (const file of [storeFile, `${storeFile}-wal`, `${storeFile}-journal`, credentialsFile])
      requirePlainFile(file);
    closeToOthers(folder, storeFile);
    // Created before SQLite would, which would make it as public as the umask allows; SQLite's journal gets its mode.
    closeSync(openSync(storeFile, "a", 0o600));
    chmodSync(storeFile, 0o600);
    syncFolder(folder);
  });
  return {
    /** The store's file, which exists and is private. */
    storeFile,
    readCredentials: (): string | null => reportUnusable(folder, () => readIfThere(credentialsFile)),
    /** Replaces the credentials; after this they are on disk as a whole. */
    writeCredentials: (text: string): void =>
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

/** Writes the folder itself to disk, without which a new name in it may be lost. Windows needs no such call. */
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

/** Makes the folder and those above it; Node's own way never ends where nothing can be made, as below /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    const above = dirname(folder);
    if (!hasCode(error, "ENOENT") || above === folder) throw error;
    makeFolder(above);
    mkdirSync(folder, 0o700);
  }
}

/** Refuses a pipe, which would be waited for without end, and a link, which may lead to another user's file. */
function requirePlainFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw new SandboxUnavailable(`${file} is a symbolic link`);
  if (found?.isFile() === false) throw new SandboxUnavailable(`${file} is not a file`);
}

/**
 * Makes the folder private, because others who can write to it could replace the store. Only an empty folder, or one
 * with a sandbox in it, is changed; any other may have a purpose of its own and is refused. Modes mean nothing on
 * Windows.
 */
function closeToOthers(folder: string, storeFile: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o022) === 0 || platform() === "win32") return;
  const isOurs = readdirSync(folder).length === 0 || existsSync(storeFile);
  if ((mode & 0o1000) !== 0 || !isOurs) {
    throw new SandboxUnavailable(
      `others can write into the data folder ${folder}: name a new one, or: chmod go-w ${folder}`,
    );
  }
  chmodSync(folder, 0o700);
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

// The folder that stores a sandbox between runs.
//
//   sandbox.db         the store; it makes sure that only one process uses the folder
//   credentials.json   the credentials of those who may log in, readable; replaced as a whole
//
// The folder and both files are private to their owner. A folder that others can write to is made private only if it is
// empty or contains a sandbox; any other may have another purpose and is rejected. Links and pipes instead of the files
// are rejected as well.
//
// Credentials are written before the store is filled. If the process is killed in between, the next start finds an
// empty store and seeds it again; a full store without its credentials would be useless.
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
    makePrivate(folder, storeFile);
    // Created before SQLite would, which would make it as public as the umask allows; SQLite's journal gets its mode.
    closeSync(openSync(storeFile, "a", 0o600));
    chmodSync(storeFile, 0o600);
    syncFolder(folder);
  });
  return {
    /** The store's file, which exists and is private. */
    storeFile,
    hasCredentials: (): boolean => reportUnusable(folder, () => readIfThere(credentialsFile)) !== null,
    /** Throws SandboxUnavailable for a file that is missing, or is not what was written. */
    readCredentials: (): SeededCredentials =>
      parseCredentials(reportUnusable(folder, () => readIfThere(credentialsFile))),
    /** Replaces the credentials; after this they are on disk as a whole. */
    writeCredentials: (credentials: SeededCredentials): void =>
      reportUnusable(folder, () => {
        replaceFile(credentialsFile, formatCredentials(credentials));
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

/** Syncs the folder itself; otherwise a new name in it may be lost. Windows needs no such call. */
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

/** Creates the folder and its parents. Node's own mkdir never returns if nothing can be created, as below /proc. */
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

/** Rejects a pipe, whose opening would block forever, and a link, which may lead to another user's file. */
function requirePlainFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw new SandboxUnavailable(`${file} is a symbolic link`);
  if (found?.isFile() === false) throw new SandboxUnavailable(`${file} is not a file`);
}

/**
 * Makes the folder private, because others who can write to it could replace the store. Modes mean nothing on Windows.
 */
function makePrivate(folder: string, storeFile: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o022) === 0 || platform() === "win32") return;
  const isOurs = readdirSync(folder).length === 0 || existsSync(storeFile);
  if ((mode & 0o1000) !== 0 || !isOurs) {
    throw new SandboxUnavailable(
      `others can write to the data directory ${folder}; use a new one, or run \`chmod go-w ${folder}\``,
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
    throw new SandboxUnavailable(`the data directory ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

export interface SeededApplication {
  readonly name: string;
  readonly url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface SeededCredentials {
  readonly username: string;
  readonly password: string;
  /** Base32. Made in every mode, so that a restart may choose the mode `app`. */
  readonly totp_secret: string;
  readonly applications: readonly [SeededApplication, ...SeededApplication[]];
  /** Token values of the first application, by ascending ID. */
  readonly tokens: readonly string[];
}

function formatCredentials(credentials: SeededCredentials): string {
  return `${JSON.stringify(credentials, null, 2)}\n`;
}

function parseCredentials(text: string | null): SeededCredentials {
  const credentials = text === null ? null : parseOrNull(text);
  if (!isCredentials(credentials)) {
    const problem = text === null ? "missing" : "damaged";
    throw new SandboxUnavailable(
      `credentials.json is ${problem}, so the store beside it cannot be used; delete the data directory to start over`,
    );
  }
  return credentials;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCredentials(value: unknown): value is SeededCredentials {
  return (
    isRecord(value) &&
    hasTexts(value, "username", "password", "totp_secret") &&
    Array.isArray(value["applications"]) &&
    value["applications"].length > 0 &&
    value["applications"].every(
      (application) =>
        isRecord(application) && hasTexts(application, "name", "url", "client_id", "client_secret"),
    ) &&
    Array.isArray(value["tokens"]) &&
    value["tokens"].every((token) => typeof token === "string")
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function hasTexts(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

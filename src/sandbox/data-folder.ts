// The folder that keeps a sandbox's state between runs.
//
//   sandbox.db         the store, whose lock ensures that only one process uses the folder
//   credentials.json   the seeded credentials in plain text, replaced atomically
//
// The folder and both files are private to their owner. A folder that others can write to is made private only if it is
// empty or contains a sandbox; any other may have another purpose and is rejected. Symbolic links and pipes in place of
// the files are rejected, too.
//
// Credentials are written before the store is filled: if the process is killed in between, the next start finds an
// empty store and seeds it again, whereas a full store without its credentials would be useless.
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

/** Creates the folder if necessary, private to its owner. Throws SandboxUnavailable if it cannot be used. */
export function openDataFolder(path: string) {
  const folder = resolve(path);
  const storeFile = join(folder, "sandbox.db");
  const credentialsFile = join(folder, "credentials.json");
  withFolderErrors(folder, () => {
    createFolder(folder);
    for (const file of [storeFile, `${storeFile}-wal`, `${storeFile}-journal`, credentialsFile])
      requirePlainFile(file);
    ensurePrivate(folder, storeFile);
    // SQLite would create the file with the umask's mode. Its journals inherit the mode of the file.
    closeSync(openSync(storeFile, "a", 0o600));
    chmodSync(storeFile, 0o600);
    syncFolder(folder);
  });
  return {
    /** Exists and is private. */
    storeFile,
    /** Throws SandboxUnavailable if the file is missing or damaged. */
    readCredentials: (): SeededCredentials =>
      withFolderErrors(folder, () => readCredentials(credentialsFile)),
    /** Replaces the credentials atomically; they are on disk afterwards. */
    writeCredentials: (credentials: SeededCredentials): void =>
      withFolderErrors(folder, () => {
        replaceFile(credentialsFile, `${JSON.stringify(credentials, null, 2)}\n`);
        syncFolder(folder);
      }),
  };
}

function replaceFile(file: string, text: string): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  const descriptor = openSync(temporaryFile, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporaryFile, file);
}

/** Makes new file names durable. Windows neither needs nor supports this. */
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

/** Creates the folder and its parents. Node's recursive mkdir never returns below a folder such as /proc. */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    const parent = dirname(folder);
    if (!hasCode(error, "ENOENT") || parent === folder) throw error;
    createFolder(parent);
    mkdirSync(folder, 0o700);
  }
}

/** Rejects a pipe, which would block forever when opened, and a link, which may point to another user's file. */
function requirePlainFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw new SandboxUnavailable(`${file} is a symbolic link`);
  if (found?.isFile() === false) throw new SandboxUnavailable(`${file} is not a file`);
}

/** Others who can write to the folder could replace the store. Windows has no such modes. */
function ensurePrivate(folder: string, storeFile: string): void {
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

function withFolderErrors<Result>(folder: string, work: () => Result): Result {
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
  /** Base32. Created in every mode, so that a restart can switch to mode `app`. */
  readonly totp_secret: string;
  readonly applications: readonly [SeededApplication, ...SeededApplication[]];
  /** Token values of the first application, by ascending ID. */
  readonly tokens: readonly string[];
}

/** Throws SandboxUnavailable if the file is missing or damaged. */
function readCredentials(file: string): SeededCredentials {
  let problem = "damaged";
  try {
    const credentials: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isCredentials(credentials)) return credentials;
  } catch (error) {
    if (hasCode(error, "ENOENT")) problem = "missing";
    else if (!(error instanceof SyntaxError)) throw error;
  }
  throw new SandboxUnavailable(
    `credentials.json is ${problem}, so the store beside it cannot be used; delete the data directory to start over`,
  );
}

function isCredentials(value: unknown): value is SeededCredentials {
  return (
    isRecord(value) &&
    hasStrings(value, "username", "password", "totp_secret") &&
    Array.isArray(value["applications"]) &&
    value["applications"].length > 0 &&
    value["applications"].every(
      (application) =>
        isRecord(application) && hasStrings(application, "name", "url", "client_id", "client_secret"),
    ) &&
    Array.isArray(value["tokens"]) &&
    value["tokens"].every((token) => typeof token === "string")
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function hasStrings(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

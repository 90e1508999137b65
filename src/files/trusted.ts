// Files and folders that no other user can change. grantctl acts on some without a prompt: its configuration names
// commands to run, and its journals decide which items are deleted. Others contain secrets and are private: mode 0700,
// created or checked before anything is written into them.
//
// A path is walked from the root, one name at a time, as the kernel does:
//
//   folder          owned by root or this user; writable by its owner alone, or sticky, as /tmp is
//   symbolic link   owned by root or this user; its target is walked in the same way
//   file            opened at the end of the walk without following a link; owner and mode are those of the open file
//
// So no other user can replace anything between the check and the opening: no folder on the path lets them, and a
// sticky folder protects the names of other owners. Group-writable is rejected, as by sshd's StrictModes, because the
// members of a group are unknown. Windows has no such modes: there the user ID is null, and only a plain file is
// required.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from "node:fs";
import { access, chmod, lstat, mkdir } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { inWords } from "../errors/system-codes.ts";

/** The mode bit of a shared folder, such as /tmp. */
const sticky = 0o1000;
const othersMayWrite = 0o022;

/** The same limit as on Linux. */
const mostLinks = 40;

export interface TrustedFileOptions {
  /** This process's effective user, or null if the platform has none. */
  readonly userId: number | null;
  readonly maxBytes: number;
  /** Mode bits that the file must not have; by default those that let others change it. */
  readonly forbiddenMode?: number;
}

/**
 * Reads a plain file that nobody else can change. Throws a usage failure that names the file and its owner if somebody
 * can, and the system's error for a file that cannot be opened. Never waits for a pipe.
 */
export function readTrustedFile(
  path: string,
  { userId, maxBytes, forbiddenMode = othersMayWrite }: TrustedFileOptions,
): Buffer {
  const target = resolveTrustedPath(path, userId);
  const noFollow = userId === null ? 0 : constants.O_NOFOLLOW;
  // Without O_NONBLOCK, opening a pipe without a writer would wait.
  const descriptor = openSync(target, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw usageFailure(`${foreign(path)} is not a file`);
    checkOwner(target, found, userId);
    if (userId !== null && (found.mode & forbiddenMode) !== 0) {
      const can = forbiddenMode === othersMayWrite ? "change" : "read or change";
      throw usageFailure(
        `other users can ${can} ${foreign(target)}`,
        `Run \`chmod 600 ${foreign(target)}\` to make it accessible only to you.`,
      );
    }
    if (found.size > maxBytes)
      throw usageFailure(`${foreign(path)} is larger than ${maxBytes / 1024 / 1024} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks that no other user can change the contents of a folder or, if it does not exist yet, replace the folders in
 * which it would be created. Throws as readTrustedFile does.
 */
export function checkTrustedFolder(path: string, userId: number | null): void {
  resolveTrustedPath(path, userId);
}

/** The parts of the message for a folder that cannot be used. */
export interface FolderPurpose {
  /** As in `state folder`. */
  readonly name: string;
  /** The effect of an unusable folder, as in `nothing can be stored there`. */
  readonly consequence: string;
  readonly hint: string;
}

/**
 * Creates the folder with mode 0700, or accepts an existing one of this user that nobody else can change. Throws a
 * usage failure otherwise.
 */
export async function preparePrivateFolder(
  path: string,
  purpose: FolderPurpose,
  userId: number | null,
): Promise<void> {
  try {
    checkTrustedFolder(path, userId);
    await makeFolder(path);
    // Below a shared folder, another user may have created it in the meantime.
    checkTrustedFolder(path, userId);
    if ((await checkedMode(path, purpose)) & 0o077) await chmod(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : unusable(path, code, purpose);
  }
}

/** Throws the usage failures of preparePrivateFolder that can be detected without creating anything. */
export async function checkPrivateFolder(
  path: string,
  purpose: FolderPurpose,
  userId: number | null,
): Promise<void> {
  const reason = await whyNotWritable(path);
  if (reason !== null) throw unusable(path, reason, purpose);
  checkTrustedFolder(path, userId);
  if ((await lstat(path).catch(() => null)) !== null) await checkedMode(path, purpose);
}

/**
 * The error code that prevents writing to the folder, or null. If the folder does not exist, checks the nearest
 * existing one above it.
 */
async function whyNotWritable(path: string): Promise<string | null> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const above = dirname(path);
    return code === "ENOENT" && above !== path ? whyNotWritable(above) : code;
  }
}

/** Checks each folder and link of a path; returns the path without links, whose last parts may not exist. */
function resolveTrustedPath(path: string, userId: number | null): string {
  if (userId === null) return path;
  const { root } = parse(path);
  let current = root;
  let names = pathSegments(path);
  let links = 0;
  checkFolder(root, lstatSync(root), userId);
  for (;;) {
    const [name, ...rest] = names;
    if (name === undefined) return current;
    names = rest;
    const next = name === ".." ? dirname(current) : join(current, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return join(next, ...rest);
    if (found.isSymbolicLink()) {
      checkOwner(next, found, userId);
      links += 1;
      if (links > mostLinks) throw usageFailure(`${foreign(path)} leads through too many symbolic links`);
      const target = readlinkSync(next);
      if (target.startsWith("/")) current = root;
      names = [...pathSegments(target), ...rest];
    } else {
      if (found.isDirectory()) checkFolder(next, found, userId);
      current = next;
    }
  }
}

function pathSegments(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function checkFolder(path: string, found: Stats, userId: number): void {
  checkOwner(path, found, userId);
  if ((found.mode & othersMayWrite) !== 0 && (found.mode & sticky) === 0) {
    throw usageFailure(
      `other users can change the directory ${foreign(path)}`,
      `Run \`chmod go-w ${foreign(path)}\` to make it writable only by its owner.`,
    );
  }
}

function checkOwner(path: string, { uid }: Stats, userId: number | null): void {
  if (userId === null || uid === 0 || uid === userId) return;
  throw usageFailure(
    `${foreign(path)} belongs to user ${uid}, but grantctl runs as user ${userId}`,
    `Use a path of your own (with sudo: sudo -H), or run \`chown ${userId} ${foreign(path)}\`.`,
  );
}

/** The mode of a folder. Throws a usage failure for anything else, and for a shared folder. */
async function checkedMode(path: string, purpose: FolderPurpose): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) {
    const what = found.isSymbolicLink() ? "a symbolic link, which is not followed" : "not a directory";
    throw usageFailure(
      `the ${purpose.name} ${foreign(path)} is ${what}, so ${purpose.consequence}`,
      purpose.hint,
    );
  }
  // A folder such as /tmp must stay open to everybody.
  if ((found.mode & sticky) !== 0) {
    throw usageFailure(`${foreign(path)} is shared with others, so ${purpose.consequence}`, purpose.hint);
  }
  return found.mode;
}

function unusable(path: string, code: string, purpose: FolderPurpose): Failure {
  return usageFailure(
    `the ${purpose.name} ${foreign(path)} cannot be used (${inWords(code)}), so ${purpose.consequence}`,
    purpose.hint,
  );
}

/**
 * Creates the folder and its parents. Node's recursive mkdir never returns below a folder in which nothing can be
 * created, such as /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const make = async (ignored: readonly string[]): Promise<boolean> => {
    try {
      await mkdir(path, 0o700);
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!ignored.includes(code)) throw error;
      return code === "EEXIST";
    }
  };
  if (await make(["EEXIST", "ENOENT"])) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await make(["EEXIST"]);
}

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
// sticky folder protects the names of other owners. A group may write only if this user is its only member, as many
// systems set up. What is not there distrusts nobody: a container may run with somebody else's home folder. A folder
// that the environment names, as for a container's volume, is trusted by itself if it is private to this user. Windows
// has no such modes: there the user ID is null, and only a plain file is required.
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
import { isFailure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";

/** The mode bit of a shared folder, such as /tmp. */
const sticky = 0o1000;

/** The same limit as on Linux. */
const mostLinks = 40;

/** Who this process is, and what it trusts. */
export interface Trust {
  /** This process's effective user, or null if the platform has none. */
  readonly userId: number | null;
  /** The folders that the environment names. */
  readonly named: readonly string[];
}

interface TrustedFileOptions {
  readonly maxBytes: number;
  /** Mode bits that the file must not have, in addition to those that let others change it. */
  readonly forbiddenMode?: number;
}

/**
 * Reads a plain file that nobody else can change; null if there is none. Throws a usage failure that names the file and
 * its owner if somebody can, and the system's error for a file that cannot be opened. Never waits for a pipe.
 */
export function readTrustedFile(
  path: string,
  trust: Trust,
  { maxBytes, forbiddenMode = 0 }: TrustedFileOptions,
): Buffer | null {
  if (!isThere(path)) return null;
  const { userId } = trust;
  const target = resolveTrustedPath(path, trust);
  // A link to nothing.
  if (!isThere(target)) return null;
  const noFollow = userId === null ? 0 : constants.O_NOFOLLOW;
  // Without O_NONBLOCK, opening a pipe without a writer would wait.
  const descriptor = openSync(target, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw usageFailure(`${path} is not a file`);
    checkOwner(target, found, userId);
    if (userId !== null && (isWritableByOthers(found, userId) || (found.mode & forbiddenMode) !== 0)) {
      throw usageFailure(
        `other users can ${forbiddenMode === 0 ? "change" : "read or change"} ${target}`,
        `Run \`chmod 600 ${target}\` to make it accessible only to you.`,
      );
    }
    if (found.size > maxBytes) throw usageFailure(`${path} is larger than ${maxBytes / 1024 / 1024} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** True if the path exists. A folder of somebody else that cannot be entered holds nothing of this user. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (["EACCES", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/**
 * Checks that no other user can change the contents of a folder or, if it does not exist yet, replace the folders in
 * which it would be created. Throws as readTrustedFile does.
 */
export function checkTrustedFolder(path: string, trust: Trust): void {
  resolveTrustedPath(path, trust);
}

/** A warning for each folder that is trusted only because the environment names it. */
export function warningsAbout(trust: Trust): readonly string[] {
  return trust.named.flatMap((folder) => {
    if (!isPrivate(folder, trust.userId)) return [];
    try {
      resolveTrustedPath(folder, { ...trust, named: [] });
      return [];
    } catch (error) {
      return isFailure(error) ? [`${error.message}; grantctl uses ${folder} because it is named`] : [];
    }
  });
}

/** True for a folder of this user that nobody else can enter. */
function isPrivate(path: string, userId: number | null): boolean {
  const found = isThere(path) ? lstatSync(path) : null;
  return found?.isDirectory() === true && found.uid === userId && (found.mode & 0o077) === 0;
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
  trust: Trust,
): Promise<void> {
  await checkPrivateFolder(path, purpose, trust);
  try {
    await makeFolder(path);
    // Below a shared folder, another user may have created it in the meantime.
    checkTrustedFolder(path, trust);
    if ((await lstat(path)).mode & 0o077) await chmod(path, 0o700);
  } catch (error) {
    throw unusable(path, error, purpose);
  }
}

/** Creates the folder and its parents. Node's recursive mkdir never returns where nothing can be created, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (isThere(path)) return;
  if (parent !== path) await makeFolder(parent);
  await mkdir(path, 0o700).catch((error: unknown) => {
    // Another process may have created it.
    if (!isThere(path)) throw error;
  });
}

/** Throws the usage failures of preparePrivateFolder that can be detected without creating anything. */
export async function checkPrivateFolder(path: string, purpose: FolderPurpose, trust: Trust): Promise<void> {
  try {
    // First who owns it: permission denied to somebody else's home would not say so.
    checkTrustedFolder(path, trust);
    await access(nearestThere(path), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error, purpose);
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw unusable(path, "it is a symbolic link", purpose);
  if (found?.isDirectory() === false) throw unusable(path, "it is not a directory", purpose);
  // A folder such as /tmp must stay open to everybody.
  if (found !== undefined && (found.mode & sticky) !== 0)
    throw unusable(path, "it is shared with others", purpose);
}

/** The path, or the nearest folder above it that exists. */
function nearestThere(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined && dirname(path) !== path
    ? nearestThere(dirname(path))
    : path;
}

/** The failure for a folder, with a reason or the system's error; any other error as it is. */
function unusable(path: string, reason: unknown, { name, consequence, hint }: FolderPurpose): unknown {
  const why = typeof reason === "string" ? reason : (reason as NodeJS.ErrnoException).code;
  if (why === undefined) return reason;
  return usageFailure(`the ${name} ${path} cannot be used (${inWords(why)}), so ${consequence}`, hint);
}

/** Checks each folder and link of a path, from the root or from a named folder; returns the path without links, whose last parts may not exist. */
function resolveTrustedPath(path: string, { userId, named }: Trust): string {
  if (userId === null) return path;
  const { root } = parse(path);
  const isAtOrAbove = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const start = named.find((folder) => isAtOrAbove(folder) && isPrivate(folder, userId)) ?? root;
  let current = start;
  let names = pathSegments(path.slice(start.length));
  let links = 0;
  checkFolder(start, lstatSync(start), userId);
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
      if (links > mostLinks) throw usageFailure(`${path} leads through too many symbolic links`);
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
  if (isWritableByOthers(found, userId) && (found.mode & sticky) === 0)
    throw usageFailure(
      `other users can change the directory ${path}, which belongs to user ${found.uid}`,
      `Run \`chmod go-w ${path}\` to make it writable only by its owner, or ${setVariables}.`,
    );
}

function checkOwner(path: string, { uid }: Stats, userId: number | null): void {
  if (userId === null || uid === 0 || uid === userId) return;
  throw usageFailure(
    `${path} belongs to user ${uid}, but grantctl runs as user ${userId}`,
    `With sudo, use sudo -H; otherwise ${setVariables}.`,
  );
}

const setVariables = "set GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR to directories of yours with mode 700";

/** True if a user other than this one and the owner may write; the owner is checked apart. */
function isWritableByOthers({ mode, gid }: Stats, userId: number): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(gid, userId));
}

/** True if this user is the only member of the group, which has the user's name. */
function isPrivateGroup(gid: number, userId: number): boolean {
  try {
    const users = linesOf("/etc/passwd");
    const [name = ""] = users.find(([, , uid]) => uid === String(userId)) ?? [];
    const [group, , , members = ""] = linesOf("/etc/group").find(([, , id]) => id === String(gid)) ?? [];
    return (
      name !== "" &&
      group === name &&
      (members === "" || members === name) &&
      users.every(([other, , , primary]) => other === name || primary !== String(gid))
    );
  } catch {
    return false;
  }
}

function linesOf(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.map((line) => line.split(":"));
}

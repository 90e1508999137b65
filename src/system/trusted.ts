// Files and folders that no other user can change. grantctl acts on some without a prompt: its configuration names
// commands to run, and its journals decide which items are deleted. Others contain secrets and are private: mode 0700,
// created or checked before anything is written into them.
//
// Each folder of a path, as it is named and again with its links resolved, belongs to root or to this user, and only its
// owner can write to it, or it is sticky, as /tmp is. A link belongs to one of them too. So no other user can replace
// anything between the check and the opening, which uses the resolved path and follows no link.
//
// A group may write only if this user is its only member, as many systems set up. What is not there distrusts nobody: a
// container may run with somebody else's home folder. A folder that the environment names, as for a container's volume, is
// trusted by itself if it is private to this user. Windows has no such modes: there the user ID is null, and only a plain
// file is required.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { access, chmod, mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";

/** The mode bit of a shared folder, such as /tmp. */
const sticky = 0o1000;

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
  const target = realPath(path);
  if (target === null) return null;
  const { userId } = trust;
  checkPath(path, target, trust);
  const noFollow = userId === null ? 0 : constants.O_NOFOLLOW;
  // Without O_NONBLOCK, opening a pipe without a writer would wait.
  const descriptor = openSync(target, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw usageFailure(`${path} is not a file`);
    checkOwner(target, found, userId);
    if (userId !== null && (isWritableByOthers(found) || (found.mode & forbiddenMode) !== 0)) {
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

/** What a path leads to, without links; null if nothing is there. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    return nullIfAbsent(error);
  }
}

/** What stands at a path itself, or null. */
function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    return nullIfAbsent(error);
  }
}

/** Null for the error of a path at which nothing is. A folder that cannot be entered holds nothing of this user. */
function nullIfAbsent(error: unknown): null {
  if (["ENOENT", "EACCES", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
  throw error;
}

/**
 * Checks that no other user can change the contents of a folder or, if it does not exist yet, replace the folders in
 * which it would be created. Throws as readTrustedFile does.
 */
export function checkTrustedFolder(path: string, trust: Trust): void {
  checkPath(path, nearestReal(path), trust);
}

/** The path without links, or that of the nearest folder above it that exists. */
function nearestReal(path: string): string {
  return realPath(path) ?? (dirname(path) === path ? path : nearestReal(dirname(path)));
}

/** A warning for each folder that is trusted only because the environment names it. */
export function warningsAbout(trust: Trust): readonly string[] {
  return trust.named.flatMap((folder) => {
    if (!isPrivate(folder, trust.userId)) return [];
    try {
      checkTrustedFolder(folder, { ...trust, named: [] });
      return [];
    } catch (error) {
      return isFailure(error) ? [`${error.message}; grantctl uses ${folder} because it is named`] : [];
    }
  });
}

/** True for a folder of this user that nobody else can enter. */
function isPrivate(path: string, userId: number | null): boolean {
  const found = entryAt(path);
  return found?.isDirectory() === true && found.uid === userId && (found.mode & 0o077) === 0;
}

/** Which of grantctl's folders: its name in messages. */
export type OwnFolder = "state directory" | "configuration directory";

/**
 * Creates the folder with mode 0700, or accepts an existing one of this user that nobody else can change. Throws a
 * usage failure otherwise.
 */
export async function preparePrivateFolder(path: string, name: OwnFolder, trust: Trust): Promise<void> {
  await checkPrivateFolder(path, name, trust);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // Below a shared folder, another user may have created it in the meantime.
    checkTrustedFolder(path, trust);
    if (statSync(path).mode & 0o077) await chmod(path, 0o700);
  } catch (error) {
    throw unusable(path, error, name);
  }
}

/** Throws the usage failures of preparePrivateFolder that can be detected without creating anything. */
export async function checkPrivateFolder(path: string, name: OwnFolder, trust: Trust): Promise<void> {
  try {
    // First who owns it: permission denied to somebody else's home would not say so.
    checkTrustedFolder(path, trust);
    await access(`${nearestReal(path)}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    // A folder such as /tmp must stay open to everybody.
    const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if ((mode & sticky) !== 0) throw unusable(path, "it is shared with others", name);
  } catch (error) {
    throw unusable(path, error, name);
  }
}

/** The failure for a folder, with a reason or the system's error; any other error as it is. */
function unusable(path: string, reason: unknown, name: OwnFolder): unknown {
  const why = typeof reason === "string" ? reason : (reason as NodeJS.ErrnoException).code;
  if (why === undefined) return reason;
  const variable = name === "state directory" ? "GRANTCTL_STATE_DIR" : "GRANTCTL_CONFIG_DIR";
  return usageFailure(
    `the ${name} ${path} cannot be used (${inWords(why)})`,
    `Set ${variable} to a directory of yours.`,
  );
}

/** Checks what stands on a path, upwards to the root or to a folder that is named and private. */
function checkPath(path: string, real: string, { userId, named }: Trust): void {
  if (userId === null) return;
  const trusted = named
    .filter((folder) => isPrivate(folder, userId))
    .flatMap((folder) => [folder, realpathSync(folder)]);
  for (const start of [path, real])
    for (let at = start; ; at = dirname(at)) {
      const found = entryAt(at);
      if (found !== null) checkOwner(at, found, userId);
      if (found?.isDirectory() === true && isWritableByOthers(found) && (found.mode & sticky) === 0)
        throw usageFailure(
          `other users can change the directory ${at}, which belongs to user ${found.uid}`,
          `Run \`chmod go-w ${at}\` to make it writable only by its owner, or ${setVariables}.`,
        );
      if (trusted.includes(at) || at === dirname(at)) break;
    }
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
function isWritableByOthers({ mode, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(gid));
}

/** True for the group of the user's name without other members. */
function isPrivateGroup(gid: number): boolean {
  try {
    const { username } = userInfo();
    const groups = readFileSync("/etc/group", "utf8").split("\n");
    const [name, , , members = ""] =
      groups.map((line) => line.split(":")).find(([, , id]) => id === String(gid)) ?? [];
    return name === username && ["", username].includes(members);
  } catch {
    return false;
  }
}

// Files and folders that no other user can change. grantctl acts on some without a prompt: its configuration names
// commands to run, and its records decide which items are deleted. Others contain secrets and are private: mode 0700,
// created or checked before anything is written into them.
//
// Each folder of a path, as it is named and again with its links resolved, belongs to root or to this user, and only its
// owner can write to it, or it is sticky, as /tmp is. A link belongs to one of them too. So no other user can replace
// anything between the check and the opening.
//
// A group may write only if this user is its only member, as many systems set up. What is not there distrusts nobody: a
// container may run with somebody else's home folder. A folder that the environment names, as for a container's volume, is
// trusted by itself if it is private to this user. Windows has no such modes: there the user ID is null, and only a plain
// file is required.
import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { access, chmod, constants, mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { systemFailure } from "../errors/words.ts";

/** Who this process is, and what it trusts. */
export interface Trust {
  /** This process's effective user, or null if the platform has none. */
  readonly userId: number | null;
  readonly named: readonly string[];
}

const sticky = 0o1000;

const setVariables = "set GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR to directories of yours with mode 700";
const otherFolder = `To use another directory, ${setVariables}.`;

/**
 * Reads a plain file that nobody else can change or, if it is secret, read; null if there is none. Throws a usage failure
 * that names the file and its owner if somebody can, or if it cannot be read. Never waits for a pipe.
 */
export function readTrustedFile(path: string, trust: Trust, isSecret = false): Buffer | null {
  try {
    const target = unlessAbsent(() => realpathSync(path));
    if (target === null) return null;
    checkTrusted(path, trust);
    const found = statSync(target);
    if (!found.isFile()) throw usageFailure(`${path} is not a file`);
    if (isSecret && trust.userId !== null && (found.mode & 0o077) !== 0)
      throw usageFailure(
        `other users can read ${target}`,
        `Run \`chmod 600 ${target}\` to make it accessible only to you.`,
      );
    return readFileSync(target);
  } catch (error) {
    throw systemFailure(error, `cannot read ${path}`, otherFolder);
  }
}

/** A warning for each folder that is trusted only because the environment names it. */
export function warningsAbout(trust: Trust): readonly string[] {
  return trust.named.flatMap((folder) => {
    if (!isPrivate(folder, trust.userId)) return [];
    try {
      checkTrusted(folder, { ...trust, named: [] });
      return [];
    } catch (error) {
      return isFailure(error) ? [`${error.message}; grantctl uses ${folder} because it is named`] : [];
    }
  });
}

/**
 * Creates the folder with mode 0700, or accepts an existing one of this user that nobody else can change. Throws a
 * usage failure otherwise.
 */
export async function preparePrivateFolder(path: string, trust: Trust): Promise<void> {
  await checkPrivateFolder(path, trust);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // Below a shared folder, another user may have created it in the meantime.
    checkTrusted(path, trust);
    if (statSync(path).mode & 0o077) await chmod(path, 0o700);
  } catch (error) {
    throw systemFailure(error, `cannot use the directory ${path}`, otherFolder);
  }
}

/** Throws the usage failures of preparePrivateFolder that can be detected without creating anything. */
export async function checkPrivateFolder(path: string, trust: Trust): Promise<void> {
  try {
    // First who owns it: permission denied to somebody else's home would not say so.
    checkTrusted(path, trust);
    await access(`${nearestReal(path)}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    // A folder such as /tmp must stay open to everybody.
    const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if ((mode & sticky) !== 0) throw usageFailure(`the directory ${path} is shared with others`, otherFolder);
  } catch (error) {
    throw systemFailure(error, `cannot use the directory ${path}`, otherFolder);
  }
}

/**
 * Checks that no other user can change what is at a path. If nothing is there, checks the folders above, up to the root or
 * to a named private one. Throws as readTrustedFile does.
 */
export function checkTrusted(path: string, { userId, named }: Trust): void {
  if (userId === null) return;
  const trusted = named
    .filter((folder) => isPrivate(folder, userId))
    .flatMap((folder) => [folder, realpathSync(folder)]);
  for (const start of [path, nearestReal(path)])
    for (let at = start; ; at = dirname(at)) {
      const found = entryAt(at);
      if (found !== null) checkEntry(at, found, userId);
      if (trusted.includes(at) || at === dirname(at)) break;
    }
}

function checkEntry(path: string, found: Stats, userId: number): void {
  if (found.uid !== 0 && found.uid !== userId)
    throw usageFailure(
      `${path} belongs to user ${found.uid}, but grantctl runs as user ${userId}`,
      `With sudo, use sudo -H; otherwise ${setVariables}.`,
    );
  // The mode of a link means nothing, and a device such as /dev/null is for everybody.
  const counts = found.isFile() || (found.isDirectory() && (found.mode & sticky) === 0);
  const isWritable = (found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && !isPrivateGroup(found.gid));
  if (!counts || !isWritable) return;
  throw usageFailure(
    `other users can change ${path}, which belongs to user ${found.uid}`,
    `Run \`chmod go-w ${path}\` to make it writable only by its owner, or ${setVariables}.`,
  );
}

/** The path without links, or that of the nearest folder above it that exists. */
function nearestReal(path: string): string {
  return (
    unlessAbsent(() => realpathSync(path)) ?? (dirname(path) === path ? path : nearestReal(dirname(path)))
  );
}

/** True for a folder of this user that nobody else can enter. */
function isPrivate(path: string, userId: number | null): boolean {
  const found = entryAt(path);
  return found?.isDirectory() === true && found.uid === userId && (found.mode & 0o077) === 0;
}

/** What stands at a path itself, or null. */
function entryAt(path: string): Stats | null {
  return unlessAbsent(() => lstatSync(path));
}

/** Null if nothing is there. A folder that cannot be entered holds nothing of this user. */
function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
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

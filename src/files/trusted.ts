// Files and folders that grantctl acts on without asking: its configuration names commands to run, and its journals decide
// what is deleted. They are used only if nobody else can change them.
//
// A path is walked from the root, one name at a time, as the kernel does:
//
//   folder          owned by root or this user; writable by its owner alone, or sticky, as /tmp is
//   symbolic link   owned by root or this user; its target is walked in the same way
//   file            opened at the end of the walk without following a link; owner and mode are those of the open file
//
// So nobody else can exchange anything between the check and the opening: all the folders on the way refuse it, and a sticky
// one refuses it for the names of others. Group-writable is refused, as sshd's StrictModes does, because nothing here tells
// who else is in a group. Windows has no such modes: there the user ID is null, and only the plain file is required.
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
import { dirname, join, parse } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";

const sticky = 0o1000;
const othersMayWrite = 0o022;

/** As many as Linux follows. */
const mostLinks = 40;

export interface TrustedFileOptions {
  /** This process's effective user; null where the platform has none. */
  readonly userId: number | null;
  readonly maxBytes: number;
  /** Mode bits that the file must not have; those by which others could change it where absent. */
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
  const target = walk(path, userId);
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
        `others can ${can} ${foreign(target)}`,
        `make it yours alone: chmod 600 ${foreign(target)}`,
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
 * Checks that nobody else can change what is in a folder, or, if it does not exist yet, exchange the folders in which it
 * would be made. Throws as readTrustedFile does.
 */
export function checkTrustedFolder(path: string, userId: number | null): void {
  walk(path, userId);
}

/**
 * Whether the path is a descriptor that grantctl was started with, such as the pipe of a shell's `<(command)`. It has a
 * writer already, unlike a named pipe, which waits for one as soon as it is opened.
 */
export function isInheritedDescriptor(path: string): boolean {
  return /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$|^\/dev\/stdin$/.test(path);
}

/** Checks each folder and link on the way; returns the path without links, of which the end may not exist. */
function walk(path: string, userId: number | null): string {
  if (userId === null) return path;
  const { root } = parse(path);
  let current = root;
  let names = namesOf(path);
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
      names = [...namesOf(target), ...rest];
    } else {
      if (found.isDirectory()) checkFolder(next, found, userId);
      current = next;
    }
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function checkFolder(path: string, found: Stats, userId: number): void {
  checkOwner(path, found, userId);
  if ((found.mode & othersMayWrite) !== 0 && (found.mode & sticky) === 0) {
    throw usageFailure(
      `others can change the folder ${foreign(path)}`,
      `to make it writable for its owner only: chmod go-w ${foreign(path)}`,
    );
  }
}

function checkOwner(path: string, { uid }: Stats, userId: number | null): void {
  if (userId !== null && uid !== 0 && uid !== userId) throw foreignOwner(path, uid, userId);
}

function foreignOwner(path: string, uid: number, userId: number): Failure {
  return usageFailure(
    `${foreign(path)} belongs to user ${uid}, but grantctl runs as user ${userId}`,
    `use a place of your own (with sudo: sudo -H), or make this one yours: chown ${userId} ${foreign(path)}`,
  );
}

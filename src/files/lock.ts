// A lock file, so that only one process at a time changes a file. It contains a unique name of its holder, and is
// created atomically with that content:
//
//   PID START RANDOM MACHINE BOOT SPACE HOSTNAME
//
// A process ID is meaningful only within one boot of one machine and one PID namespace, and containers and hosts may
// share a folder:
//
//   holder                                            lock
//   same machine, boot and namespace, and running     held
//   same machine, boot and namespace, and ended       stale: no process has its ID and start time
//   earlier boot of this machine, no container        stale
//   anything else                                     unknown, so held; `releaseForeign` removes it at a user's request
//
// Versions up to 0.2.0 wrote only the first three words; such locks are checked by process ID and start time only.
//
// Removing a stale lock requires a lock itself; otherwise the second of two processes could remove the new lock of the
// first. Small files that every run may change are locked only briefly, so `withLock` waits for the holder.
import { createHash, randomBytes } from "node:crypto";
import { link, lstat, readFile, unlink, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { readPlainFile, type Unreadable } from "./bounded-reads.ts";

/** Identifies processes, even if a process ID is reused. */
export interface ProcessTable {
  readonly pid: number;
  /** True if a process with this ID is running, whoever owns it. */
  isRunning(pid: number): boolean;
  /** Identifies this boot of the machine; null if unknown. */
  readonly bootId: string | null;
  /** The scope of this process; null if it does not matter, as in a test. */
  readonly scope: ProcessScope | null;
}

/** The scope in which a process ID is meaningful. No part contains a space. */
export interface ProcessScope {
  /** Identifies the machine, or the container if it has a host name of its own. */
  readonly machine: string;
  /** For messages. */
  readonly hostname: string;
  /** The inode of the PID namespace, or null if there are none. */
  readonly space: string | null;
  /** True if /proc belongs to another PID namespace, and so is no evidence about process IDs of this one. */
  readonly isProcOfOther: boolean;
}

export interface Holder {
  readonly pid: string;
  /** Null if the lock does not name it. */
  readonly hostname: string | null;
  readonly isVisible: boolean;
}

/** The inode of the initial PID namespace on Linux; containers never have it. */
const firstSpace = "4026531836";

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock at `path`; returns null if another process holds it, or may hold it. Throws the system's error if the
 * path is not a readable file, such as a folder.
 */
export async function takeLock(path: string, processes: ProcessTable): Promise<Lock | null> {
  for (;;) {
    if (await createLockFile(path, processes)) return { release: () => unlink(path).catch(() => undefined) };
    const holder = await readHolder(path);
    // The lock was released in the meantime: retry.
    if (holder === null) continue;
    if ((await holderState(holder, processes)) !== "ended") return null;
    await removeStale(path, holder, processes);
  }
}

/**
 * True if a process holds the lock at `path`, or may hold it. An unreadable lock counts as held; a folder of that name
 * does not.
 */
export async function isLocked(path: string, processes: ProcessTable): Promise<boolean> {
  return (await readLockHolder(path, processes)) !== null;
}

/** The process that holds the lock at `path`, or may hold it; null if there is none. */
export async function readLockHolder(path: string, processes: ProcessTable): Promise<Holder | null> {
  try {
    const name = await readHolder(path);
    if (name === null) return null;
    const state = await holderState(name, processes);
    const { pid, hostname } = parseLockName(name);
    return state === "ended" ? null : { pid, hostname, isVisible: state === "running" };
  } catch {
    const isFile = await lstat(path).then(
      (found) => found.isFile(),
      () => true,
    );
    return isFile ? { pid: "unknown", hostname: null, isVisible: false } : null;
  }
}

/** Removes a lock whose holder's state is unknown; resolves with true if it did. */
export async function releaseForeign(path: string, processes: ProcessTable): Promise<boolean> {
  const name = await readHolder(path).catch(() => "");
  if (name === null || (name !== "" && (await holderState(name, processes)) !== "unknown")) return false;
  await unlink(path);
  return true;
}

/**
 * Calls `change` while holding the lock `PATH.lock`. Throws a usage failure if another process holds it for too long,
 * or if the system denies access. `what` names the content for the message.
 */
export async function withLock<T>(
  path: string,
  what: string,
  processes: ProcessTable,
  change: () => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(path, what, processes);
  try {
    return await change();
  } finally {
    await lock.release();
  }
}

const longestWaitMs = 5000;
const waitStepMs = 20;

async function waitForLock(path: string, what: string, processes: ProcessTable): Promise<Lock> {
  try {
    for (let waited = 0; waited < longestWaitMs; waited += waitStepMs) {
      const lock = await takeLock(`${path}.lock`, processes);
      if (lock !== null) return lock;
      await sleep(waitStepMs);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : usageFailure(`cannot write ${foreign(path)}: ${code}`);
  }
  throw usageFailure(`another grantctl process is changing ${what}`);
}

/**
 * The holder's name in the lock at `path`; null if there is no lock. Throws the system's error for an unreadable
 * one.
 */
async function readHolder(path: string): Promise<string | null> {
  try {
    return (await readPlainFile(path, 1024 * 1024)).toString();
  } catch (error) {
    const { code } = error as Unreadable;
    // A dangling link counts as a lock; otherwise the caller would wait for it forever.
    const isLink = async (): Promise<boolean> =>
      lstat(path).then(
        (found) => found.isSymbolicLink(),
        () => false,
      );
    if (code === "ENOENT" && !(await isLink())) return null;
    throw Object.assign(new Error(`the lock ${path} cannot be read`, { cause: error }), {
      code: code ?? "EINVAL",
    });
  }
}

/** Creates the lock file with the name of its holder; returns false if it exists. */
async function createLockFile(path: string, processes: ProcessTable): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    const { pid, bootId, scope } = processes;
    const words = [pid, (await processStartTime(pid, processes)) ?? "?", randomBytes(8).toString("hex")];
    if (scope !== null) words.push(scope.machine, bootId ?? "?", scope.space ?? "?", scope.hostname);
    await writeFile(draft, `${words.join(" ")}\n`, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/**
 * Removes a stale lock, or waits for the process that is removing it. Takes a second lock, named after the ended
 * holder, so that nobody else changes `path` between the check and the removal.
 */
async function removeStale(path: string, holder: string, processes: ProcessTable): Promise<void> {
  const turn = await takeLock(
    `${path}.${createHash("sha256").update(holder).digest("hex").slice(0, 16)}`,
    processes,
  );
  if (turn === null) return sleep(1);
  if ((await readHolder(path)) === holder) await unlink(path).catch(() => undefined);
  await turn.release();
}

function parseLockName(name: string) {
  const [pid = "", start = "?", , machine, boot = "?", space = "?", hostname = null] = name.trim().split(" ");
  return { pid, start, machine, boot, space, hostname };
}

/** The state of the process that a lock names; unknown if its process ID has no meaning here. */
async function holderState(name: string, processes: ProcessTable): Promise<"running" | "ended" | "unknown"> {
  const { pid, start, machine, boot, space } = parseLockName(name);
  const { scope, bootId } = processes;
  if (scope !== null && machine !== undefined) {
    if (machine !== scope.machine) return "unknown";
    const isOutsideContainers = space === firstSpace && scope.space === firstSpace;
    if (boot !== (bootId ?? "?")) return isOutsideContainers ? "ended" : "unknown";
    if (space !== (scope.space ?? "?")) return "unknown";
  }
  if (!/^\d+$/.test(pid) || !processes.isRunning(Number(pid))) return "ended";
  const running = await processStartTime(Number(pid), processes);
  return running === null || start === "?" || running === start ? "running" : "ended";
}

/**
 * The start time of a process in kernel ticks; "ended" for a zombie, whose parent has not waited for it; null if
 * unknown.
 */
async function processStartTime(pid: number, { scope }: ProcessTable): Promise<string | null> {
  if (scope?.isProcOfOther === true) return null;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The program name may contain spaces and parentheses; the fields follow the last one.
  if (stat === null) return null;
  const [state, ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? "ended" : (others[18] ?? null);
}

// A lock, so that only one process at a time changes a file. It is a file with its holder's name, created whole in one
// step; no two holders have the same name. The lock of a process that has ended is stale. Removing a stale lock needs a
// lock itself, because the second of two processes would otherwise remove the new lock of the first.
import { createHash, randomBytes } from "node:crypto";
import { link, lstat, readFile, unlink, writeFile } from "node:fs/promises";
import { readPlainFile, type Unreadable } from "./bounded-reads.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Identifies processes, even after a process id was reused. */
export interface ProcessTable {
  readonly pid: number;
  /** Whether a process with this id runs, whoever owns it. */
  isRunning(pid: number): boolean;
  /** Identifies this start of the machine; null where that cannot be known. */
  readonly bootId: string | null;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock at `path`; null while a running process holds it. Throws the system's error where the path is no
 * readable file, as for a folder.
 */
export async function takeLock(path: string, processes: ProcessTable): Promise<Lock | null> {
  for (;;) {
    if (await create(path, processes)) return { release: () => unlink(path).catch(() => undefined) };
    const holder = await readHolder(path);
    // The lock is gone by now: try again.
    if (holder === null) continue;
    if (await isAlive(holder, processes)) return null;
    await removeStale(path, holder, processes);
  }
}

/**
 * Whether a running process holds the lock at `path`. An unreadable lock counts as held, but not what stands in the place
 * of one, as a folder: a lock is a plain file.
 */
export async function isLocked(path: string, processes: ProcessTable): Promise<boolean> {
  try {
    const holder = await readHolder(path);
    return holder !== null && (await isAlive(holder, processes));
  } catch {
    return lstat(path).then(
      (found) => found.isFile(),
      () => true,
    );
  }
}

/**
 * The holder's name in the lock at `path`; null where there is no lock. Throws the system's error for an unreadable
 * one.
 */
async function readHolder(path: string): Promise<string | null> {
  try {
    return (await readPlainFile(path, 1024 * 1024)).toString();
  } catch (error) {
    const { code } = error as Unreadable;
    // A link without a target counts as a lock, too, and would otherwise be waited for without end.
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

/** Makes the lock's file with its holder's name in it; false where there is one. */
async function create(path: string, processes: ProcessTable): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    const name = `${processes.pid} ${(await startOf(processes.pid)) ?? "?"} ${randomBytes(8).toString("hex")}\n`;
    await writeFile(draft, name, { flag: "wx", mode: 0o600 });
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
 * Removes a stale lock, or waits for the process that is removing it. This takes a second lock, named for the holder
 * that is gone, so that nobody else changes `path` between the check and the removal.
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

async function isAlive(holder: string, processes: ProcessTable): Promise<boolean> {
  const [pid = "", start = "?"] = holder.trim().split(" ");
  if (!/^\d+$/.test(pid) || !processes.isRunning(Number(pid))) return false;
  const running = await startOf(Number(pid));
  return running === null || start === "?" || running === start;
}

/**
 * When a process started, in the kernel's ticks; "ended" for one that is only there because its parent, such as the
 * first process of a container, has not waited for it; null where that cannot be known.
 */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The name of the program may hold spaces and parentheses; the fields follow the last one.
  if (stat === null) return null;
  const [state, ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? "ended" : (others[18] ?? null);
}

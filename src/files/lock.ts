// One process at a time for one journal. The lock is a file that names its holder, made whole in one step; a holder
// that is gone holds nothing. Only one at a time may take such a stale lock away, or two could take two after another.
import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** Tells processes apart, also after a process id was given to another. */
export interface ProcessTable {
  /** This process's id. */
  readonly pid: number;
  /** Whether a process with this id runs. */
  isRunning(pid: number): boolean;
}

export interface Lock {
  release(): Promise<void>;
}

/** Takes the lock at `path`; null while another holder that lives has it. */
export async function takeLock(path: string, processes: ProcessTable): Promise<Lock | null> {
  for (;;) {
    if (await create(path, processes)) return { release: () => unlink(path).catch(() => undefined) };
    if (await isLocked(path, processes)) return null;
    await removeStale(path, processes);
  }
}

/** Whether a process that runs holds the lock at `path`. */
export async function isLocked(path: string, processes: ProcessTable): Promise<boolean> {
  const holder = await readFile(path, "utf8").catch(() => null);
  return holder !== null && (await isAlive(holder, processes));
}

/** Makes the lock's file with its holder's name in it; false where there is one. */
async function create(path: string, processes: ProcessTable): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(draft, `${processes.pid} ${(await startOf(processes.pid)) ?? "?"}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** Takes a stale lock away, or waits for whoever is doing so. */
async function removeStale(path: string, processes: ProcessTable): Promise<void> {
  const turn = `${path}.turn`;
  if (await create(turn, processes)) {
    if (!(await isLocked(path, processes))) await unlink(path).catch(() => undefined);
    await unlink(turn).catch(() => undefined);
  } else if (await isLocked(turn, processes)) await sleep(1);
  // Killed within the moment that the turn takes.
  else await unlink(turn).catch(() => undefined);
}

async function isAlive(holder: string, processes: ProcessTable): Promise<boolean> {
  const [pid = "", start = "?"] = holder.trim().split(" ");
  if (!/^\d+$/.test(pid) || !processes.isRunning(Number(pid))) return false;
  const running = await startOf(Number(pid));
  return running === null || start === "?" || running === start;
}

/** When a process started, in the kernel's ticks; null where that cannot be known. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The name of the program may hold spaces and parentheses; the fields follow the last one.
  return stat === null ? null : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null);
}

// One process at a time for one journal. The lock is a file that names its holder; a holder that is gone holds nothing.
import { randomBytes } from "node:crypto";
import { readFile, rename, unlink, writeFile } from "node:fs/promises";

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

/** Takes the lock at `path`; null while another process that runs holds it. */
export async function takeLock(path: string, processes: ProcessTable): Promise<Lock | null> {
  const mine = `${processes.pid} ${(await startOf(processes.pid)) ?? "?"} ${randomBytes(8).toString("hex")}\n`;
  for (;;) {
    try {
      await writeFile(path, mine, { flag: "wx", mode: 0o600 });
      return { release: () => unlink(path).catch(() => undefined) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readFile(path, "utf8").catch(() => null);
    if (holder === null) continue;
    if (await isHeld(holder, processes)) return null;
    // Two may find the same stale lock: only one renames it away, and only if it is still that one.
    const aside = `${path}.${randomBytes(6).toString("hex")}`;
    if (
      !(await rename(path, aside).then(
        () => true,
        () => false,
      ))
    )
      continue;
    const moved = await readFile(aside, "utf8").catch(() => "");
    if (moved !== holder) await rename(aside, path).catch(() => undefined);
    else await unlink(aside).catch(() => undefined);
  }
}

/** Whether a process that runs holds the lock at `path`. */
export async function isLocked(path: string, processes: ProcessTable): Promise<boolean> {
  const holder = await readFile(path, "utf8").catch(() => null);
  return holder !== null && (await isHeld(holder, processes));
}

async function isHeld(holder: string, processes: ProcessTable): Promise<boolean> {
  const [pid = "", start = "?"] = holder.trim().split(" ");
  // Half written: its process is at it just now, or was killed doing it; the next look tells.
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

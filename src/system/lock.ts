// Locks that the kernel holds on an open file, so that a process that ends in any way releases them, whatever PID or time
// namespace it ran in. A child that inherits the descriptor holds the lock as well, until the last of them has closed it.
//
//   Linux      flock(1) locks our own descriptor
//   BSD, Mac   O_EXLOCK of open(2)
//   Windows    a file that is opened exclusively
//
// A lock is tried, never waited for, except for the small files that every run may change (`withLock`).
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, open, unlink, type FileHandle } from "node:fs/promises";
import { platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { usageFailure } from "../errors/errors.ts";
import { systemFailure } from "../errors/words.ts";

/** O_EXLOCK | O_NONBLOCK of BSD, and UV_FS_O_EXLOCK of libuv, for which Node has no constants. */
const lockingFlags: Partial<Record<NodeJS.Platform, number>> = { win32: 0x10000000, linux: 0 };
const bsdFlags = 0x20 | 0x4;

/** Where flock(1) is; not looked up in PATH, whose folders others may be able to write to. */
const programs = ["/usr/bin/flock", "/bin/flock", "/usr/local/bin/flock", "/run/current-system/sw/bin/flock"];

/**
 * Opens a file with these flags and locks it until it is closed; null if another process holds it or has just deleted it.
 * Throws the system's error.
 */
export async function openLocked(path: string, flags: number): Promise<FileHandle | null> {
  const locking = lockingFlags[platform()] ?? bsdFlags;
  let handle: FileHandle;
  try {
    handle = await open(path, flags | locking | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (locking !== 0 && ["EAGAIN", "EWOULDBLOCK", "EBUSY", "EPERM"].includes(code)) return null;
    throw error;
  }
  try {
    // Its holder may have deleted it meanwhile.
    if ((locking !== 0 || (await lockOnLinux(handle))) && (await handle.stat()).nlink > 0) return handle;
    await handle.close();
    return null;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function lockOnLinux({ fd }: FileHandle): Promise<boolean> {
  const program = programs.find((each) => existsSync(each));
  if (program === undefined)
    throw usageFailure(
      "flock is not installed, so grantctl cannot lock its files",
      "Install util-linux or busybox.",
    );
  return new Promise((resolve, reject) => {
    const stdio = ["ignore", "ignore", "ignore", fd] as const;
    spawn(program, ["-x", "-n", "3"], { stdio: [...stdio], env: {}, detached: true })
      .on("error", reject)
      .on("exit", (code): void => resolve(code === 0));
  });
}

const longestLockWaitMs = 5000;
const waitStepMs = 50;

/**
 * Calls `change` while holding the lock of the file `PATH.lock`, which is then deleted. Throws a usage failure if another
 * process holds it for too long, or if the system denies access. `what` names the content for the message.
 */
export async function withLock<T>(path: string, what: string, change: () => Promise<T>): Promise<T> {
  const file = `${path}.lock`;
  for (let waited = 0; waited < longestLockWaitMs; waited += waitStepMs) {
    const lock = await openLocked(file, constants.O_RDWR | constants.O_CREAT).catch((error: unknown) => {
      throw systemFailure(error, `cannot write ${path}`);
    });
    if (lock === null) {
      await sleep(waitStepMs);
      continue;
    }
    try {
      return await change();
    } finally {
      await unlink(file).catch(() => undefined);
      await lock.close();
    }
  }
  throw usageFailure(`another grantctl process is changing ${what}`);
}

// Locks that the kernel holds on an open file, so that a process that ends in any way releases them, whatever PID or time
// namespace it ran in. A child that inherits the descriptor holds the lock as well, until the last of them has closed it.
//
//   Linux      flock(1) locks our own descriptor
//   BSD, Mac   O_EXLOCK of open(2)
//   Windows    a file that is opened exclusively
//   otherwise  a second file, PATH.lock, which a kill leaves behind; the message names it
//
// A lock is tried, never waited for, except for the small files that every run may change (`withLock`).
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, open, unlink, type FileHandle } from "node:fs/promises";
import { platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { usageFailure } from "../errors/errors.ts";

/** A file that this process has opened and locked. */
export interface LockedFile {
  readonly handle: FileHandle;
  /** Closes the file, which releases the lock unless a child has inherited it. */
  release(): Promise<void>;
}

/** O_EXLOCK | O_NONBLOCK of BSD, and UV_FS_O_EXLOCK of libuv, for which Node has no constants. */
const lockingFlags: Partial<Record<NodeJS.Platform, number>> = { win32: 0x10000000, linux: 0 };
const bsdFlags = 0x20 | 0x4;

/** Where flock(1) is; not looked up in PATH, whose folders others may be able to write to. */
const programs = ["/usr/bin/flock", "/bin/flock", "/usr/local/bin/flock", "/run/current-system/sw/bin/flock"];

/** Opens a file with these flags and locks it; null if another process holds it or has just deleted it. Throws the system's error. */
export async function openLocked(path: string, flags: number): Promise<LockedFile | null> {
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
    const locked =
      locking === 0 ? await lockOnLinux(handle, path) : { handle, release: () => handle.close() };
    if (locked === null) await handle.close();
    // Its holder has deleted it meanwhile.
    else if ((await handle.stat()).nlink === 0) {
      await locked.release();
      return null;
    }
    return locked;
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

async function lockOnLinux(handle: FileHandle, path: string): Promise<LockedFile | null> {
  const program = programs.find((each) => existsSync(each));
  if (program === undefined) return lockBesides(handle, path);
  const isLocked = await new Promise<boolean>((resolve, reject) => {
    const stdio = ["ignore", "ignore", "ignore", handle.fd] as const;
    spawn(program, ["-x", "-n", "3"], { stdio: [...stdio], env: {}, detached: true })
      .on("error", reject)
      .on("exit", (code) => {
        resolve(code === 0);
      });
  });
  return isLocked ? { handle, release: () => handle.close() } : null;
}

/** For a container without flock(1). */
async function lockBesides(handle: FileHandle, path: string): Promise<LockedFile> {
  const lock = `${path}.lock`;
  try {
    await (await open(lock, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw usageFailure(
      `${lock} exists: another grantctl process works on ${path}, or one was killed`,
      "If no grantctl process is running, delete that file. With flock (util-linux or busybox) installed, grantctl needs no such files.",
    );
  }
  return {
    handle,
    async release() {
      await handle.close();
      await unlink(lock).catch(() => undefined);
    },
  };
}

const longestWaitMs = 5000;
const waitStepMs = 50;

/**
 * Calls `change` while holding the lock of the file `PATH.lock`, which is then deleted. Throws a usage failure if another process
 * holds it for too long, or if the system denies access. `what` names the content for the message.
 */
export async function withLock<T>(path: string, what: string, change: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(path, what);
  try {
    return await change();
  } finally {
    await unlink(`${path}.lock`).catch(() => undefined);
    await lock.release();
  }
}

async function waitForLock(path: string, what: string): Promise<LockedFile> {
  try {
    for (let waited = 0; waited < longestWaitMs; waited += waitStepMs) {
      const lock = await openLocked(`${path}.lock`, constants.O_RDWR | constants.O_CREAT);
      if (lock !== null) return lock;
      await sleep(waitStepMs);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : usageFailure(`cannot write ${path}: ${code}`);
  }
  throw usageFailure(`another grantctl process is changing ${what}`);
}

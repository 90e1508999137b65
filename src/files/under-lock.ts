// The lock for a small file that every run may change: held for a moment, so another's is waited for.
import { setTimeout as sleep } from "node:timers/promises";
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { takeLock, type Lock, type ProcessTable } from "./lock.ts";

const longestWaitMs = 5000;
const waitStepMs = 20;

/**
 * Calls `change` while this run holds the lock of the file at `path`, which is beside it. Throws a usage failure where
 * another holds it for too long, naming `what` is being changed, and where the system refuses.
 */
export async function underLock<T>(
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
  throw usageFailure(`another grantctl is changing ${what}`);
}

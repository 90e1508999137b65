// The needs of a test beyond files and processes: that it may trace system calls, and whether it may
// mount a small disk. Otherwise the test is skipped with the reason.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import { program, runProgram, type Finished, type RunOptions } from "./binary.ts";
import { makeFolder } from "./state-folder.ts";

/**
 * Runs `grantctl` by strace with one thread for its files, because strace counts each thread's calls by themselves. Its start is
 * the kept one, with nothing to write down where it ran often enough before: so the calls are those of the run.
 */
export function runTraced(
  options: readonly string[],
  words: readonly string[],
  { environment = {}, ...more }: RunOptions,
): Promise<Finished> {
  return runProgram("strace", ["-f", "-qq", ...options, process.execPath, program, ...words], {
    environment: { ...environment, UV_THREADPOOL_SIZE: "1" },
    ...more,
  });
}

/** How often it runs until its start is kept: one run makes the folder, and another one fills it. */
export const runsUntilKept = 2;

/** Why system calls cannot be made to fail here; null when they can. */
export function whyNoTracing(): string | null {
  const { error, status } = spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "trace=none", "true"]);
  if (error !== undefined) return "strace is not installed";
  return status === 0 ? null : "tracing is not permitted";
}

/** Why no small disk can be mounted here; null when one can. */
export function whyNoSmallDisk(): string | null {
  if (process.getuid?.() !== 0) return "only root may mount a disk";
  const folder = execFileSync("mktemp", ["-d"]).toString().trim();
  try {
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
    if (status !== 0) return "mounting is not permitted";
    execFileSync("umount", [folder]);
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A folder on a disk of its own with so many kibibytes, gone with the running test. */
export function mountSmallDisk(kibibytes: number): string {
  const folder = makeFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "none", folder]);
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

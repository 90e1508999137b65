// Tools for tests that trace system calls or mount a small disk, and the reason to skip them if the machine does not
// permit it.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import { program, runProgram, type Finished, type RunOptions } from "./binary.ts";
import { makeFolder } from "./state-folder.ts";

/** Runs `grantctl` under strace with one thread for file operations, because strace counts calls per thread. */
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

/** The reason to skip tests that inject failures into system calls, or null. */
export function whyNoTracing(): string | null {
  const { error, status } = spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "trace=none", "true"]);
  if (error !== undefined) return "strace is not installed";
  return status === 0 ? null : "tracing is not permitted";
}

/** The reason to skip tests with a small disk, or null. */
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

/** A folder on a new disk of this size; it is unmounted after the test. */
export function mountSmallDisk(kibibytes: number): string {
  const folder = makeFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "none", folder]);
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

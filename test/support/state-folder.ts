// A temporary state folder for one test, and its contents.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A writable folder in memory, if there is one. */
const memory = "/dev/shm";
const hasMemory = ((): boolean => {
  try {
    accessSync(memory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();

/** An empty folder that is deleted after the test; `inMemory` for thousands of runs, for which a disk would be slow. */
export function makeFolder(inMemory = false): string {
  const folder = mkdtempSync(join(inMemory && hasMemory ? memory : tmpdir(), "grantctl-recovery-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** True if a process holds the lock of this file. */
export function isLocked(path: string): boolean {
  return spawnSync("sh", ["-c", `flock -n "$0" true`, path]).status === 1;
}

/** A line of a record, with its checksum. */
export function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${hash("sha256", json).slice(0, 16)} ${json}\n`;
}

export interface StateFolder {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Paths of the journals, oldest first. */
  journals(): readonly string[];
  /** Their IDs in `grantctl recover`. */
  ids(): readonly string[];
  /** The concatenated contents of all files. */
  content(): string;
}

/** A state folder that does not exist yet, and is deleted after the test. */
export function makeStateFolder(inMemory = false): StateFolder {
  const path = join(makeFolder(inMemory), "state");
  const names = (): string[] => {
    try {
      return readdirSync(path).toSorted();
    } catch {
      return [];
    }
  };
  const journalNames = (): string[] => names().filter((name) => name.endsWith(".journal"));
  return {
    path,
    environment: { GRANTCTL_STATE_DIR: path },
    journals: () => journalNames().map((name) => join(path, name)),
    ids: () => journalNames().map((name) => name.replace(/\.journal$/, "")),
    content: () =>
      names()
        .map((name) => readFileSync(join(path, name), "latin1"))
        .join("\n"),
  };
}

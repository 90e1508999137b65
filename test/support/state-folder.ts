// A folder of its own for what a test's runs leave behind, and questions about what stands in it.
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is kept in memory, if there is one to write to. */
const memory = "/dev/shm";
const hasMemory = ((): boolean => {
  try {
    accessSync(memory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();

/** An empty folder that goes with the running test; `inMemory` for thousands of runs, which would wait for a disk. */
export function makeFolder(inMemory = false): string {
  const folder = mkdtempSync(join(inMemory && hasMemory ? memory : tmpdir(), "grantctl-recovery-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface StateFolder {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Paths of the journals, oldest first. */
  journals(): readonly string[];
  /** The ids that `grantctl recover` knows them by. */
  ids(): readonly string[];
  /** Everything that stands in any file of it, as one text. */
  content(): string;
}

/** A state folder that goes with the running test; it does not exist yet. */
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

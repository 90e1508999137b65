// Global set-up of a test run: builds the program once, so that tests of the binary match the sources, and creates a
// temporary folder that is deleted at the end, so that a run does not depend on files of earlier runs or of other
// users.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The variables from which Node and other programs read the temporary directory. */
const variables = ["TMPDIR", "TEMP", "TMP"];

/** Called by vitest before the first test; returns the teardown. */
export function setup(): () => void {
  execFileSync(process.execPath, ["build.mjs"], { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  return ownTemporaryFolder();
}

/** Makes `tmpdir()` return a new folder, here and in child processes; returns a function that deletes it. */
function ownTemporaryFolder(): () => void {
  const before = variables.map((name) => [name, process.env[name]] as const);
  // A short name, because the path of a socket is limited to about a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), "grantctl-"));
  for (const name of variables) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    // A program that a test has killed may still be writing a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}

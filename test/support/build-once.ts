// The set-up before the first test of a run: the program, built once, so that the tests of the binary
// run what the sources say; and a temporary folder of its own, which is gone in the end, so that a run needs nothing
// that an earlier one left, or another user of the machine.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The variables that Node and other programs read for the temporary directory. */
const variables = ["TMPDIR", "TEMP", "TMP"];

/** Called by vitest before the first test; gives back what it calls after the last. */
export function setup(): () => void {
  // `npm test` has built it before the checks began, which look at it as well.
  if (process.env["npm_lifecycle_event"] !== "test")
    execFileSync(process.execPath, ["build.mjs"], { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  return ownTemporaryFolder();
}

/** Makes a folder what `tmpdir()` says, here and in every process that is started; gives back what takes it away. */
export function ownTemporaryFolder(): () => void {
  const before = variables.map((name) => [name, process.env[name]] as const);
  // A short name: the path of a socket has room for a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), "grantctl-"));
  for (const name of variables) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    // A program that a test ended may still be writing its last file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}

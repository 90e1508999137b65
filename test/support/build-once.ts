// Builds the program once for the whole run, so that the tests of the binary run what the sources say.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Called by vitest before the first test. */
export function setup(): void {
  execFileSync(process.execPath, ["build.mjs"], { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
}

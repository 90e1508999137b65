// The checks besides the tests: types, lint, format, unused code and the package. They run in parallel, because most of
// them use one processor; the output of each is printed when it ends. `node check.mjs PROGRAM [ARGUMENT…]` also runs a
// Node program, such as the tests: the checks then have a lower priority, and report their results after it.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The longest first. */
const scripts = ["lint", "typecheck", "unused", "publishable", "format:check"];
const folder = fileURLToPath(new URL(".", import.meta.url));
const [program, ...words] = process.argv.slice(2);

/** Runs the program with this process's streams. Resolves with true if it succeeds. */
function runBeside() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: "inherit" });
    child.on("close", (code) => resolve(code === 0));
  });
}

/** Runs a script of package.json, and prints its result once nothing else prints. Resolves with true if it succeeds. */
function check(script, silence) {
  return new Promise((resolve) => {
    // A shell finds npm on every system. The arguments are fixed, so quoting is not needed.
    const child = spawn(`npm run --silent ${script}`, {
      cwd: folder,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (program !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const pieces = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => pieces.push(piece));
    child.on("close", (code) => {
      void tell(code);
    });
    async function tell(code) {
      await silence;
      process.stdout.write(`== ${script}: ${code === 0 ? "fine" : `failed with ${code}`}\n`);
      process.stdout.write(Buffer.concat(pieces));
      resolve(code === 0);
    }
  });
}

const running = program === undefined ? Promise.resolve(true) : runBeside();
const ends = await Promise.all([running, ...scripts.map((script) => check(script, running))]);
process.exitCode = ends.every(Boolean) ? 0 : 1;

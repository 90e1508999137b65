// What is not a test and must hold: types, lint, format, unused code, the package. Side by side, because most of them
// use one processor; each one's words in one piece, when it has ended.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The longest first. */
const scripts = ["format:check", "lint", "typecheck", "unused", "publishable"];

/** Runs one of package.json's scripts; resolves with whether it ended well. */
function run(script) {
  return new Promise((resolve) => {
    // A shell finds npm on every system; the words are ours.
    const child = spawn(`npm run --silent ${script}`, {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const pieces = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => pieces.push(piece));
    child.on("close", (code) => {
      process.stdout.write(`== ${script}: ${code === 0 ? "fine" : `failed with ${code}`}\n`);
      process.stdout.write(Buffer.concat(pieces));
      resolve(code === 0);
    });
  });
}

const ends = await Promise.all(scripts.map(run));
process.exitCode = ends.every(Boolean) ? 0 : 1;

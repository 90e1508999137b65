// Runs tests of what differs between versions of Node (processes, terminals, files and HTTP) on another version, which it
// installs from the npm registry into a temporary folder: `node test/other-nodes.mjs VERSION [ARGUMENT…]`. The further
// arguments are vitest's.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folders = ["credentials", "http", "jobs", "scenarios", "system"];
const missing = folders.filter((name) => !existsSync(new URL(name, import.meta.url)));
if (missing.length > 0) throw new Error(`no such folder in test: ${missing.join(", ")}`);

function run(command, words, path = "") {
  const env = { ...process.env, PATH: `${path}${delimiter}${process.env["PATH"]}` };
  return spawnSync(command, words, { env, stdio: "inherit" }).status === 0;
}

const [version, ...more] = process.argv.slice(2);
const prefix = mkdtempSync(join(tmpdir(), "grantctl-node-"));
try {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const programs = join(prefix, "node_modules", name, "bin");
  const tests = folders.map((folder) => `test/${folder}/`);
  const passes =
    run("npm", ["install", "--silent", "--no-save", "--prefix", prefix, `${name}@${version}`]) &&
    run("node", ["node_modules/vitest/vitest.mjs", "run", ...tests, ...more], programs);
  process.exitCode = passes ? 0 : 1;
} finally {
  rmSync(prefix, { recursive: true, force: true });
}

// Runs `npm run test:node` on lines of Node that CI leaves out: each is fetched from the npm registry into a folder of its
// own, which is gone in the end. Ends with 1 where one of them fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

const lines = process.argv.length > 2 ? process.argv.slice(2) : ["22", "26"];
const platform = process.platform === "win32" ? "win" : process.platform;

function run(command, words, environment = process.env) {
  return spawnSync(command, words, { env: environment, stdio: "inherit" }).status === 0;
}

function passesOn(line) {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-node-"));
  try {
    const name = `node-${platform}-${process.arch}`;
    if (!run("npm", ["install", "--silent", "--no-save", "--prefix", folder, `${name}@${line}`]))
      return false;
    const programs = join(folder, "node_modules", name, "bin");
    const environment = { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` };
    delete environment["GRANTCTL_SOAK"];
    return (
      run("node", ["--version"], environment) && run("npm", ["run", "--silent", "test:node"], environment)
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const failed = lines.filter((line) => !passesOn(line));
for (const line of failed) process.stderr.write(`tests failed on Node ${line}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;

// Runs the tests of what differs between versions of Node: processes, terminals, files and HTTP. With `here` as the first
// argument, it uses this Node and passes the other arguments to vitest. Otherwise the arguments are release lines of Node: each
// is installed from the npm registry into a temporary directory. Exits with code 1 if any of them fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** The release lines that CI does not run. */
const usualLines = ["22", "26"];

/**
 * Tests that do not depend on the version of Node: other programs with documents, pages, packages and completion scripts; the
 * output of commands and examples; the parsing of text; and the order of a job's writes, which kills, power cuts and failing
 * disks test. Hostile connections are tested on each version.
 */
const same = `
  docs command-line audit packages third-party.test.ts layers.test.ts windows
  sandbox/browser.test.ts sandbox/durability.test.ts commands/api commands/audit commands/auth commands/jq.test.ts commands/schema
  commands/token
  http/link.test.ts http/pages.test.ts hostile/responses.test.ts hostile/addresses.test.ts hostile/lists.test.ts
  scenarios/examples.test.ts scenarios/incident.test.ts
  scenarios/any-other-address.test.ts scenarios/pick.test.ts scenarios/one-time-passwords.test.ts
  recovery/kills.test.ts recovery/kill-points.test.ts recovery/rotation-kills.test.ts recovery/cut-responses.test.ts
  recovery/rotation-power-cuts.test.ts recovery/rotation-disks.test.ts
  recovery/disk-errors.test.ts recovery/operators.test.ts recovery/announcements.test.ts recovery/resume.test.ts`
  .trim()
  .split(/\s+/)
  .map((name) => `--exclude=test/${name}`);
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...same];

const [first, ...more] = process.argv.slice(2);
const platform = process.platform === "win32" ? "win" : process.platform;

function run(command, words, environment) {
  return spawnSync(command, words, { env: environment, stdio: "inherit" }).status === 0;
}

function runTests(node, words, environment) {
  const chosen = { ...environment, GRANTCTL_SOAK: "", GRANTCTL_TESTS: "node" };
  return run(node, ["--version"], chosen) && run(node, [...vitest, ...words], chosen);
}

function passesOn(line) {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-node-"));
  try {
    const name = `node-${platform}-${process.arch}`;
    const install = ["install", "--silent", "--no-save", "--prefix", folder, `${name}@${line}`];
    if (!run("npm", install, process.env)) return false;
    const programs = join(folder, "node_modules", name, "bin");
    const path = `${programs}${delimiter}${process.env["PATH"] ?? ""}`;
    return runTests("node", [], { ...process.env, PATH: path });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (first === "here") process.exitCode = runTests(process.execPath, more, process.env) ? 0 : 1;
else {
  const failed = (first === undefined ? usualLines : [first, ...more]).filter((line) => !passesOn(line));
  for (const line of failed) process.stderr.write(`tests failed on Node ${line}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

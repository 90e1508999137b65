// Runs what differs between versions of Node: what starts processes, uses terminals, files or HTTP. `here` as the first word
// runs it on this Node, with the other words for vitest; else the words are lines of Node, each of which is fetched from the
// npm registry into a folder of its own, which is gone in the end. Ends with 1 where one of them fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** The lines that CI leaves out. */
const usualLines = ["22", "26"];

/**
 * The same on every Node: what other programs do with documents, pages, packages and completion scripts; what the commands
 * say, in examples as well; how our own code reads a text, a hostile or a cut one too, while connections that
 * are hostile are tried on each; and in which order a job writes, which kills, power cuts and failing disks try.
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

#!/usr/bin/env node
// Starts the program if Node is new enough. Prints the version by itself, because loading the program takes longer than
// that. Written so that an old Node can parse it, too.
const oldestNode = [20, 20];

function isNodeTooOld() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
}

function saysVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== "--version") return false;
  try {
    require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
    return true;
  } catch {
    // The program itself handles a standard output that cannot be written.
    return false;
  }
}

async function run() {
  const { createLoader, keptFolder, programFolder } = require("./load.js");
  const loader = createLoader(programFolder, keptFolder(process));
  const { main, createProcessHost } = loader.load("main.cjs");
  const host = createProcessHost();
  process.exitCode = await main(host);
  // A signal is the usual end of a sandbox, so its exit code is no failure here.
  const isAsMeant = process.exitCode === 0 || process.exitCode > 128;
  if (!isAsMeant) return;
  // V8 accepts compiled code only under the switches with which it was compiled.
  host.runtime.resetSwitches();
  loader.keep();
}

if (isNodeTooOld()) {
  process.stderr.write(
    `grantctl: grantctl needs Node ${oldestNode.join(".")} or later; this is ${process.versions.node}\nhint: https://nodejs.org has newer ones\n`,
  );
  process.exitCode = 2;
} else if (!saysVersion()) void run();

#!/usr/bin/env node
// Starts the program, on a Node that it can run on. Says its version without it, because loading it takes longer than
// saying that. What stands here, an old Node can read, too.
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
    // The program knows what to do about an output that does not take it.
    return false;
  }
}

async function run() {
  const { createLoader, keptFolder, programFolder } = require("./load.js");
  const loader = createLoader(programFolder, keptFolder(process));
  const { main, createProcessHost } = loader.load("main.cjs");
  const host = createProcessHost();
  process.exitCode = await main(host);
  // A sandbox is meant to run until a signal stops it.
  const isAsMeant = process.exitCode === 0 || process.exitCode > 128;
  if (!isAsMeant) return;
  // V8 takes what was compiled under the same switches alone.
  host.runtime.resetSwitches();
  loader.keep();
}

if (isNodeTooOld()) {
  process.stderr.write(
    `grantctl: grantctl needs Node ${oldestNode.join(".")} or later; this is ${process.versions.node}\nhint: https://nodejs.org has newer ones\n`,
  );
  process.exitCode = 2;
} else if (!saysVersion()) void run();

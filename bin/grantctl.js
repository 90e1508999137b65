#!/usr/bin/env node
// Starts the program if Node is new enough. Prints the version here, because loading the program takes longer than
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
  const { main, createProcessHost } = require("./load.js").load("main.cjs");
  process.exitCode = await main(createProcessHost());
}

if (isNodeTooOld()) {
  process.stderr.write(
    `grantctl: grantctl needs Node ${oldestNode.join(".")} or later; this is ${process.versions.node}\nhint: Download a newer version from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
} else if (!saysVersion()) void run();

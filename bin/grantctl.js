#!/usr/bin/env node
// Starts the program. Says its version without it, because loading it takes longer than saying that.
const nodeModule = require("node:module");

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
  if ("enableCompileCache" in nodeModule) require("./compile-cache.js");
  const { main, createProcessHost } = require("../dist/main.cjs");
  process.exitCode = await main(createProcessHost());
}

if (!saysVersion()) void run();

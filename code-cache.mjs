// Writes the code caches that bin/load.js reads: runs help and lists, in a sandbox, and stores what V8 compiled for them.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { load, modules, hasCache, cacheOf } = createRequire(import.meta.url)("./bin/load.js");
const { main, createProcessHost } = load("main.cjs");
const host = createProcessHost();
let loadedBefore = 0;
const tuneEngine = () => {
  loadedBefore = modules.size;
};
const list = ["authorization", "list", "--format"];
for (const argv of [["--help"], [...list, "json"], [...list, "table"]]) {
  const exitCode = await main({ ...host, argv, runtime: { ...host.runtime, tuneEngine } });
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} exits with code ${exitCode}`);
}
for (const [index, [name, { script }]] of [...modules].entries()) {
  // A cache is only for the flags with which V8 creates it: those at the moment when a run loads the file.
  if (index === loadedBefore) host.runtime.tuneEngine();
  const data = script.createCachedData();
  if (hasCache(name)) writeFileSync(cacheOf(name), Buffer.concat([data, data]));
}

// `npm run bench`: bundles the benchmark and the programs that it starts, because Node 20 does not run TypeScript, and
// runs it. Packages stay outside of the bundles, as they do for whoever writes a small script.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

const programs = ["bench", "service-double", "list-floor", "bulk-floor", "server-floor"];
const folder = join(import.meta.dirname, "../../node_modules/.cache/grantctl-bench");

await build({
  input: Object.fromEntries(programs.map((name) => [name, join(import.meta.dirname, `${name}.ts`)])),
  platform: "node",
  external: ["undici"],
  transform: { target: "node20" },
  output: { dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
  logLevel: "silent",
});

const { bench } = await import(pathToFileURL(join(folder, "bench.mjs")).href);
process.exitCode = await bench({
  words: process.argv.slice(2),
  root: join(import.meta.dirname, "../.."),
  programs: folder,
});

// `npm run bench`: bundles the benchmark and the programs that it starts, because Node 20 does not run TypeScript, and
// runs it. Packages stay outside of the bundles, as they do for whoever writes a small script.
import { build } from "esbuild";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const programs = ["bench", "service-double", "list-floor", "bulk-floor"];
const outdir = join(import.meta.dirname, "../../node_modules/.cache/grantctl-bench");

await build({
  entryPoints: programs.map((name) => join(import.meta.dirname, `${name}.ts`)),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20",
  loader: { ".json": "json" },
});

const { bench } = await import(pathToFileURL(join(outdir, "bench.mjs")).href);
process.exitCode = await bench({
  words: process.argv.slice(2),
  root: join(import.meta.dirname, "../.."),
  programs: outdir,
});

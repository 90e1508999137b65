// Bundles src into dist: the program, and the keychain helper, which runs in a process of its own. A dynamic import in src
// starts a chunk. Packages are bundled, but for jq (WebAssembly) and keytar (native). Also writes the notices of the
// packages in the bundle.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { noticesOf } from "./third-party.mjs";

const root = import.meta.dirname;
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** HTTP/2, which neither the sandbox's server nor undici here speaks, takes Node as long to load as the rest of either. */
const withoutHttp2 = {
  name: "without-http2",
  resolveId: (id) => (id === "node:http2" ? "without-http2" : null),
  load: (id) =>
    id === "without-http2" ? "export class Http2ServerRequest {}\nexport const constants = {};" : null,
};

/** Commander starts subcommands that are programs of their own; grantctl has none. */
const withoutChildProcess = {
  name: "without-child-process",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("/commander/") ? "without-child-process" : null,
  load: (id) => (id === "without-child-process" ? "export {};" : null),
};

/** The parts of undici that connect: all of it, with fetch, caches and mocks, takes 50 ms longer to load. */
const undiciParts = {
  name: "undici-parts",
  resolveId: (id) => (id === "undici" ? "undici-parts" : null),
  load: (id) =>
    id === "undici-parts"
      ? [
          'import Dispatcher from "undici/lib/dispatcher/dispatcher.js";',
          'import connect from "undici/lib/api/api-connect.js";',
          'export { default as Agent } from "undici/lib/dispatcher/agent.js";',
          'export { default as Pool } from "undici/lib/dispatcher/pool.js";',
          'export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";',
          'export { default as buildConnector } from "undici/lib/core/connect.js";',
          "Dispatcher.prototype.connect = connect;",
        ].join("\n")
      : null,
};

const { output } = await build({
  cwd: root,
  write: false,
  platform: "node",
  input: { main: "src/main.ts", "keychain-helper": "src/credentials/keychain-helper.ts" },
  external: ["jq-wasm", "keytar"],
  plugins: [withoutHttp2, withoutChildProcess, undiciParts],
  transform: { target: "node20", define: { GRANTCTL_VERSION: JSON.stringify(version) } },
  output: {
    // Node starts CommonJS faster than ES modules, for which it loads a second module loader.
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    // One file for what every start loads; not the helper, which is a program.
    codeSplitting: {
      groups: [{ name: "start", tags: ["$initial"], test: (id) => !id.endsWith("keychain-helper.ts") }],
    },
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  },
});

/** Replaces a file as a whole, and only if it changed, because a program that runs at this moment may be reading it. */
function put(file, text) {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

mkdirSync(dist, { recursive: true });
for (const { fileName, code } of output) put(join(dist, fileName), code);
const made = output.map(({ fileName }) => fileName);
for (const name of readdirSync(dist))
  if (name.endsWith(".cjs") && !made.includes(name)) rmSync(join(dist, name));
put(join(root, "THIRD-PARTY-NOTICES.txt"), noticesOf(output.flatMap(({ moduleIds }) => moduleIds)));

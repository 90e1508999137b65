// Bundles src into dist: the program, and the keychain helper, which runs in a process of its own. A dynamic import in src
// starts a chunk. Packages are bundled, but for jq (WebAssembly) and keytar (native). Also writes the notices of the
// packages in the bundle.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { noticesOf } from "./third-party.mjs";

const root = import.meta.dirname;
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * Substitutes for modules that take long to load: the module, the packages that import it, and its substitute. Nothing here
 * speaks HTTP/2, starts programs of Commander's subcommands, sends bodies of fetch or uses SOCKS proxies. Of undici, only
 * the parts that connect are needed. It is decided here, not by chalk, whether there are colours, and cli-table3 draws none.
 * The width of ASCII text is its length.
 */
const substitutes = [
  ["node:http2", "", "export class Http2ServerRequest {}\nexport const constants = {};"],
  ["node:child_process", "/commander/", "export {};"],
  ["node:http", "/undici/", "export class IncomingMessage {}\nexport const maxHeaderSize = 16384;"],
  ["#supports-color", "/chalk/", "export default { stdout: false };"],
  ["@colors/colors/safe", "/cli-table3/", "export {};"],
  ["./client-h2.js", "/undici/", "export {};"],
  ["./socks5-proxy-agent", "/undici/", "export {};"],
  ["../web/fetch/body.js", "/undici/", "export {};"],
  [
    "undici",
    "",
    `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
    import connect from "undici/lib/api/api-connect.js";
    export { default as Agent } from "undici/lib/dispatcher/agent.js";
    export { default as Pool } from "undici/lib/dispatcher/pool.js";
    export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";
    export { default as buildConnector } from "undici/lib/core/connect.js";
    Dispatcher.prototype.connect = connect;`,
  ],
  [
    "string-width",
    "",
    `const widthOf = require("string-width/index.js");
    module.exports = (text) => (/^[\\x20-\\x7e…]*$/.test(text) ? text.length : widthOf(text));`,
  ],
];

const substitute = {
  name: "substitute",
  resolveId(id, importer) {
    const index = substitutes.findIndex(([name, where]) => name === id && importer?.includes(where));
    return index < 0 ? null : `substitute:${index}`;
  },
  load: (id) => (id.startsWith("substitute:") ? substitutes[Number(id.slice(11))][2] : null),
};

/** The names that src imports from a module. */
function namesFrom(module) {
  const imports = new RegExp(`^import \\{([^}]*)\\} from "${module}"`, "gm");
  const files = readdirSync(join(root, "src"), { recursive: true }).filter((name) => name.endsWith(".ts"));
  const text = files.map((name) => readFileSync(join(root, "src", name), "utf8")).join("");
  const names = [...text.matchAll(imports)].flatMap(([, list]) => list.split(",").map((name) => name.trim()));
  return [...new Set(names)].filter((name) => name !== "" && !name.startsWith("type "));
}

/**
 * Parts of Node that take long to load, and that few commands need: src loads them on first use. Only with the names that
 * src uses, because Node's versions have different ones: chunks would have other file names, and a build would delete those
 * of a program that runs.
 */
const lazy = {
  name: "lazy",
  resolveId: (id, importer) =>
    ["node:crypto", "node:fs/promises", "node:tty"].includes(id) && importer?.startsWith(join(root, "src"))
      ? `lazy:${id}`
      : null,
  load(id) {
    if (!id.startsWith("lazy:")) return null;
    const name = id.slice(5);
    return `let loaded;
    for (const name of ${JSON.stringify(namesFrom(name))})
      Object.defineProperty(exports, name, { get: () => (loaded ??= require("${name}"))[name], enumerable: true });`;
  },
};

const { output } = await build({
  cwd: root,
  write: false,
  platform: "node",
  input: { main: "src/main.ts", "keychain-helper": "src/credentials/keychain-helper.ts" },
  external: ["jq-wasm", "keytar"],
  plugins: [substitute, lazy],
  transform: { target: "node20", define: { GRANTCTL_VERSION: JSON.stringify(version) } },
  output: {
    // Node starts CommonJS faster than ES modules, for which it loads a second module loader.
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    // One file for what every start loads, not the helper, which is a program; and one for what most commands load.
    codeSplitting: {
      groups: [
        { name: "start", priority: 1, tags: ["$initial"], test: (id) => !id.endsWith("keychain-helper.ts") },
        { name: "run", test: /src.(run.run-command|lists.resources|lists.list-options)\.ts$/ },
      ],
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
for (const name of readdirSync(dist)) if (name.endsWith(".cache")) rmSync(join(dist, name), { force: true });
for (const { fileName, code } of output) put(join(dist, fileName), code);
const made = output.map(({ fileName }) => fileName);
for (const name of readdirSync(dist))
  if (name.endsWith(".cjs") && !made.includes(name)) rmSync(join(dist, name), { force: true });
put(join(root, "THIRD-PARTY-NOTICES.txt"), noticesOf(output.flatMap(({ moduleIds }) => moduleIds)));

// Without the developer's profiles and V8's flags. A build that cannot write the caches is complete without them.
const program = [join(root, "bin/grantctl.js"), "sandbox", "run", "--"];
spawnSync(process.execPath, [...program, process.execPath, join(root, "code-cache.mjs")], {
  env: { ...process.env, NODE_OPTIONS: "", GRANTCTL_CONFIG_DIR: dist, GRANTCTL_STATE_DIR: dist },
  stdio: "ignore",
  timeout: 60_000,
});

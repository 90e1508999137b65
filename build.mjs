// Bundles src into dist: two programs, and chunks for what is loaded together. A start reads few files and compiles
// little, so the chunks are named here in the order that a run comes to need them: each holds what its roots import and
// no earlier chunk holds. What has not changed is not written again, so that who runs the program meanwhile, another
// suite say, finds it whole. Says whose code is in them. libsql and keytar stay outside because they are native, jq because it is WebAssembly.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as llhttp from "undici/lib/llhttp/constants.js";
import { build } from "rolldown";
import { createLoader } from "./bin/load.js";
import { writeWhole } from "./write-whole.mjs";
import { writeThirdParty } from "./third-party.mjs";

const manifest = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const { version } = manifest;

/** Names of chunks, and the files that they begin with. */
const chunks = [
  ["parser", /src\/(?:main|command-line\/examples)\.ts$/],
  [
    "run",
    /src\/(?:run\/run-command|commands\/(?:grant|authorization)\/list|lists\/(?:paging|list)-options|shapes\/\w+-fields)\.ts$/,
  ],
  ["connection", /src\/(?:http\/(?:connect|transport)|api\/(?:grants|authorizations|tokens))\.ts$/],
  ["journals", /src\/(?:journal\/journals|bulk\/job|bulk\/report-outcomes|delivery\/keep-value)\.ts$/],
  ["drawing", /src\/output\/display-width\.ts$|\/node_modules\/chalk\//],
  ["labels", /src\/output\/labelled-lines\.ts$/],
  ["table", /src\/output\/table\.ts$/],
  ["prompts", /src\/prompt\/terminal-prompter\.ts$/],
];

/** As much of Node's own as undici uses; that one takes a while to load. */
const assert = `
module.exports = (value, message = "a promise that undici makes to itself is broken") => {
  if (!value) throw message instanceof Error ? message : new Error(message);
};
`;

const parser = 'module.exports = require("undici/lib/llhttp/llhttp-wasm.js");';

/** What undici reads of its parser's tables, which take longer to make than a connection. */
const { ERROR, TYPE } = llhttp;
const parserConstants = `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;

/**
 * What a package asks for and no run of ours uses, and what it finds instead; loading it would take longer than the
 * rest. commander starts programs for commands that are files. undici speaks HTTP/2 where it is allowed to, takes forms
 * and another client's messages for bodies, and knows Node's limit for headers, which is always given to it. Its parser comes
 * twice, and the one without vector instructions runs everywhere: it stands for both. Its tree of header names finds
 * their lower case a little faster than the usual way, but takes longer to build than a list of pages gains by it.
 */
const unused = [
  { package: "commander", module: "node:child_process", code: "module.exports = {};" },
  { package: "undici", module: "./client-h2.js", code: "module.exports = null;" },
  { package: "undici", module: "../web/fetch/body.js", code: "module.exports = {};" },
  { package: "undici", module: "../llhttp/llhttp_simd-wasm.js", code: parser },
  { package: "undici", module: "./tree", code: "module.exports = { tree: { lookup: () => null } };" },
  { package: "undici", module: "../llhttp/constants.js", code: parserConstants },
  { package: "undici", module: "node:assert", code: assert },
  { package: "undici", module: "node:http", code: "module.exports = { IncomingMessage: class {} };" },
];

const leaveOutUnused = {
  name: "leave-out-unused",
  resolveId: {
    filter: { id: /^(?:node:|\.\.?\/)/ },
    handler(id, importer = "") {
      const at = unused.findIndex(
        (entry) => entry.module === id && importer.includes(`/node_modules/${entry.package}/`),
      );
      return at === -1 ? null : `\0unused:${at}`;
    },
  },
  load: {
    filter: { id: /^\0unused:/ },
    handler: (id) => unused[Number(id.slice("\0unused:".length))].code,
  },
};

/**
 * Packages that are CommonJS stand in functions of their own. V8 compiles a function that stands in brackets at once, and
 * one without only in part and then once more, when it is called; Node 20 does so for no arrow function.
 */
const compileAtOnce = {
  name: "compile-at-once",
  renderChunk: (code) =>
    code.replaceAll(
      /(var require_[\w$]+ = \/\* @__PURE__ \*\/ [\w$.]+\(\()\((exports(?:, module)?)\) => \{/g,
      "$1function ($2) {",
    ),
};

/**
 * V8 forgets of code that it compiled in an earlier run who answers its `import()`. So Node's own modules are loaded as
 * the chunks are, and jq, which has no other form, by the loader (bin/load.js), which Node itself has loaded.
 */
const importNothing = {
  name: "import-nothing",
  renderChunk: (code) =>
    code
      .replaceAll(/\bimport\(([`"'])(node:[\w/]+)\1\)/g, 'Promise.resolve().then(() => require("$2"))')
      .replaceAll(/\bimport\(([`"'])(jq-wasm)\1\)/g, 'importModule("$2")'),
};

/** What Node hands to every module of this kind, and what takes the place of `import()`. */
const head = "(function (exports, require, module, __filename, __dirname, importModule) { ";

/**
 * A chunk as the loader (bin/load.js) takes it: a function, so that the text need not be copied into one, and without a
 * character beyond ASCII, of which a single one makes V8 take two bytes for each of the others.
 */
function chunkOf(code) {
  if (/\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/.test(code))
    throw new Error("a character beyond ASCII stands where its escape means something else");
  return `${head}${code.replaceAll(/[\u0080-\uffff]/g, escapeUnit)}\n})`;
}

function escapeUnit(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const options = {
  cwd: import.meta.dirname,
  write: false,
  platform: "node",
  external: ["libsql", "keytar", "jq-wasm"],
  plugins: [leaveOutUnused, compileAtOnce, importNothing],
  // Its other build is one that a bundler cannot see through.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: { target: "node20", define: { GRANTCTL_VERSION: JSON.stringify(version) } },
};

const outputOptions = {
  // Node reads modules of this kind at once, and loads less of itself for them.
  format: "cjs",
  // A chunk whose compiled code was kept (bin/load.js) cannot import on Node 20, which forgets who asked.
  dynamicImportInCjs: false,
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  comments: { legal: true, annotation: false, jsdoc: false },
};

const program = await build({
  ...options,
  input: { main: "src/main.ts" },
  output: {
    ...outputOptions,
    codeSplitting: {
      groups: chunks.map(([name, test], index) => ({ name, test, priority: chunks.length - index })),
    },
  },
});

// A process of its own, that Node starts without the loader.
const helper = await build({
  ...options,
  input: { "keychain-helper": "src/credentials/keychain-helper.ts" },
  output: outputOptions,
});

const folder = join(import.meta.dirname, "dist");
const output = [
  ...program.output.map((chunk) => ({ ...chunk, code: chunkOf(chunk.code) })),
  ...helper.output,
];
for (const { fileName, code } of output) writeWhole(join(folder, fileName), code);
const { listPages } = createLoader(folder, null).load("main.cjs");
const pages = await listPages();
writeWhole(join(folder, "pages.jsonl"), pages.map((page) => `${JSON.stringify(page)}\n`).join(""));
const made = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(folder)) {
  if (name.endsWith(".cjs") && !made.has(name)) rmSync(join(folder, name));
}

const bundled = output.flatMap(({ moduleIds }) => moduleIds);
writeThirdParty(import.meta.dirname, manifest, bundled);

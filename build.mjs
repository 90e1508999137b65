// Bundles src into dist: two programs, and chunks for code that is loaded together, so that a start reads few files and
// compiles little. The chunks are listed in the order in which a run needs them: each contains what its roots import and
// no earlier chunk contains. Unchanged files are not rewritten, so that a run of the program at the same time, for example by
// another suite, finds them complete. Also writes the notices of the bundled packages. libsql and keytar are not bundled
// because they are native, jq because it is WebAssembly.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as llhttp from "undici/lib/llhttp/constants.js";
import { build } from "rolldown";
import { writeWhole } from "./write-whole.mjs";
import { writeThirdParty } from "./third-party.mjs";

const manifest = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const { version } = manifest;

/** Names of chunks, and their root files. */
const chunks = {
  parser: ["src/main.ts", "src/command-line/help-sections.ts", "src/jobs/job-options.ts"],
  lists: ["src/commands/grant/list.ts", "src/commands/authorization/list.ts", "src/printing/tokens.ts"],
  run: ["src/run/run-command.ts"],
  connection: [
    "src/http/connect.ts",
    "src/http/transport.ts",
    "src/api/grants.ts",
    "src/api/authorizations.ts",
    "src/api/tokens.ts",
  ],
  journals: ["src/journal/journals.ts", "src/jobs/job.ts", "src/jobs/report.ts", "src/delivery/new-value.ts"],
  drawing: ["src/drawing/text-width.ts", "node_modules/chalk/source/index.js"],
  labels: ["src/drawing/labelled.ts"],
  table: ["src/drawing/table.ts"],
  prompts: ["src/prompt/terminal-prompter.ts"],
};

for (const file of Object.values(chunks).flat())
  if (!existsSync(join(import.meta.dirname, file)))
    throw new Error(`the table of chunks names ${file}, which does not exist`);

const parser = 'module.exports = require("undici/lib/llhttp/llhttp-wasm.js");';

/** The parts of its parser's tables that undici reads. Building the tables takes longer than a connection. */
const { ERROR, TYPE } = llhttp;
const parserConstants = `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;

/**
 * Modules that a package loads and grantctl never uses, with their replacements, because loading them takes long.
 * commander can start programs for commands. undici supports HTTP/2, forms and other clients' messages as bodies, and reads
 * Node's limit for headers, which grantctl always sets. It has two parsers; the one without vector instructions runs everywhere,
 * so it replaces both.
 */
const unused = [
  { package: "commander", module: "node:child_process", code: "module.exports = {};" },
  { package: "undici", module: "./client-h2.js", code: "module.exports = null;" },
  { package: "undici", module: "../web/fetch/body.js", code: "module.exports = {};" },
  { package: "undici", module: "../llhttp/llhttp_simd-wasm.js", code: parser },
  { package: "undici", module: "../llhttp/constants.js", code: parserConstants },
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
 * Node's own modules are loaded with `require`, because the first `import()` of a process loads a second module loader.
 */
const requireBuiltins = {
  name: "require-builtins",
  renderChunk: (code) =>
    code.replaceAll(/\bimport\(([`"'])(node:[\w/]+)\1\)/g, 'Promise.resolve().then(() => require("$2"))'),
};

/**
 * Loads a chunk or a module of Node when it is first used, not when the chunk that imports it is loaded: a command's help
 * needs its flags, not the code that runs it. No module of src has side effects when it is loaded. Names that are used other
 * than as `name.member` are loaded immediately, and so are those whose classes are constructed, because the minifier drops the
 * parentheses of `new (f()).Class()`.
 */
const loadOnFirstUse = {
  name: "load-on-first-use",
  renderChunk(code) {
    const imports = /^(?:const|let) ((?:require|node)_\w+) = (require\("(?:\.\/|node:)[^"]+"\));$/gm;
    let text = code;
    for (const [statement, name, load] of code.matchAll(imports)) {
      const otherUse = new RegExp(`\\bnew ${name}\\b(?!\\.\\w+\\(\\))|\\b${name}\\b(?!\\.| = require\\()`);
      if (otherUse.test(code)) continue;
      text = text
        .replaceAll(new RegExp(`\\bnew (${name}\\.\\w+)\\(\\)`, "g"), "Reflect.construct($1, [])")
        .replace(statement, `let ${name}_loaded; const ${name}_now = () => (${name}_loaded ??= ${load});`)
        .replaceAll(new RegExp(`\\b${name}\\.`, "g"), `${name}_now().`);
    }
    return text;
  },
};

/**
 * Wraps CommonJS packages in parenthesised functions, which V8 compiles immediately. It scans any other function first, and
 * compiles it when it is called; Node 20 does so for every arrow function.
 */
const compileAtOnce = {
  name: "compile-at-once",
  renderChunk: (code) =>
    code.replaceAll(
      /(var require_[\w$]+ = \/\* @__PURE__ \*\/ [\w$.]+\(\()\((exports(?:, module)?)\) => \{/g,
      "$1function ($2) {",
    ),
};

const options = {
  cwd: import.meta.dirname,
  write: false,
  platform: "node",
  external: ["libsql", "keytar", "jq-wasm"],
  plugins: [leaveOutUnused, compileAtOnce, loadOnFirstUse, requireBuiltins],
  // A bundler cannot analyze its other build.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: { target: "node20", define: { GRANTCTL_VERSION: JSON.stringify(version) } },
};

const outputOptions = {
  // Node starts faster with CommonJS than with ES modules, for which it loads a second module loader.
  format: "cjs",
  dynamicImportInCjs: true,
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
      groups: Object.entries(chunks).map(([name, files], index, all) => ({
        name,
        test: (id) => files.some((file) => id === join(import.meta.dirname, file)),
        priority: all.length - index,
      })),
    },
  },
});

// A separate program, because it runs in a separate process.
const helper = await build({
  ...options,
  input: { "keychain-helper": "src/credentials/keychain-helper.ts" },
  output: outputOptions,
});

const folder = join(import.meta.dirname, "dist");
const output = [...program.output, ...helper.output];
for (const { fileName, code } of output) writeWhole(join(folder, fileName), code);
const made = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(folder)) {
  if (name.endsWith(".cjs") && !made.has(name)) rmSync(join(folder, name));
}

const bundled = output.flatMap(({ moduleIds }) => moduleIds);
writeThirdParty(import.meta.dirname, manifest, bundled);

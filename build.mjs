// Bundles src into dist: two programs, and one chunk for each thing that is loaded on first use.
// libsql and keytar stay outside because they are native, jq because it is WebAssembly; everything else is inlined, so that a start reads few files.
import { build } from "esbuild";
import { readFileSync, rmSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

rmSync(new URL("dist", import.meta.url), { recursive: true, force: true });

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { main: "src/main.ts", "keychain-helper": "src/credentials/keychain-helper.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql", "keytar", "jq-wasm"],
  // Its other build is one that a bundler cannot see through.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  chunkNames: "chunks/[name]-[hash]",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "linked",
  define: { GRANTCTL_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require for Node's own modules.
  banner: {
    js: 'import { createRequire as createRequireOfNode } from "node:module"; const require = createRequireOfNode(import.meta.url);',
  },
});

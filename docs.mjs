// Generates docs/man, docs/reference, the table of commands in README.md and the list of manual pages in package.json from the
// command table. The generator, docs/generate, is written in TypeScript and bundled here, because the package does not contain it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

const root = import.meta.dirname;
// In node_modules, so that packages that are not bundled are found.
const folder = mkdtempSync(join(root, "node_modules", ".docs-"));
try {
  await build({
    cwd: root,
    input: "docs/generate/files.ts",
    platform: "node",
    external: (id) => /^[^./]/.test(id),
    transform: { target: "node20", define: { GRANTCTL_VERSION: '"0"' } },
    output: { dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
  });
  const { generateFiles, manualsIn, withCommandTable } = await import(
    pathToFileURL(join(folder, "files.mjs")).href
  );
  for (const name of ["man", "reference"]) rmSync(join(root, "docs", name), { recursive: true, force: true });
  const files = await generateFiles();
  for (const [path, text] of files) {
    const file = join(root, "docs", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const readme = join(root, "README.md");
  writeFileSync(readme, await withCommandTable(readFileSync(readme, "utf8")));
  const manifest = join(root, "package.json");
  const description = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, `${JSON.stringify({ ...description, man: manualsIn(files) }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

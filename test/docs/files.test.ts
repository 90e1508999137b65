// docs/man, docs/reference and the list of manual pages in package.json match the command table.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { drawPicture } from "../bench/picture.ts";
import type { Measured } from "../bench/measure.ts";
import { generateFiles, manualsIn, withCommandTable } from "../../docs/generate/files.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const files = await generateFiles();
const remedy = "run `npm run docs` and commit what it writes";

test("the generated files are up to date", () => {
  const written = ["man", "reference"].flatMap((folder) =>
    readdirSync(docs + folder).map((name) => `${folder}/${name}`),
  );
  expect({ remedy, files: written.toSorted() }).toEqual({ remedy, files: [...files.keys()].toSorted() });
  const stale = [...files].filter(([path, text]) => readFileSync(docs + path, "utf8") !== text);
  expect({ remedy, stale: stale.map(([path]) => path) }).toEqual({ remedy, stale: [] });
});

test("README.md lists every command with its summary", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect({ remedy, readme }).toEqual({ remedy, readme: await withCommandTable(readme) });
});

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the first commands of README.md print the output below them", () => {
  const [, shown = ""] = /^```text\n(.*?)^```$/ms.exec(read("README.md")) ?? [];
  const recorded = read("test/transcripts/readme.txt").replaceAll(/^(?:\| |= 0\n)/gm, "");
  expect(shown.split("\n").length).toBeGreaterThan(3);
  expect(recorded).toContain(shown);
});

test("package.json lists every manual page, so that installing grantctl installs them", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { man } = JSON.parse(manifest) as { man: readonly string[] };
  expect({ remedy, man }).toEqual({ remedy, man: manualsIn(files) });
});

test("links between pages resolve", () => {
  for (const [path, text] of files) {
    for (const [, target = ""] of text.matchAll(/\]\(([a-z-]+\.md)/g)) {
      expect([path, [...files.keys()]]).toEqual([path, expect.arrayContaining([`reference/${target}`])]);
    }
  }
});

test("CONTRIBUTING.md and docs/development.md name only existing files, and every module", () => {
  const pages = read("CONTRIBUTING.md") + read("docs/development.md");
  const named = [...pages.matchAll(/`((?:src|test|bin|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const missing = named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)));
  // CONTRIBUTING describes how to add these, so they need not exist yet.
  const toAdd = ["src/commands/grant/count.ts", "test/commands/grant/count.test.ts"];
  expect(missing.filter((path) => !toAdd.includes(path))).toEqual([]);
  const modules = readdirSync(new URL("../../src", import.meta.url)).filter((name) => !name.includes("."));
  expect(modules.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});

test("docs/performance.svg shows the figures of docs/performance.json", () => {
  const { results } = JSON.parse(read("docs/performance.json")) as Measured;
  expect(read("docs/performance.svg") === drawPicture(results)).toBe(true);
});

const hasGroff = spawnSync("groff", ["--version"]).status === 0;

test.skipIf(!hasGroff)("groff reports no warnings, and prints flags as they are typed", () => {
  const pages = manualsIn(files).map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url)));
  const drawn = spawnSync("groff", ["-man", "-Tutf8", "-P-cbou", "-ww", ...pages], { encoding: "utf8" });
  expect([drawn.status, drawn.stderr]).toEqual([0, ""]);
  expect(drawn.stdout).toContain("--client-secret-stdin");
  expect(drawn.stdout).toContain("grantctl api /user/issues --paginate --jq '.[].title'");
});

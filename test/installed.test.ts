// The tarball that `npm pack` makes: installed, it runs, with a code cache for the Node of the build; and an old Node is
// refused before the program is loaded.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { program, runProgram } from "./support/binary.ts";
import { inFull } from "./support/soak.ts";
import { makeFolder } from "./support/state-folder.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function npm(...words: readonly string[]): string {
  return execFileSync("npm", [...words, "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

test("the tarball has the program and its notices, and neither sources nor tests", () => {
  const [{ files } = { files: [] }] = JSON.parse(npm("pack", "--dry-run", "--json")) as readonly {
    files: readonly { path: string }[];
  }[];
  const paths = files.map(({ path }) => path);
  const needed = "bin/grantctl.js dist/main.cjs dist/keychain-helper.cjs LICENSE THIRD-PARTY-NOTICES.txt";
  expect(paths).toEqual(expect.arrayContaining(needed.split(" ")));
  expect(paths.filter((path) => /^(?:src|test|node_modules)\/|\.map$/.test(path))).toEqual([]);
});

// In a soak, because it downloads packages.
test.runIf(inFull(false, true))("the tarball is installed and runs", { tags: "soak" }, async () => {
  const folder = makeFolder();
  const tarball = join(folder, npm("pack", "--silent", "--pack-destination", folder).trim());
  npm("install", "--silent", "--no-audit", "--no-fund", "--global", "--prefix", folder, tarball);
  const grantctl = join(folder, "bin/grantctl");
  const listed = ["sandbox", "run", "--", grantctl, "grant", "list", "--limit", "2", "--jq", ".[].id"];
  expect(await runProgram(grantctl, listed)).toMatchObject({ code: 0, stdout: "1\n2\n" });
});

test("what help and lists load comes from the code cache, and without a cache from the code", async () => {
  const folder = makeFolder();
  for (const name of ["bin", "dist", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const script = `const { load, modules } = require("./bin/load.js");
    load("main.cjs");
    console.log([...modules.values()].map(({ script }) => script.cachedDataRejected).join());`;
  const load = () => runProgram(process.execPath, ["-e", script], { folder });
  expect(await load()).toMatchObject({ code: 0, stdout: ",false,false\n" });
  const caches = readdirSync(join(folder, "dist")).filter((name) => name.endsWith(".cache"));
  for (const name of caches) {
    // V8 would crash.
    const bytes = readFileSync(join(folder, "dist", name));
    writeFileSync(join(folder, "dist", name), bytes.fill(0, Math.floor(bytes.length / 2)));
  }
  expect(await load()).toMatchObject({ code: 0, stdout: ",,\n" });
  for (const name of caches) truncateSync(join(folder, "dist", name), 100);
  expect(await load()).toMatchObject({ code: 0, stdout: ",,\n" });
  for (const name of caches) rmSync(join(folder, "dist", name));
  expect(await load()).toMatchObject({ code: 0, stdout: ",,\n" });
});

test("Node 20.19 is refused", async () => {
  const disguise = join(makeFolder(), "disguise.cjs");
  writeFileSync(
    disguise,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.9" } });',
  );
  const run = await runProgram(process.execPath, ["--require", disguise, program, "grant", "list"]);
  expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("needs Node 20.20") });
});

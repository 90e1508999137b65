// Help that is asked for alone comes from the pages that the build has kept, and says what the commands themselves say.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findPage, pageAskedFor } from "../../src/command-line/pages/kept-pages.ts";
import { commandEntries } from "../../src/commands/index.ts";
import { listPages } from "../../src/program.ts";
import { runBinary } from "../support/binary.ts";
import { runMain } from "../support/test-host.ts";

const pages = await listPages();
const kept = readFileSync(new URL("../../dist/pages.jsonl", import.meta.url), "utf8");

test("every command has its page, as it defines it, under its own words", () => {
  expect(pages.length).toBeGreaterThan(40);
  for (const page of pages) {
    const path = page.name.split(" ").slice(1);
    for (const words of [
      [...path, "--help"],
      [...path, "-h"],
      ["help", ...path],
    ]) {
      expect([words, pageAskedFor(words, commandEntries)]).toEqual([words, page.name]);
    }
    expect(findPage(kept, page.name)).toEqual(page);
  }
});

test.each([
  { words: ["authz", "list", "-h"], name: "grantctl authorization list" },
  { words: ["help", "grants"], name: "grantctl grant" },
])("$words names it by an alias", ({ words, name }) => {
  expect(pageAskedFor(words, commandEntries)).toBe(name);
});

test.each([
  { words: [] },
  { words: ["token", "reset"] },
  { words: ["token", "reset", "--yes", "--help"] },
  { words: ["token", "reset", "--output-file", "--help"] },
  { words: ["--help", "token"] },
  { words: ["token", "constructor", "--help"] },
  { words: ["token", "nosuch", "--help"] },
  { words: ["nosuch", "--help"] },
  { words: ["grant", "ls", "--help"] },
  { words: ["sandbox", "run", "--", "--help"] },
  { words: ["help", "exit-codes"] },
  { words: ["help", "grant", "list", "--help"] },
])("$words is left to the parser", ({ words }) => {
  expect(pageAskedFor(words, commandEntries)).toBeNull();
});

test.each([
  [
    ["--help", "grant", "list"],
    ["grant", "list", "--help"],
  ],
  [
    ["grant", "-h", "ls"],
    ["grant", "list", "--help"],
  ],
  [
    ["token", "--help", "reset", "--help"],
    ["token", "reset", "--help"],
  ],
  [
    ["authz", "view", "--help", "42"],
    ["authorization", "view", "--help"],
  ],
  [
    ["grant", "--json", "id", "--help", "list"],
    ["grant", "--help"],
  ],
])("%j is the help of %j", async (words, plain) => {
  const { stdout } = await runMain(plain);
  expect(await runMain(words)).toEqual({ code: 0, stdout, stderr: "" });
  expect(await runBinary(words)).toMatchObject({ code: 0, stdout, stderr: "" });
});

test("a page that was not kept is none", () => {
  expect(findPage("", "grantctl token")).toBeNull();
  expect(findPage(kept, "grantctl nosuch")).toBeNull();
});

test.each([
  { words: ["--help"] },
  { words: ["help"] },
  { words: ["token", "--help"] },
  { words: ["token", "reset", "-h"] },
  { words: ["help", "authz", "list"] },
])("$words says the same with and without kept pages", async ({ words }) => {
  const { code, stdout, stderr } = await runMain(words);
  expect(await runBinary(words)).toMatchObject({ code, stdout, stderr });
});

// Documents that are written by hand match the sources that they describe.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/binary.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the first commands of README.md print the output below them", () => {
  const [, shown = ""] = /^```text\n(.*?)^```$/ms.exec(read("README.md")) ?? [];
  const recorded = read("test/scripts/account/readme.txt").replaceAll(/^(?:[|!] |= 0\n)/gm, "");
  expect(shown.split("\n").length).toBeGreaterThan(3);
  expect(recorded).toContain(shown);
});

test("the tour of README.md runs to its end", async () => {
  const { scripts } = JSON.parse(read("package.json")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const { code, stdout } = await runProgram("sh", ["-c", scripts["tour"] ?? ""], { folder });
  expect(stdout).toMatch(/That was all of it\.[^]*\n\n$/);
  expect(code).toBe(0);
});

test("CONTRIBUTING.md and docs/development.md name only existing files, and every module", () => {
  const pages = read("CONTRIBUTING.md") + read("docs/development.md");
  const named = [...pages.matchAll(/`((?:src|test|bin|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const missing = named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)));
  // CONTRIBUTING describes how to add these, so they need not exist yet.
  const toAdd = ["src/commands/grant/count.ts", "test/scripts/account/count.txt"];
  expect(missing.filter((path) => !toAdd.includes(path))).toEqual([]);
  const modules = readdirSync(new URL("../../src", import.meta.url)).filter((name) => !name.includes("."));
  expect(modules.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});

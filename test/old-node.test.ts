// An unsupported version of Node is reported before the program is loaded.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program, runProgram, type Finished } from "./support/binary.ts";
import { makeFolder } from "./support/state-folder.ts";

/** Runs grantctl on this Node with another version number, and without a bundle. */
function runAs(version: string, ...words: readonly string[]): Promise<Finished> {
  const disguise = join(makeFolder(), "disguise.cjs");
  writeFileSync(
    disguise,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
const { Module } = require("node:module");
const load = Module._load;
Module._load = (name, ...more) => {
  if (name === "../dist/main.cjs") { process.stderr.write("the program was loaded"); process.exit(99); }
  return load(name, ...more);
};`,
  );
  return runProgram(process.execPath, ["--require", disguise, program, ...words]);
}

test.each(["18.20.8", "20.19.9", "16.0.0"])(
  "rejects Node %s without loading the program",
  async (version) => {
    for (const words of [["grant", "list"], ["--version"]]) {
      expect(await runAs(version, ...words)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: `grantctl: grantctl needs Node 20.20 or later; this is ${version}\nhint: Download a newer version from https://nodejs.org.\n`,
      });
    }
  },
);

test.each(["20.20.0", "22.0.0", "24.11.1", "100.0.0"])("loads the program with Node %s", async (version) => {
  expect(await runAs(version, "--help")).toMatchObject({ code: 99 });
});

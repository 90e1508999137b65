// The sandbox's database is an optional package with a native part for each platform. If either is missing (`npm
// install --omit=optional`, an unsupported platform), a message with a hint reports it, and everything else works.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program, runProgram, type Finished } from "../support/binary.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";

/** Runs grantctl without the packages whose names begin with `prefix`. */
function runWithout(missing: string, words: readonly string[], environment = {}): Promise<Finished> {
  const hook = join(makeFolder(), "hook.cjs");
  writeFileSync(
    hook,
    `const { Module } = require("node:module");
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...more) => {
  if (name.startsWith(${JSON.stringify(missing)})) throw Object.assign(new Error("Cannot find module '" + name + "'\\nRequire stack:"), { code: "MODULE_NOT_FOUND" });
  return resolve(name, ...more);
};`,
  );
  return runProgram(process.execPath, ["--require", hook, program, ...words], { environment });
}

describe.each([
  ["libsql", /the sandbox's database cannot be loaded: the package libsql is not installed/],
  ["@libsql/", /the sandbox's database cannot be loaded: the package @libsql\/[\w-]+ is not installed/],
])("without %s", (missing, message) => {
  test("sandbox run and start exit with 2 and name the missing package, with a hint", async () => {
    for (const words of [
      ["sandbox", "run", "--", "true"],
      ["sandbox", "start"],
    ]) {
      const { code, stdout, stderr } = await runWithout(missing, words);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/\nhint: Install grantctl again without --omit=optional/);
    }
  });

  test("doctor reports it, and lists work", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const doctor = await runWithout(missing, ["doctor", "--json"], server.environment);
    const findings = JSON.parse(doctor.stdout) as readonly {
      check: string;
      status: string;
      message: string;
    }[];
    expect(findings.find(({ check }) => check === "sandbox")).toMatchObject({
      status: "note",
      message: expect.stringMatching(message) as string,
    });
    expect((await runWithout(missing, ["grant", "list"], server.environment)).code).toBe(0);
  });
});

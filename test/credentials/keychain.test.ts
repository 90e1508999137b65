// The keychain's helper: a process for each call, which may misbehave; and what the helper does with keytar. A real
// Secret Service is in keychain-service.test.ts.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SecretKey } from "../../src/config/stored-secrets.ts";
import { createKeychain } from "../../src/credentials/stores.ts";
import { program, runProgram } from "../support/binary.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { makeHelper } from "./keychain.ts";
import { makeFolder } from "../support/state-folder.ts";

const key: SecretKey = { profile: "work", base_url: "https://a.test/x", kind: "password", name: "octavia" };

function keychainOf(...keychainHelper: readonly [string, ...string[]]) {
  const childEnvironment = { PATH: process.env["PATH"] ?? "" };
  return createKeychain({ keychainHelper, childEnvironment });
}

describe("a helper", () => {
  test.each<[string, string, string | null]>([
    ["with a secret", `reply({ secret: "é\\u2028 x" })`, "é\u2028 x"],
    ["with none", `reply({ secret: null })`, null],
    ["in pieces", `reply('{"secret":'); setTimeout(reply, 50, '"whole"}')`, "whole"],
    [
      "that is killed after its answer",
      `process.stdout.write('{"secret":"x"}', () => process.kill(process.pid, "SIGKILL"))`,
      "x",
    ],
  ])("%s is understood", async (_, script, wanted) => {
    expect(await keychainOf(...makeHelper(makeFolder(), script)).get(key)).toBe(wanted);
  });

  test.each<[string, string, RegExp]>([
    ["names a problem", `reply({ isAbsent: false, reason: "r" })`, /^the keychain cannot be used: r$/],
    ["prints garbage", `reply("hunter2 Segmentation fault")`, /its helper did not respond/],
    ["prints half an object", `reply('{"secret":"hunter2')`, /its helper did not respond/],
    ["ends at once", `process.exit(3)`, /its helper exited with code 3/],
    ["crashes", `process.kill(process.pid, "SIGSEGV")`, /its helper was ended by SIGSEGV/],
  ])("that %s is a failure", async (_, script, message) => {
    const keychain = keychainOf(...makeHelper(makeFolder(), script));
    const failure = await thrownFailure(() => keychain.get(key));
    expect([failure.kind, failure.message]).toEqual(["authentication", expect.stringMatching(message)]);
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("hunter2");
    expect((await thrownFailure(() => keychain.set(key, "x"))).kind).toBe("usage");
  });

  test("that cannot be started is a failure", async () => {
    const failure = await thrownFailure(() => keychainOf("/nonexistent").check());
    expect([failure.kind, failure.message]).toEqual([
      "usage",
      "the keychain cannot be used: its helper could not be run",
    ]);
  });
});

/** The built helper's answer with a keytar of this text; without one if it is empty. */
async function ask(keytar: string, request: object): Promise<unknown> {
  const folder = makeFolder();
  const dist = join(dirname(dirname(program)), "dist");
  mkdirSync(join(folder, "node_modules/keytar"), { recursive: true });
  for (const name of readdirSync(dist))
    if (name.endsWith(".cjs")) cpSync(join(dist, name), join(folder, name));
  writeFileSync(join(folder, "node_modules/keytar/package.json"), '{"name":"keytar","main":"index.js"}');
  if (keytar !== "") writeFileSync(join(folder, "node_modules/keytar/index.js"), keytar);
  const words = [join(folder, "keychain-helper.cjs")];
  const { stdout } = await runProgram(process.execPath, words, { input: JSON.stringify(request) });
  return JSON.parse(stdout) as unknown;
}

/** A keytar that works, but for these functions. */
function keytarWith(broken: string): string {
  return `const kept = new Map([["s a", "kept"]]);
    module.exports = { getPassword: async (s, a) => kept.get(s + " " + a) ?? null,
      setPassword: async (s, a, p) => void kept.set(s + " " + a, p),
      deletePassword: async (s, a) => kept.delete(s + " " + a),
      ${broken} };`;
}

describe("the built helper", () => {
  const entry = { service: "s", account: "a" };
  const lost = { isAbsent: false, reason: "it does not contain the stored entry" };

  test.each<[string, string, object, unknown]>([
    ["reads an entry", "", { call: "get", ...entry }, { secret: "kept" }],
    ["finds none", "", { call: "get", service: "s", account: "b" }, { secret: null }],
    ["deletes an entry", "", { call: "delete", ...entry }, { secret: "kept" }],
    ["stores an entry", "", { call: "set", ...entry, secret: "new" }, { secret: null }],
    ["checks", "", { call: "check", ...entry }, { secret: null }],
    [
      "reads back what it stored",
      "setPassword: async () => {}",
      { call: "set", ...entry, secret: "x" },
      lost,
    ],
    [
      "believes an empty keychain only if it works",
      "getPassword: async () => null",
      { call: "get", ...entry },
      lost,
    ],
    [
      "believes a deletion only if the entry is gone",
      "deletePassword: async () => true",
      { call: "delete", ...entry },
      { isAbsent: false, reason: "it still contains the deleted entry" },
    ],
    [
      "tells a locked keychain",
      `setPassword: async () => { throw new Error("Cannot create an item in a locked collection") }`,
      { call: "check", ...entry },
      { isAbsent: false, reason: "Cannot create an item in a locked collection" },
    ],
    [
      "tells a keychain that is absent",
      `getPassword: async () => { throw new Error("Cannot autolaunch D-Bus without X11 $DISPLAY") }`,
      { call: "get", ...entry },
      { isAbsent: true, reason: "Cannot autolaunch D-Bus without X11 $DISPLAY" },
    ],
  ])("%s", async (_, broken, request, wanted) => {
    expect(await ask(keytarWith(broken), request)).toEqual(wanted);
  });

  test("says that keytar is not installed, or cannot be loaded", async () => {
    expect(await ask("", { call: "get", ...entry })).toEqual({
      isAbsent: true,
      reason: "keytar is not installed, or cannot be loaded (on Linux, it requires libsecret)",
    });
  });
});

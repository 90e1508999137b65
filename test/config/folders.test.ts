// The folders of grantctl's files: never the current directory, whatever the environment contains.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configurationFolder, stateFolder } from "../../src/config/folders.ts";
import { program, runProgram } from "../support/binary.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { makeFolder } from "../support/state-folder.ts";

const [config, state] = ["/home/octavia/.config/grantctl", "/home/octavia/.local/state/grantctl"];
const library = "/home/octavia/Library/Application Support/grantctl";

test.each([
  ["linux", {}, config, state],
  ["linux", { XDG_CONFIG_HOME: "/x/c", XDG_STATE_HOME: "/x/s" }, "/x/c/grantctl", "/x/s/grantctl"],
  // The XDG specification requires relative paths to be ignored.
  ["linux", { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "./s" }, config, state],
  ["linux", { GRANTCTL_CONFIG_DIR: "/c", GRANTCTL_STATE_DIR: "/s", XDG_CONFIG_HOME: "/x" }, "/c", "/s"],
  ["darwin", { XDG_CONFIG_HOME: "/x" }, library, `${library}/state`],
] as const)("on %s with %j", (platform, environment, ...expected) => {
  const surroundings = { environment, platform, machine: { homeFolder: "/home/octavia", userId: 1000 } };
  expect([configurationFolder(surroundings), stateFolder(surroundings)]).toEqual(expected);
});

test.each([
  [{ GRANTCTL_CONFIG_DIR: "c", GRANTCTL_STATE_DIR: "./s" }, "/home/octavia"],
  [{}, ""],
  [{}, "."],
  [{ XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "s" }, "home"],
])("are refused if they would be relative: %j, home '%s'", async (environment, homeFolder) => {
  for (const platform of ["linux", "darwin"] as const)
    for (const folder of [configurationFolder, stateFolder]) {
      const failure = await thrownFailure(() =>
        folder({ environment, platform, machine: { homeFolder, userId: null } }),
      );
      expect([failure.kind, failure.message]).toEqual([
        "usage",
        expect.stringMatching(/must be an absolute path$/),
      ]);
    }
});

/** A folder with every file that a program might look for, and programs that leave a mark when they run. */
function makeTrap(): string {
  const folder = makeFolder();
  const profile = { base_url: "http://127.0.0.1:9", username: "canary", password_command: "pass show x" };
  const files = {
    "config.json": JSON.stringify({ profiles: { default: profile } }),
    "credentials.json": "{}",
    ".env": "GRANTCTL_USERNAME=canary\nGRANTCTL_PASSWORD=canary\n",
    ".netrc": "machine 127.0.0.1 login canary password canary\n",
    "package.json": '{"type":"module","grantctl":{"username":"canary"}}',
  };
  for (const path of [".", ".config/grantctl", "grantctl", ".grantctl", ".local/state/grantctl"]) {
    mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, path, name), text, { mode: 0o600 });
  }
  for (const name of ["pass", "otp", "keytar.js", "node"])
    writeFileSync(join(folder, name), `#!/bin/sh\necho ran >> '${folder}/ran'\necho canary\n`, {
      mode: 0o755,
    });
  return folder;
}

describe("the current folder", () => {
  const path = process.env["PATH"] ?? "";
  // Listed by hand, because the system calls resolve PATH.
  test.each<Readonly<Record<string, string>>>([
    { PATH: "" },
    { PATH: `.:${path}` },
    { PATH: `:${path}:` },
    { HOME: "" },
    { XDG_CONFIG_HOME: ".", XDG_STATE_HOME: "." },
  ])("contains nothing that grantctl reads or runs, with %j", async (environment) => {
    const folder = makeTrap();
    const configured = makeFolder();
    writeFileSync(join(configured, "config.json"), readFileSync(join(folder, "config.json")), {
      mode: 0o600,
    });
    const run = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runProgram(process.execPath, [program, ...words], { folder, environment: { ...environment, ...more } });
    const status = await run(["auth", "status", "--json"]);
    expect(status.stdout + status.stderr).not.toContain("canary");
    expect([0, 2, 4]).toContain(status.code);
    // The command of a profile is not searched there; a real `pass` exists only on some machines.
    const list = await run(["grant", "list", "--no-input"], { GRANTCTL_CONFIG_DIR: configured });
    expect([2, 4, 8]).toContain(list.code);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

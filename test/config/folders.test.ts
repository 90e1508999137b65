// The folders of grantctl's files: never the current directory, whatever the environment contains.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configurationFolder, stateFolder } from "../../src/config/folders.ts";
import { failureOf } from "../support/failure-of.ts";
import { runProgram, program } from "../support/binary.ts";
import { makeFolder } from "../support/state-folder.ts";
import { whyNoTracing } from "../support/tracing.ts";

const homeFolder = "/home/octavia";

describe("the folders", () => {
  test.each([
    ["linux", {}, "/home/octavia/.config/grantctl", "/home/octavia/.local/state/grantctl"],
    ["linux", { XDG_CONFIG_HOME: "/x/c", XDG_STATE_HOME: "/x/s" }, "/x/c/grantctl", "/x/s/grantctl"],
    // The XDG specification requires relative paths to be ignored.
    [
      "linux",
      { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "./s" },
      "/home/octavia/.config/grantctl",
      "/home/octavia/.local/state/grantctl",
    ],
    ["linux", { GRANTCTL_CONFIG_DIR: "/c", GRANTCTL_STATE_DIR: "/s", XDG_CONFIG_HOME: "/x" }, "/c", "/s"],
    [
      "darwin",
      { XDG_CONFIG_HOME: "/x" },
      "/home/octavia/Library/Application Support/grantctl",
      "/home/octavia/Library/Application Support/grantctl/state",
    ],
  ] as const)("on %s with %j", (platform, environment, configuration, state) => {
    const surroundings = { environment, platform, machine: { homeFolder } };
    expect([configurationFolder(surroundings), stateFolder(surroundings)]).toEqual([configuration, state]);
  });

  test.each([
    [{ GRANTCTL_CONFIG_DIR: "c", GRANTCTL_STATE_DIR: "./s" }, homeFolder],
    [{ GRANTCTL_CONFIG_DIR: ".", GRANTCTL_STATE_DIR: "." }, homeFolder],
    [{}, ""],
    [{}, "."],
    [{ XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "s" }, "home"],
  ])("are rejected if they would be relative: %j, home '%s'", async (environment, home) => {
    for (const platform of ["linux", "darwin"] as const) {
      for (const folder of [configurationFolder, stateFolder]) {
        const failure = await failureOf(() =>
          folder({ environment, platform, machine: { homeFolder: home } }),
        );
        expect([failure.kind, failure.message]).toEqual([
          "usage",
          expect.stringContaining("must be an absolute path"),
        ]);
      }
    }
  });
});

const namespace = ["--user", "--map-user=12345"];
const hasNamespaces = spawnSync("unshare", [...namespace, "true"]).status === 0;

describe.skipIf(!hasNamespaces)("a user without a name and HOME (skipped where unshare may not)", () => {
  const command = [...namespace, "env", "-u", "HOME", process.execPath, program];

  test.each([[["grant", "list"]], [["recover", "list"]]])("%j exits with code 2", async (words) => {
    const run = await runProgram("unshare", [...command, ...words]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toBe(
      "grantctl: HOME must be an absolute path\n" +
        "hint: Set HOME, or GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR.\n",
    );
  });

  test("needs no home if the variables name the folders", async () => {
    const folder = makeFolder();
    const environment = { GRANTCTL_CONFIG_DIR: folder, GRANTCTL_STATE_DIR: folder };
    const run = await runProgram("unshare", [...command, "config", "path"], { environment });
    expect(run).toMatchObject({ code: 0, stdout: `${join(folder, "config.json")}\n`, stderr: "" });
  });
});

const cannotTrace = whyNoTracing();

describe("the current folder", () => {
  const configuration = JSON.stringify({
    default_profile: "here",
    profiles: {
      here: { base_url: "http://127.0.0.1:9", username: "canary", password_command: "pass show x" },
    },
  });

  /** A folder with every file that a program might look for, and a program that leaves a mark when it runs. */
  function makeTrap(): string {
    const folder = makeFolder();
    for (const path of [".", ".config/grantctl", "grantctl", ".grantctl", ".local/state/grantctl"]) {
      mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
      for (const name of ["config.json", "credentials.json", "grantctl.json", ".grantctlrc"])
        writeFileSync(join(folder, path, name), configuration, { mode: 0o600 });
    }
    writeFileSync(join(folder, ".env"), "GRANTCTL_USERNAME=canary\nGRANTCTL_PASSWORD=canary\n");
    writeFileSync(join(folder, ".netrc"), "machine 127.0.0.1 login canary password canary\n", {
      mode: 0o600,
    });
    writeFileSync(join(folder, "package.json"), '{"type":"module","grantctl":{"username":"canary"}}');
    for (const name of ["pass", "otp", "keytar.js", "node"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho ran >> '${folder}/ran'\necho canary\n`, {
        mode: 0o755,
      });
    }
    return folder;
  }

  // Listed by hand, because the system calls resolve PATH.
  const environments: readonly Readonly<Record<string, string>>[] = [
    {},
    { PATH: "" },
    { PATH: ":" },
    { PATH: `.:${process.env["PATH"] ?? ""}` },
    { PATH: `:${process.env["PATH"] ?? ""}:` },
    { HOME: "" },
    { HOME: "." },
    { XDG_CONFIG_HOME: ".", XDG_STATE_HOME: "." },
  ];

  test.each(environments)("contains nothing that grantctl reads or runs, with %j", async (environment) => {
    const folder = makeTrap();
    for (const words of [
      ["auth", "status", "--json"],
      ["grant", "list", "--no-input"],
    ]) {
      const run = await runProgram(process.execPath, [program, ...words], { folder, environment });
      expect(run.stdout + run.stderr).not.toContain("canary");
      expect([0, 2, 4]).toContain(run.code);
    }
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test.each(environments.slice(1, 5))("is not searched for a profile's command: %j", async (environment) => {
    const folder = makeTrap();
    const config = makeFolder();
    writeFileSync(
      join(config, "config.json"),
      JSON.stringify({
        profiles: {
          default: { base_url: "http://127.0.0.1:9", username: "u", password_command: "pass show x" },
        },
      }),
      { mode: 0o600 },
    );
    const run = await runProgram(process.execPath, [program, "grant", "list"], {
      folder,
      environment: { ...environment, GRANTCTL_CONFIG_DIR: config },
    });
    // A real one exists only on some machines.
    expect([4, 8]).toContain(run.code);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test.skipIf(cannotTrace !== null)(`is not accessed at all${cannotTrace ?? ""}`, async () => {
    const folder = makeTrap();
    const trace = join(makeFolder(), "trace");
    for (const words of [
      ["config", "list"],
      ["auth", "status"],
      ["auth", "login", "--store", "keychain", "--base-url", "http://127.0.0.1:9"],
    ]) {
      await runProgram(
        "strace",
        ["-f", "-qq", "-o", trace, "-e", "trace=file", process.execPath, program, ...words],
        { folder },
      );
      const lines = readFileSync(trace, "utf8").split("\n");
      expect(lines.length).toBeGreaterThan(20);
      // Relative paths, and their absolute equivalents.
      const looks = lines.filter(
        (line) => /^\d+ \w+\((?:AT_FDCWD, )?"(?!\/)/.test(line) || line.includes(`"${folder}`),
      );
      expect(looks.filter((line) => !/ (?:execve|getcwd)\(/.test(line))).toEqual([]);
    }
    expect(readdirSync(folder)).not.toContain("ran");
  });
});

// Changes to the configuration file lose no earlier content, even with concurrent changes, kills and failing disks.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { assert, asyncProperty, constantFrom, integer, tuple } from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { editConfiguration } from "../../src/config/edit-configuration.ts";
import { failureOf } from "../support/failure-of.ts";
import { program, runBinary, runProgram } from "../support/binary.ts";
import { makeConfigurationFolder, type ConfigurationFolder } from "../support/configuration.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { mountSmallDisk, whyNoSmallDisk, whyNoTracing } from "../support/tracing.ts";

const isWindows = process.platform === "win32";
const owner = {
  userId: process.getuid?.() ?? null,
  processes: { pid: process.pid, bootId: null, scope: null, isRunning: () => true },
};

function set(folder: ConfigurationFolder, ...words: string[]): ReturnType<typeof runMain> {
  return runMain(["config", "set", ...words], { environment: folder.environment });
}

/** Sets the user name in a run under strace, with these flags of strace. */
function setTraced(folder: ConfigurationFolder, flags: readonly string[]): ReturnType<typeof runProgram> {
  const words = [process.execPath, program, "config", "set", "username", "after"];
  return runProgram("strace", ["-f", "-qq", "-o", "/dev/null", ...flags, ...words], {
    environment: folder.environment,
  });
}

function countComments(text: string): number {
  return text.split("// c").length + text.split("/* { */").length;
}

describe("an edit", () => {
  const before = [
    "// by hand",
    "{",
    '  "profiles": {',
    '    /* the one at work */ "work": { "username": "octavia", // me',
    '      "format": "csv" },',
    '    "default": {},',
    "  },",
    '  "default_profile": "work"',
    "}",
  ].join("\n");

  test("keeps comments and order, and changes nothing else", async () => {
    const folder = makeConfigurationFolder(before);
    expect((await set(folder, "username", "hubert")).code).toBe(0);
    expect(folder.text()).toBe(before.replace("octavia", "hubert"));
  });

  test("that changes nothing leaves the file byte for byte", async () => {
    const folder = makeConfigurationFolder(`\uFEFF${before.replaceAll("\n", "\r\n")}`);
    const { ino, mtimeMs } = statSync(folder.file);
    const unset = await runMain(["config", "unset", "otp_command"], { environment: folder.environment });
    expect(unset.code).toBe(0);
    expect((await set(folder, "username", "octavia")).code).toBe(0);
    expect(statSync(folder.file)).toMatchObject({ ino, mtimeMs });
  });

  test("and its inverse restore the file", async () => {
    const folder = makeConfigurationFolder(before);
    expect((await set(folder, "client_id", "0123456789abcdef0123")).code).toBe(0);
    expect(folder.text()).toContain("// me");
    expect((await runMain(["config", "unset", "client_id"], { environment: folder.environment })).code).toBe(
      0,
    );
    expect(parse(folder.text())).toEqual(parse(before));
    for (const comment of ["// by hand", "/* the one at work */", "// me"])
      expect(folder.text()).toContain(comment);
  });

  test("of an invalid file is rejected, and the file is unchanged", async () => {
    for (const wrong of ['{"profiles": {"a": 1}}', "{", "// nothing"]) {
      const folder = makeConfigurationFolder(wrong);
      expect((await set(folder, "username", "octavia")).code).toBe(2);
      expect(folder.text()).toBe(wrong);
      expect(folder.names()).toEqual(["config.json"]);
    }
  });

  test("that would make the file invalid is rejected, and the file is unchanged", async () => {
    const folder = makeConfigurationFolder(before);
    const failure = await failureOf(() =>
      editConfiguration(folder.file, owner, () => [{ path: ["profiles", "work", "username"], value: "a:b" }]),
    );
    expect(failure.kind).toBe("usage");
    expect(folder.text()).toBe(before);
    expect(folder.names()).toEqual(["config.json"]);
  });

  test("of any valid file keeps all other settings", async () => {
    const space = constantFrom("", " ", "\n", "\r\n", " // c\n", "/* { */");
    const end = constantFrom("", ",");
    const value = constantFrom("a", "é🔑", '\\"', "\\\\", "//", "/*", "{", "}", ",");
    await assert(
      asyncProperty(
        tuple(space, space, space, end, end, value),
        constantFrom("default", "work", "other"),
        integer({ min: 0, max: 2 }),
        async ([first, second, third, comma, last, word], name, kind) => {
          const source = `${first}{${second}"profiles":${third}{"work":${first}{${second}"username"${third}:"${word}"${comma}${second}}${comma}${third}}${last}${first}}${second}`;
          const folder = makeConfigurationFolder(source);
          const edit = [
            { path: ["profiles", name, "username"], value: "new" },
            { path: ["profiles", name, "format"], value: "csv" },
            { path: ["default_profile"], value: "work" },
          ][kind] ?? { path: [], value: null };
          await editConfiguration(folder.file, owner, () => [edit]);
          const wanted = parse(source, [], { allowTrailingComma: true }) as {
            profiles: Record<string, Record<string, string>>;
            default_profile?: string;
          };
          if (kind === 2) wanted.default_profile = "work";
          else (wanted.profiles[name] ??= {})[kind === 0 ? "username" : "format"] = String(edit.value);
          expect(parse(folder.text(), [], { allowTrailingComma: true })).toEqual(wanted);
          expect(countComments(folder.text())).toBe(countComments(source));
          // The inverse edit: jsonc-parser removes the comma, too.
          await editConfiguration(folder.file, owner, () => [{ ...edit, value: undefined }]);
          expect(parse(folder.text(), [], { allowTrailingComma: true })).not.toHaveProperty(edit.path);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe.skipIf(isWindows)("a new file", () => {
  test.each(["000", "077"])("is private, and so is its folder, with umask %s", async (mask) => {
    const folder = makeConfigurationFolder();
    const run = await runProgram(
      "sh",
      [
        "-c",
        `umask ${mask}; exec "$0" "$@"`,
        process.execPath,
        program,
        "config",
        "set",
        "username",
        "octavia",
      ],
      { environment: folder.environment },
    );
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(folder.mode() & 0o077).toBe(0);
    expect(folder.mode("config.json") & 0o077).toBe(0);
    expect(folder.names()).toEqual(["config.json"]);
  });

  test("is made private by a change, whatever its mode was", async () => {
    const folder = makeConfigurationFolder({ profiles: {} });
    chmodSync(folder.path, 0o755);
    chmodSync(folder.file, 0o644);
    expect((await set(folder, "username", "octavia")).code).toBe(0);
    expect([folder.mode(), folder.mode("config.json")]).toEqual([0o700, 0o600]);
  });

  test("is not created through a symbolic link, and the target of the link is unchanged", async () => {
    const target = join(makeFolder(), "target.json");
    writeFileSync(target, "{}", { mode: 0o600 });
    for (const to of [target, `${target}.missing`]) {
      const folder = makeConfigurationFolder();
      mkdirSync(folder.path, { mode: 0o700 });
      symlinkSync(to, folder.file);
      const run = await set(folder, "username", "octavia");
      expect(run.code).toBe(2);
      expect(run.stderr).toContain("is a symbolic link");
      expect(lstatSync(folder.file).isSymbolicLink()).toBe(true);
      expect(readFileSync(target, "utf8")).toBe("{}");
      expect(folder.names()).toEqual(["config.json"]);
    }
  });

  test("is not created if something else has its path", async () => {
    const folder = makeConfigurationFolder();
    mkdirSync(dirname(folder.path), { recursive: true });
    writeFileSync(folder.path, "x");
    expect((await set(folder, "username", "octavia")).code).toBe(2);
    expect(readFileSync(folder.path, "utf8")).toBe("x");
  });
});

test("eight concurrent processes lose no change", async () => {
  const folder = makeConfigurationFolder("// kept\n{}");
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      runBinary(["--profile", `p${index}`, "config", "set", "username", `user-${index}`], {
        environment: folder.environment,
      }),
    ),
  );
  expect(runs.filter(({ code, stderr }) => code !== 0 || stderr !== "")).toEqual([]);
  const { profiles } = parse(folder.text()) as { profiles: Record<string, unknown> };
  expect(profiles).toEqual(
    Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`p${index}`, { username: `user-${index}` }])),
  );
  expect(folder.text()).toContain("// kept");
  expect(folder.names()).toEqual(["config.json"]);
});

const cannotTrace = whyNoTracing();

describe("a run that is killed while it writes", () => {
  test("leaves a complete file at any instant", { tags: "soak" }, async () => {
    const folder = makeConfigurationFolder({ profiles: { default: { username: "before" } } });
    const seen = new Set<string>();
    const rounds = inFull(8, 24);
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, [program, "config", "set", "username", `after-${round}`], {
        env: { PATH: process.env["PATH"] ?? "", ...folder.environment },
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      // Killed at the first change of the folder, then at the second, and so on; the last round completes.
      let changesToCome = round;
      const watcher = watch(folder.path, () => {
        changesToCome -= 1;
        if (changesToCome < 0 && round < rounds - 1) child.kill("SIGKILL");
      });
      await ended;
      watcher.close();
      const { profiles } = folder.content() as { profiles: { default: { username: string } } };
      expect(profiles.default.username).toMatch(/^(?:before|after-\d+)$/);
      seen.add(profiles.default.username);
    }
    expect(seen.size).toBeGreaterThan(1);
    expect((await set(folder, "username", "end")).code).toBe(0);
    expect(folder.names().filter((name) => /^config\.json\.grantctl-[0-9a-f]{16}$/.test(name))).toEqual([]);
  });

  test("does not remove files with names similar to its draft", async () => {
    const folder = makeConfigurationFolder({ profiles: {} });
    const names = ["config.json.0123456789abcdef", "config.json.grantctl-0123456789abcdef"];
    for (const name of names) writeFileSync(join(folder.path, name), "");
    expect((await set(folder, "username", "octavia")).code).toBe(0);
    expect(folder.names()).toEqual(["config.json", names[0]]);
  });

  test.skipIf(cannotTrace !== null)(
    `leaves the old file, and a draft that the next run removes, at the last instant${cannotTrace ?? ""}`,
    async () => {
      const folder = makeConfigurationFolder({ profiles: { default: { username: "before" } } });
      await setTraced(folder, ["-e", "trace=rename", "-e", "inject=rename:signal=KILL"]);
      expect(folder.text()).toContain("before");
      expect(folder.names()).toHaveLength(3);
      const run = await runBinary(["config", "set", "username", "next"], { environment: folder.environment });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(folder.names()).toEqual(["config.json"]);
    },
  );
});

const noDisk = whyNoSmallDisk();

describe.skipIf(noDisk !== null)(`on a full disk${noDisk === null ? "" : ` (${noDisk})`}`, () => {
  test("keeps the old file, reports the failure, and leaves no other file", async () => {
    const disk = mountSmallDisk(64);
    const environment = { GRANTCTL_CONFIG_DIR: join(disk, "config") };
    expect((await runBinary(["config", "set", "username", "before"], { environment })).code).toBe(0);
    const file = join(disk, "config", "config.json");
    const before = readFileSync(file, "utf8");
    execFileSync("sh", ["-c", `cat /dev/zero > '${disk}/fill' 2>/dev/null || true`]);
    const run = await runBinary(["config", "set", "username", "after"], { environment });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(`cannot write ${file}: ENOSPC`);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(execFileSync("ls", ["-A", join(disk, "config")], { encoding: "utf8" })).toBe("config.json\n");
  });
});

describe.skipIf(cannotTrace !== null)(`on a failing disk${cannotTrace ?? ""}`, () => {
  test.each(["fsync", "pwrite64", "rename", "link", "openat"])(
    "leaves the old file or the new one if %s fails",
    async (call) => {
      const folder = makeConfigurationFolder({ profiles: { default: { username: "before" } } });
      const place = ["-P", folder.path, "-P", folder.file];
      const run = await setTraced(folder, [
        ...place,
        "-e",
        `trace=${call}`,
        "-e",
        `inject=${call}:error=EIO`,
      ]);
      const { profiles } = folder.content() as { profiles: { default: { username: string } } };
      expect(["before", "after"]).toContain(profiles.default.username);
      const outcomes = [
        { code: 0, name: "after", says: "" },
        { code: 2, name: profiles.default.username, says: "EIO" },
      ];
      const outcome = outcomes.find(({ code }) => code === run.code);
      expect(profiles.default.username).toBe(outcome?.name);
      expect(run.stderr).toContain(outcome?.says);
    },
  );
});

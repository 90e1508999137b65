// Changes to the configuration file lose no earlier content, even with concurrent changes, kills and failing disks.
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { program, runBinary, runProgram } from "../support/binary.ts";
import { makeConfigurationFolder, type ConfigurationFolder } from "../support/configuration.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { mountSmallDisk, runTraced, whyNoSmallDisk, whyNoTracing } from "../support/tracing.ts";

const isWindows = process.platform === "win32";

function set(folder: ConfigurationFolder, ...words: string[]): ReturnType<typeof runMain> {
  return runMain(["config", "set", ...words], { environment: folder.environment });
}
const before = { profiles: { default: { username: "before" } } };
const nameIn = (folder: ConfigurationFolder): string =>
  (folder.content() as typeof before).profiles.default.username;

describe.skipIf(isWindows)("the file", () => {
  test("is private after a change, and so is its folder, whatever the umask and their modes", async () => {
    const folder = makeConfigurationFolder();
    const line = 'umask 000; exec "$0" "$1" config set username octavia';
    const words = ["-c", line, process.execPath, program];
    const run = await runProgram("sh", words, { environment: folder.environment });
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect([folder.mode(), folder.mode("config.json"), folder.names()]).toEqual([
      0o700,
      0o600,
      ["config.json"],
    ]);
    chmodSync(folder.path, 0o755);
    chmodSync(folder.file, 0o644);
    expect((await set(folder, "username", "petra")).code).toBe(0);
    expect([folder.mode(), folder.mode("config.json")]).toEqual([0o700, 0o600]);
  });

  test("is not written through a symbolic link, nor where its folder is a file", async () => {
    const target = join(makeFolder(), "target.json");
    writeFileSync(target, "{}", { mode: 0o600 });
    for (const to of [target, `${target}.missing`]) {
      const folder = makeConfigurationFolder();
      mkdirSync(folder.path, { mode: 0o700 });
      symlinkSync(to, folder.file);
      const run = await set(folder, "username", "octavia");
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("is a symbolic link")]);
      expect(lstatSync(folder.file).isSymbolicLink()).toBe(true);
      expect([readFileSync(target, "utf8"), folder.names()]).toEqual(["{}", ["config.json"]]);
    }
    const folder = makeConfigurationFolder();
    mkdirSync(dirname(folder.path), { recursive: true });
    writeFileSync(folder.path, "x");
    expect((await set(folder, "username", "octavia")).code).toBe(2);
    expect(readFileSync(folder.path, "utf8")).toBe("x");
  });
});

test("four processes at the same time lose no change", async () => {
  const folder = makeConfigurationFolder("{}");
  const numbers = Array.from({ length: 4 }, (_, index) => index);
  const runs = await Promise.all(
    numbers.map((index) =>
      runBinary(["--profile", `p${index}`, "config", "set", "username", `user-${index}`], {
        environment: folder.environment,
      }),
    ),
  );
  expect(runs.filter(({ code, stderr }) => code !== 0 || stderr !== "")).toEqual([]);
  const wanted = Object.fromEntries(numbers.map((index) => [`p${index}`, { username: `user-${index}` }]));
  expect([folder.content(), folder.names()]).toEqual([
    { profiles: wanted, stored_secrets: [] },
    ["config.json"],
  ]);
});

const cannotTrace = whyNoTracing();

describe("a run that is killed while it writes", () => {
  test.skipIf(cannotTrace !== null)(
    `leaves the old file, which the next run can change, at the last instant${cannotTrace ?? ""}`,
    async () => {
      const folder = makeConfigurationFolder(before);
      const kill = ["-o", "/dev/null", "-e", "trace=rename", "-e", "inject=rename:signal=KILL"];
      await runTraced(kill, ["config", "set", "username", "after"], folder);
      expect(nameIn(folder)).toBe("before");
      expect((await runBinary(["config", "set", "username", "next"], folder)).code).toBe(0);
      expect(nameIn(folder)).toBe("next");
    },
  );
});

test.skipIf(whyNoSmallDisk() !== null)("a full disk keeps the old file, and no other is left", async () => {
  const disk = mountSmallDisk(64);
  const environment = { GRANTCTL_CONFIG_DIR: join(disk, "config") };
  expect((await runBinary(["config", "set", "username", "before"], { environment })).code).toBe(0);
  const file = join(disk, "config", "config.json");
  const text = readFileSync(file, "utf8");
  execFileSync("sh", ["-c", `cat /dev/zero > '${disk}/fill' 2>/dev/null || true`]);
  const run = await runBinary(["config", "set", "username", "after"], { environment });
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringContaining(`cannot write ${file} (no space left on device)`),
  ]);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(execFileSync("ls", ["-A", join(disk, "config")], { encoding: "utf8" })).toBe("config.json\n");
});

describe.skipIf(cannotTrace !== null)(`on a failing disk${cannotTrace ?? ""}`, () => {
  test.each(["fsync", "write", "rename", "openat"])("one whole file is left if %s fails", async (call) => {
    const folder = makeConfigurationFolder(before);
    const place = ["-o", "/dev/null", "-P", folder.path, "-P", folder.file];
    const failing = [...place, "-e", `trace=${call}`, "-e", `inject=${call}:error=EIO`];
    const { code, stderr } = await runTraced(failing, ["config", "set", "username", "after"], folder);
    const wanted = code === 0 ? /^0 after $/ : /^2 (?:before|after) .*i\/o error/;
    expect(`${code} ${nameIn(folder)} ${stderr}`).toMatch(wanted);
  });
});

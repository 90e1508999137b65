// The file of secrets, for `--store file`: used only where it is private and whole, and never through a link.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeConfigurationFolder, type ConfigurationFolder } from "../../support/configuration.ts";
import { startRecordingServer } from "../../support/recording-server.ts";
import { whyNoTracing } from "../../support/tracing.ts";
import { secret, run, login, accept } from "./logins.ts";

const stored = async (): Promise<{ folder: ConfigurationFolder; file: string; root: string }> => {
  const server = await startRecordingServer(accept);
  const folder = makeConfigurationFolder();
  await login(server.root, folder);
  return { folder, file: join(folder.path, "credentials.json"), root: server.root };
};

describe.skipIf(process.platform === "win32")("the file of secrets", () => {
  test.each([0o640, 0o604])("is not used when others can get at it (%o)", async (mode) => {
    const { folder, file, root } = await stored();
    chmodSync(file, mode);
    for (const ended of [
      await run(["grant", "list"], folder),
      await login(root, folder),
      await run(["auth", "logout"], folder),
    ]) {
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`chmod 600 ${file}`)]);
      expect(ended.stderr).not.toContain(secret);
    }
    const status = await run(["auth", "status"], folder);
    expect([status.code, status.stdout]).toEqual([
      4,
      expect.stringContaining("other users can read or change"),
    ]);
  });

  test("is not used through a symbolic link, nor written through one", async () => {
    const { folder, root } = await stored();
    const other = makeConfigurationFolder();
    mkdirSync(other.path, { mode: 0o700 });
    const target = join(folder.path, "credentials.json");
    const before = readFileSync(target, "utf8");
    symlinkSync(target, join(other.path, "credentials.json"));
    expect((await login(root, other)).code).toBe(2);
    expect(readFileSync(target, "utf8")).toBe(before);
    expect(other.names()).toEqual(["credentials.json"]);
  });

  test.each([
    ["broken", '[{"secret": "c4nary'],

    ["an entry without its user", '[{"origin":"x","kind":"password","secret":"c4nary"}]'],
  ])("that is %s is reported about, and not repeated", async (_, content) => {
    const { folder, file } = await stored();
    writeFileSync(file, content);
    const list = await run(["grant", "list"], folder);
    expect([list.code, list.stderr]).toEqual([
      2,
      expect.stringContaining("does not contain the data that grantctl stored"),
    ]);
    expect(list.stderr).not.toContain("c4nary");
  });

  test("that is gone is reported about", async () => {
    const { folder, file, root } = await stored();
    writeFileSync(file, "[]");
    const list = await run(["grant", "list"], folder);
    expect([list.code, list.stderr]).toEqual([
      4,
      expect.stringContaining(`stored for octavia at ${root} is no longer in the file`),
    ]);
  });

  const cannotTrace = whyNoTracing();
  test.skipIf(cannotTrace !== null)(
    `that cannot be removed is not said to be${cannotTrace ?? ""}`,
    async () => {
      const { folder, file } = await stored();
      const { runProgram, program } = await import("../../support/binary.ts");
      const logout = await runProgram(
        "strace",
        [
          "-f",
          "-qq",
          "-o",
          "/dev/null",
          "-P",
          file,
          "-e",
          "trace=unlink",
          "-e",
          "inject=unlink:error=EACCES",
          process.execPath,
          program,
          "auth",
          "logout",
        ],
        { environment: folder.environment },
      );
      expect([logout.code, logout.stderr]).toEqual([
        2,
        expect.stringContaining(`cannot remove ${file}: EACCES`),
      ]);
      expect(folder.content()).toHaveProperty("stored_secrets");
    },
  );
});

// The secrets file of `--store file`: used only if it is private and valid, and never through a link.
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

describe.skipIf(process.platform === "win32")("the secrets file", () => {
  test.each([0o640, 0o604])("is not used if other users can access it (%o)", async (mode) => {
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

  test("is neither read nor written through a symbolic link", async () => {
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
  ])("is reported without its content if it contains %s", async (_, content) => {
    const { folder, file } = await stored();
    writeFileSync(file, content);
    const list = await run(["grant", "list"], folder);
    expect([list.code, list.stderr]).toEqual([
      2,
      expect.stringContaining("does not contain the data that grantctl stored"),
    ]);
    expect(list.stderr).not.toContain("c4nary");
  });

  test("is reported if the entry is missing", async () => {
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
    `is not reported as deleted if it cannot be${cannotTrace ?? ""}`,
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

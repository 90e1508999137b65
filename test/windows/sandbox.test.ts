// The sandbox on Windows: its commands are programs and scripts of cmd.exe.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  windowsNode,
  windowsPath,
  windowsProgram,
} from "../support/windows.ts";

const grantctl = windowsProgram.map((word) => (word.startsWith("/") ? windowsPath(word) : word));

describe.skipIf(noWindowsReason !== null)(`the sandbox on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("runs a program and exits with its exit code", async () => {
    const user = makeWindowsUser();
    const script = "process.stdout.write(process.env.GRANTCTL_BASE_URL); process.exitCode = 7";
    const { code, stdout } = await runOnWindows(
      ["sandbox", "run", "--", windowsPath(windowsNode), "-e", script],
      user,
    );
    expect(code).toBe(7);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test("runs grantctl against itself", async () => {
    const user = makeWindowsUser();
    const { code, stdout } = await runOnWindows(
      ["sandbox", "run", "--", grantctl[0] ?? "", grantctl.at(-1) ?? "", "grant", "list", "--format", "tsv"],
      user,
    );
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(2);
  });

  test.each(["cmd", "bat"])("passes arguments to a .%s unchanged", async (extension) => {
    const user = makeWindowsUser();
    // No space: Wine's cmd.exe, unlike Windows' own, does not support it in the name of a script.
    const file = join(mkdtempSync(join(tmpdir(), "grantctl-script-")), `say-it.${extension}`);
    writeFileSync(file, '@echo off\r\necho ["%~1"] ["%~2"]\r\nexit /b 3\r\n');
    const { code, stdout } = await runOnWindows(
      ["sandbox", "run", "--", windowsPath(file), "two words", "a&echo b"],
      user,
    );
    expect([code, stdout]).toEqual([3, '["two words"] ["a&echo b"]\r\n']);
  });

  test("a missing command exits with code 127, and the current folder is not searched", async () => {
    const user = makeWindowsUser();
    writeFileSync(join(user.home, "nothing.cmd"), "@exit /b 0\r\n");
    expect((await runOnWindows(["sandbox", "run", "--", "nothing"], user)).code).toBe(127);
  });
});

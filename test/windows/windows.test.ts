// What differs on Windows, with the installed program under Wine: the user's folders, the Credential Manager, names of
// devices, line endings, programs, and the console.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runOnTerminal, type Screen, type Step } from "../support/terminal.ts";
import { startTruthService } from "../support/truth-service.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  windowsPath,
  windowsProgram,
  wineEnvironment,
  type WindowsUser,
} from "./windows.ts";

async function openSandbox(): Promise<Account> {
  const account = await openAccount();
  onTestFinished(() => account.sandbox.close());
  return account;
}

/** Runs grantctl on a console of Windows. */
function onConsole(
  words: readonly string[],
  steps: readonly Step[],
  user: WindowsUser,
  environment: Readonly<Record<string, string>>,
): Promise<Screen> {
  return runOnTerminal(
    ["wine", ...windowsProgram, ...words].map((word) => `'${word}'`).join(" "),
    steps,
    {
      ...wineEnvironment(),
      ...environment,
      HOME: user.home,
      GRANTCTL_TEST_USER: JSON.stringify(user.variables),
    },
    120,
  );
}

describe.skipIf(noWindowsReason !== null)(`on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("the configuration is in AppData, and nothing is read from the current folder", async () => {
    const user = makeWindowsUser();
    const trap = '{"profiles":{"default":{"base_url":"https://evil.example"}}}';
    writeFileSync(join(user.home, "config.json"), trap);
    expect((await runOnWindows(["config", "list"], user)).stdout).toBe("");
    const set = await runOnWindows(["config", "set", "base_url", "https://service.example"], user);
    expect(set).toEqual({ code: 0, stdout: "", stderr: "" });
    const file = join(user.home, "AppData", "Roaming", "grantctl", "config.json");
    // As an editor of Windows writes it.
    writeFileSync(file, `\uFEFF${readFileSync(file, "utf8").replaceAll("\n", "\r\n")}`);
    expect((await runOnWindows(["config", "get", "base_url"], user)).stdout).toBe(
      "https://service.example\n",
    );
  });

  test.each([
    ["the Credential Manager", [], false],
    ["a file", ["--store", "file"], true],
  ] as const)("a login keeps the password in %s until logout", async (_, flags, hasFile) => {
    const user = makeWindowsUser();
    const { base_url: url, username, password } = (await openSandbox()).sandbox.description;
    const environment = { GRANTCTL_BASE_URL: url };
    const words = ["auth", "login", "--username", username, "--password-stdin", ...flags];
    const login = await runOnWindows(words, user, { environment, input: `${password}\r\n` });
    expect(login.code).toBe(0);
    const folder = join(user.home, "AppData", "Roaming", "grantctl");
    expect(existsSync(join(folder, "credentials.json"))).toBe(hasFile);
    expect(readFileSync(join(folder, "config.json"), "utf8")).not.toContain(password);
    expect((await runOnWindows(["grant", "list"], user, { environment })).code).toBe(0);
    expect((await runOnWindows(["auth", "logout"], user, { environment })).code).toBe(0);
    expect((await runOnWindows(["grant", "list"], user, { environment })).code).toBe(4);
  });

  test("any characters in arguments, a value in a file, and tokens with Windows' line endings", async () => {
    const user = makeWindowsUser();
    const { environment, sandbox } = await openSandbox();
    const note = 'a "quoted" nöte \\ % ^';
    const file = join(user.home, "new token.txt");
    const create = ["authorization", "create", "--note", note, "--output-file", windowsPath(file)];
    expect(await runOnWindows(create, user, { environment })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{40}\n$/);
    const input = `\uFEFF${sandbox.description.tokens[0]?.token ?? ""}\r\n`;
    const revoke = ["token", "revoke", "--yes", "--json", "status"];
    const run = await runOnWindows(revoke, user, { environment, input });
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, [{ status: "revoked" }]]);
  });

  test("a batch file gets its arguments unchanged, and the current folder is not searched", async () => {
    const user = makeWindowsUser();
    // No space: Wine's cmd.exe, unlike Windows' own, does not support it in the name of a script.
    const file = join(mkdtempSync(join(tmpdir(), "grantctl-script-")), "say-it.cmd");
    writeFileSync(file, '@echo off\r\necho ["%~1"] ["%~2"]\r\nexit /b 3\r\n');
    const words = ["sandbox", "run", "--", windowsPath(file), "two words", "a&echo b"];
    expect(await runOnWindows(words, user)).toMatchObject({
      code: 3,
      stdout: '["two words"] ["a&echo b"]\r\n',
    });
    writeFileSync(join(user.home, "nothing.cmd"), "@exit /b 0\r\n");
    expect((await runOnWindows(["sandbox", "run", "--", "nothing"], user)).code).toBe(127);
  });

  test("a console is asked, hides a password, and Ctrl-C changes nothing", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const token = service.addToken();
    const { GRANTCTL_PASSWORD: password = "", ...environment } = service.environment;
    const words = ["authorization", "delete", String(service.idOf(token))];
    const typed = { when: /Password /, type: `${password}\r`, whenRaw: true };
    const stopped = await onConsole(
      words,
      [typed, { when: /\(y\/N\)/, type: "\u0003", whenRaw: true }],
      user,
      environment,
    );
    expect([stopped.code === 0, service.isLive(token)]).toEqual([false, true]);
    const agreed = await onConsole(
      words,
      [typed, { when: /\(y\/N\)/, type: "y\r", whenRaw: true }],
      user,
      environment,
    );
    expect([agreed.code, service.isLive(token)]).toEqual([0, false]);
    expect(agreed.text).not.toContain(password);
  });
});

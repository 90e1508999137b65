// Slow tests on Windows: stopped jobs, complete lifecycle operations, and a sandbox with persistent data.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { runOnTerminal } from "../support/terminal.ts";
import { startTruthService } from "../support/truth-service.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  startOnWindows,
  windowsNode,
  windowsPath,
  windowsProgram,
  wineEnvironment,
} from "../support/windows.ts";

/** Preloaded: emits Ctrl-Break when this file exists, because Wine has no key for it. */
function breakWhenThereIs(file: string): {
  readonly words: readonly string[];
  readonly GRANTCTL_TEST_BREAK: string;
} {
  const [node = "", ...rest] = windowsProgram;
  const script = windowsPath(fileURLToPath(new URL("../windows/break.cjs", import.meta.url)));
  return { words: [node, "--require", script, ...rest], GRANTCTL_TEST_BREAK: windowsPath(file) };
}

describe.skipIf(noWindowsReason !== null)(`jobs on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("Ctrl-C in a job finishes requests in flight, and --resume does the rest", async () => {
    const user = makeWindowsUser();
    // The job cannot finish before the key arrives.
    const service = await startTruthService((_, position) => ({ delayMs: position < 8 ? 200 : 2000 }));
    const tokens = Array.from({ length: 30 }, () => service.addToken());
    const ids = tokens.map((token) => String(service.idOf(token)));
    const words = ["authorization", "delete", ...ids, "--yes", "--concurrency", "2"];
    const line = ["wine", ...windowsProgram, ...words].map((word) => `'${word}'`).join(" ");
    const environment = { ...wineEnvironment(), ...service.environment, HOME: user.home };
    const screen = await runOnTerminal(
      line,
      [{ when: /[3-9] of 30/, type: "\u0003" }],
      { ...environment, GRANTCTL_TEST_USER: JSON.stringify(user.variables) },
      120,
    );
    const left = tokens.filter((token) => service.isLive(token));
    expect([screen.code === 0, left.length > 0]).toEqual([false, true]);
    const listed = await runOnWindows(["recover", "list", "--json"], user, service);
    const [job] = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
    const resumed = await runOnWindows([...words, "--resume", job?.id ?? ""], user, service);
    expect(resumed.code).toBe(0);
    expect(tokens.filter((token) => service.isLive(token))).toEqual([]);
    const deleted = service.writes.map(({ subject }) => subject);
    expect(new Set(deleted).size).toBe(deleted.length);
  });

  test("Ctrl-Break stops a job as Ctrl-C does, with its own exit code", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService((_, position) => (position < 8 ? undefined : { delayMs: 2000 }));
    const tokens = Array.from({ length: 30 }, () => service.addToken());
    const ids = tokens.map((token) => String(service.idOf(token)));
    const words = ["authorization", "delete", ...ids, "--yes", "--concurrency", "2"];
    const pressed = join(user.home, "pressed");
    const { words: program, ...variables } = breakWhenThereIs(pressed);
    service.onRequest(() => {
      if (service.requests.length === 10) writeFileSync(pressed, "");
    });
    const environment = { ...service.environment, ...variables };
    const stopped = await startOnWindows([...program, ...words], user, { environment }).finished;
    // 128 + 21 (SIGBREAK).
    expect(stopped.code).toBe(149);
    expect(stopped.stderr).toContain("waiting for the requests in flight");
    const left = tokens.filter((token) => service.isLive(token));
    expect([left.length > 0, service.writes.length]).toEqual([true, service.requests.length]);
    const [, journal = ""] = /--resume ([\w-]+)/.exec(stopped.stderr) ?? [];
    service.plan(() => undefined);
    const resumed = await runOnWindows([...words, "--resume", journal], user, service);
    expect([resumed.code, tokens.filter((token) => service.isLive(token))]).toEqual([0, []]);
    expect(service.writes).toHaveLength(tokens.length);
  });

  test("Ctrl-Break while a list shows its progress ends it without an error", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService((_, position) =>
      position === 0 ? undefined : { delayMs: 600_000 },
    );
    for (let count = 0; count < 150; count += 1) service.addToken();
    const pressed = join(user.home, "pressed");
    const { words: program, ...variables } = breakWhenThereIs(pressed);
    const words = [...program, "authorization", "list", "--sort", "id", "--timeout", "600"];
    const screen = await runOnTerminal(
      ["wine", ...words].map((word) => `'${word}'`).join(" "),
      [{ when: /1 of 2/, act: () => writeFileSync(pressed, "") }],
      {
        ...wineEnvironment(),
        ...service.environment,
        ...variables,
        HOME: user.home,
        GRANTCTL_TEST_USER: JSON.stringify(user.variables),
      },
      120,
    );
    // 128 and the number of SIGBREAK.
    expect(screen.code).toBe(149);
    expect(screen.text).not.toMatch(/bug|Error|ENOSYS/);
  });

  test("taskkill kills a job without notice, and --resume does the rest", async () => {
    const user = makeWindowsUser();
    // Two responses never arrive, so that the job is still running when taskkill acts.
    const service = await startTruthService((_, position) =>
      position < 8 ? undefined : { delayAnswerMs: 600_000 },
    );
    const tokens = Array.from({ length: 20 }, () => service.addToken());
    const ids = tokens.map((token) => String(service.idOf(token)));
    const words = ["authorization", "delete", ...ids, "--yes", "--concurrency", "2"];
    const [script, pidFile] = ["say-pid.cjs", "pid"].map((name) => join(user.home, name)) as [string, string];
    const target = JSON.stringify(windowsPath(pidFile));
    writeFileSync(script, `require("node:fs").writeFileSync(${target}, String(process.pid));`);
    const [node, ...rest] = [...windowsProgram, ...words] as [string, ...string[]];
    const { finished } = startOnWindows([node, "--require", windowsPath(script), ...rest], user, service);
    await new Promise<void>((resolve) => {
      service.onRequest(() => {
        if (service.requests.length === 10) resolve();
      });
    });
    const pid = readFileSync(pidFile, "utf8");
    expect((await startOnWindows(["taskkill", "/F", "/PID", pid], user).finished).code).toBe(0);
    await finished;
    expect(tokens.filter((token) => service.isLive(token))).toHaveLength(10);
    service.plan(() => undefined);
    const listed = await runOnWindows(["recover", "list", "--json"], user, service);
    const [job] = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
    const resumed = await runOnWindows([...words, "--resume", job?.id ?? ""], user, service);
    expect([resumed.code, tokens.filter((token) => service.isLive(token))]).toEqual([0, []]);
    const deleted = service.writes.map(({ subject }) => subject);
    expect(new Set(deleted).size).toBe(deleted.length);
  });

  test("recover shows an undelivered value, and forget removes it", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const words = ["authorization", "create", "--note", "n", "--to-command"];
    const failing = `'${windowsPath(windowsNode)}' -e 'process.exitCode=1'`;
    expect((await runOnWindows([...words, failing], user, service)).code).toBe(12);
    const listed = await runOnWindows(["recover", "list", "--json"], user, service);
    const [{ id } = { id: "" }] = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
    const shown = await runOnWindows(["recover", "show", id], user, service);
    expect(shown.stdout).toContain(service.writes[0]?.value);
    expect((await runOnWindows(["recover", "forget", id, "--yes"], user, service)).code).toBe(0);
    expect(JSON.parse((await runOnWindows(["recover", "list", "--json"], user, service)).stdout)).toEqual([]);
  });

  test("rotate creates a token, writes it, and deletes the old one", async () => {
    const user = makeWindowsUser();
    const account = await openAccount();
    onTestFinished(() => account.sandbox.close());
    const create = ["authorization", "create", "--note", "nightly", "--scope", "user", "--json"];
    const old = JSON.parse((await runOnWindows(create, user, account)).stdout) as { readonly id: number };
    const file = join(user.home, "rotated.txt");
    const words = ["authorization", "rotate", String(old.id), "--yes", "--output-file", windowsPath(file)];
    expect(await runOnWindows(words, user, account)).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{40}\n$/);
    expect((await runOnWindows(["authorization", "view", String(old.id)], user, account)).code).toBe(3);
  });

  test("a file that is not a program exits with code 126", async () => {
    const user = makeWindowsUser();
    writeFileSync(join(user.home, "text.exe"), "no program");
    const words = ["sandbox", "run", "--", windowsPath(join(user.home, "text.exe"))];
    const { code, stderr } = await runOnWindows(words, user);
    expect([code, stderr]).toEqual([126, expect.stringContaining("text.exe") as string]);
  });

  test("prints PowerShell's completion script, which completes a command", async () => {
    const user = makeWindowsUser();
    const printed = await runOnWindows(["completion", "powershell"], user);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).toContain("Register-ArgumentCompleter");
  });
});

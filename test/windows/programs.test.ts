// Programs that grantctl starts on Windows: the user's, found as Windows finds them but never in the current folder,
// and the system's, by their absolute path.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  windowsNode,
  windowsPath,
  type WindowsUser,
} from "../support/windows.ts";

/** A program that records its input and arguments; returns its command line for a profile or --to-command. */
function makeReceiver(user: WindowsUser, name: string, code = 0): string {
  const script = join(user.home, `${name}.cjs`);
  const got = windowsPath(join(user.home, `${name}.got`)).replaceAll("\\", "/");
  writeFileSync(
    script,
    `const { readFileSync, writeFileSync } = require("node:fs");
const secrets = Object.keys(process.env).filter((key) => /PASSWORD|CLIENT_SECRET|GRANTCTL_TOKEN$/i.test(key));
writeFileSync(${JSON.stringify(got)}, JSON.stringify({ input: readFileSync(0, "utf8"), words: process.argv.slice(2), secrets, note: process.env.GRANTCTL_NOTE }));
process.exitCode = ${code};
`,
  );
  return [windowsNode, script].map((path) => `'${windowsPath(path)}'`).join(" ");
}

const gotBy = (user: WindowsUser, name: string): unknown =>
  JSON.parse(readFileSync(join(user.home, `${name}.got`), "utf8"));

async function create(
  user: WindowsUser,
  service: TruthService,
  ...words: readonly string[]
): ReturnType<typeof runOnWindows> {
  return runOnWindows(["authorization", "create", "--note", "n ü", ...words], user, service);
}

describe.skipIf(noWindowsReason !== null)(`programs on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("--to-command passes the value to a program, and no other secret", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const command = `${makeReceiver(user, "taker")} 'two words' "a&b" %PATH%`;
    const created = await create(user, service, "--to-command", command);
    expect([created.code, created.stderr]).toEqual([0, ""]);
    expect(gotBy(user, "taker")).toEqual({
      input: expect.stringMatching(new RegExp(`^${service.writes[0]?.value ?? "?"}\\n?$`)) as string,
      words: ["two words", "a&b", "%PATH%"],
      secrets: [],
      note: "n ü",
    });
  });

  test("--to-command finds a .cmd on the PATH by its bare name, and passes its input on to its program", async () => {
    const { home, variables } = makeWindowsUser();
    // No space: Wine's cmd.exe, unlike Windows' own, does not support it in the name of a script.
    const tools = mkdtempSync(join(tmpdir(), "grantctl-tools-"));
    // In variables, because a script is read in the console's code page, which cannot represent these paths.
    const [node, script] = [windowsNode, join(home, "behind.cjs")].map(windowsPath) as [string, string];
    const user = {
      home,
      variables: { ...variables, PATH: `.;${windowsPath(tools)}`, TEST_NODE: node, TEST_SCRIPT: script },
    };
    const service = await startTruthService();
    makeReceiver(user, "behind");
    writeFileSync(join(tools, "vault-put.cmd"), '@echo off\r\n"%TEST_NODE%" "%TEST_SCRIPT%" %*\r\n');
    writeFileSync(join(user.home, "vault-put.cmd"), "@exit /b 1\r\n");
    const created = await create(user, service, "--to-command", "vault-put secret/ci 'two words' 'a&b'");
    expect([created.code, created.stderr]).toEqual([0, ""]);
    expect(gotBy(user, "behind")).toMatchObject({
      input: expect.stringContaining(service.writes[0]?.value ?? "?") as string,
      words: ["secret/ci", "two words", "a&b"],
      secrets: [],
    });
  });

  test("a command that rejects the value exits with code 12, and recover delivers it to another command", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const failed = await create(user, service, "--to-command", makeReceiver(user, "refuser", 3));
    expect(failed.code).toBe(12);
    const listed = await runOnWindows(["recover", "list", "--json"], user, service);
    const [kept] = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
    const words = ["recover", "show", kept?.id ?? "", "--to-command", makeReceiver(user, "taker")];
    expect((await runOnWindows(words, user, service)).code).toBe(0);
    expect(gotBy(user, "taker")).toMatchObject({
      input: expect.stringContaining(service.writes[0]?.value ?? "?") as string,
    });
    expect(JSON.parse((await runOnWindows(["recover", "list", "--json"], user, service)).stdout)).toEqual([]);
  });

  test("exits with code 2 if a command is missing or only in the current folder", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    for (const name of ["here.cmd", "here.exe", "here.bat"])
      writeFileSync(join(user.home, name), "@exit /b 0\r\n");
    for (const words of [
      ["--to-command", "nothing-of-this-name"],
      ["--to-command", "here"],
      ["--to-command", "here.cmd"],
    ])
      expect([words, (await create(user, service, ...words)).code]).toEqual([words, 2]);
    expect(service.requests).toEqual([]);
  });

  test("a one-time password comes from a command", async () => {
    const user = makeWindowsUser();
    const script = join(user.home, "code.cjs");
    writeFileSync(script, 'process.stdout.write("123456\\r\\n");');
    const service = await startTruthService(({ headers }) =>
      headers["x-service-otp"] === "123456"
        ? undefined
        : {
            instead: { status: 401, headers: { "X-Service-OTP": "required; app" }, body: { message: "otp" } },
          },
    );
    service.addToken();
    const command = [windowsNode, script].map((path) => `'${windowsPath(path)}'`).join(" ");
    const words = ["authorization", "list", "--json", "id"];
    const environment = { ...service.environment, GRANTCTL_OTP_COMMAND: command };
    const { code, stdout } = await runOnWindows(words, user, { ...service, environment });
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.anything()]]);
  });

  test("the machine's fingerprint is the same from any folder, even with another reg.exe there", async () => {
    const user = makeWindowsUser();
    const account = await openAccount();
    onTestFinished(() => account.sandbox.close());
    const folder = join(user.home, "there");
    mkdirSync(join(folder, "System32"), { recursive: true });
    const trap = windowsPath(join(user.home, "trapped"));
    for (const name of ["reg.cmd", "reg.bat", "System32/reg.exe"])
      writeFileSync(join(folder, name), `@echo x > "${trap}"\r\n`);
    const asked = ["authorization", "get-or-create", "--machine-fingerprint"];
    const here = await runOnWindows(asked, user, account);
    const there = await runOnWindows(asked, user, { ...account, cwd: folder });
    // 10: an authorization with this fingerprint already exists.
    expect([here.code, there.code]).toEqual([0, 10]);
    expect(existsSync(join(user.home, "trapped"))).toBe(false);
  });
});

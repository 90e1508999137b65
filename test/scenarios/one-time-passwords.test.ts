// One-time passwords of both kinds with the real program: from a command, from a text message, and from nobody.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";

describe("from an authenticator application", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell("--otp", "app", "--authorizations", "250", "--grants", "2");
  });
  afterAll(() => shell.close());

  test("otp_command gives codes, for reads and writes and many pages side by side", async () => {
    expect(shell.sandbox.description.totp_secret).toMatch(/^[A-Z2-7]{32}$/);
    const list = await shell.run("grantctl authorization list --json id --per-page 20");
    expect([list.code, list.stderr]).toEqual([0, ""]);
    expect(JSON.parse(list.stdout)).toHaveLength(250);
    const created = await shell.run("grantctl authorization create --note otp");
    expect([created.code, created.stderr]).toEqual([0, ""]);
    expect(created.stdout).toMatch(/^[0-9a-f]{40}\n$/);
  });

  test("otp_command gives both codes of a run of a command: for the creation and for the deletion", async () => {
    const line = `grantctl authorization run --note ephemeral -- sh -c 'grantctl api /user --jq .login'`;
    const run = await shell.run(line);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toBe(`${shell.sandbox.description.username}\n`);
    const left = await shell.run("grantctl authorization list --note ephemeral");
    expect([left.code, left.stdout]).toEqual([0, ""]);
  });
});

describe("by text message", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell("--otp", "sms");
  });
  afterAll(() => shell.close());

  test("a write sends one; its code, read where the sandbox shows it, is good for the next try", async () => {
    const words = "grantctl authorization create --note sms";
    const environment = { GRANTCTL_OTP_COMMAND: "" };
    const asked = await shell.run(words, { environment });
    expect([asked.code, asked.stdout]).toEqual([5, ""]);
    expect(asked.stderr).toMatch(/text message/);
    const message = /text message to octavia: (\d{6})/;
    await expect.poll(() => shell.sandbox.stderr()).toMatch(message);
    const code = message.exec(shell.sandbox.stderr())?.[1] ?? "";
    const given = await shell.run(`${words} --otp ${code}`, { environment });
    expect([given.code, given.stderr]).toEqual([0, ""]);
    expect(given.stdout).toMatch(/^[0-9a-f]{40}\n$/);
  });
});

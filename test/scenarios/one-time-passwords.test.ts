// One-time passwords of both types with the built program: from a command, from a text message, and missing.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";

describe("from an authenticator application", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell("--otp", "app", "--authorizations", "250", "--grants", "2");
  });
  afterAll(() => shell.close());

  test("otp_command provides codes for reads, writes and concurrent pages", async () => {
    expect(shell.sandbox.description.totp_secret).toMatch(/^[A-Z2-7]{32}$/);
    const list = await shell.run("grantctl authorization list --json id");
    expect([list.code, list.stderr]).toEqual([0, ""]);
    expect(JSON.parse(list.stdout)).toHaveLength(250);
    const created = await shell.run("grantctl authorization create --note otp");
    expect([created.code, created.stderr]).toEqual([0, ""]);
    expect(created.stdout).toMatch(/^[0-9a-f]{40}\n$/);
  });

  test("otp_command provides both codes of authorization run: for creation and deletion", async () => {
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

  test("a write triggers a message; its code is valid for the next attempt", async () => {
    const words = "grantctl authorization create --note sms";
    const environment = { GRANTCTL_OTP_COMMAND: "" };
    const asked = await shell.run(words, { environment });
    expect([asked.code, asked.stdout]).toEqual([4, ""]);
    expect(asked.stderr).toMatch(/text message/);
    const message = /text message to octavia: (\d{6})/;
    await expect.poll(() => shell.sandbox.stderr()).toMatch(message);
    const code = message.exec(shell.sandbox.stderr())?.[1] ?? "";
    const given = await shell.run(`${words} --otp ${code}`, { environment });
    expect([given.code, given.stderr]).toEqual([0, ""]);
    expect(given.stdout).toMatch(/^[0-9a-f]{40}\n$/);
  });
});

// `grantctl sandbox code` and `sandbox tokens`: what a running sandbox gives without credentials.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { json, on } from "../../support/serve.ts";

test.for(["app", "sms"] as const)("code prints a valid code: --otp %s", async (otp, { grantctl, world }) => {
  await world({ otp });
  const { code, stdout, stderr } = await grantctl("sandbox code");
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^\d{6}\n$/), ""]);
  expect((await grantctl(`grant list --otp ${stdout.trim()}`)).code).toBe(0);
});

test("tokens prints active tokens, which can be revoked", async ({ grantctl, world }) => {
  const { sandbox } = await world();
  const { code, stdout, stderr } = await grantctl("sandbox tokens --count 12");
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^(?:[0-9a-f]{40}\n){12}$/), ""]);
  const before = sandbox.store.tokens().length;
  expect((await grantctl("token revoke --yes", { input: stdout })).code).toBe(0);
  expect(sandbox.store.tokens()).toHaveLength(before - 12);
});

test("no credentials are sent, and nothing else is printed", async ({ grantctl, serve }) => {
  const server = await serve(on("POST /sandbox/*", json(200, { code: "\u001B[2J" })));
  for (const words of ["code", "tokens --count 1"]) {
    const { code, stdout } = await grantctl(`sandbox ${words}`);
    expect([code, stdout]).toEqual([1, ""]);
  }
  expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, undefined]);
});

// `grantctl sandbox tokens`: active tokens of a running sandbox, one a line.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { json, on } from "../../support/serve.ts";

test("prints active tokens, which can be revoked", async ({ grantctl, world }) => {
  const { sandbox } = await world();
  const { code, stdout, stderr } = await grantctl("sandbox tokens --count 12");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^(?:[0-9a-f]{40}\n){12}$/);
  const before = sandbox.store.tokens().length;
  expect((await grantctl("token revoke --yes", { input: stdout })).code).toBe(0);
  expect(sandbox.store.tokens()).toHaveLength(before - 12);
});

test("a count from 1 to 100,000 is required", async ({ grantctl }) => {
  const environment = { GRANTCTL_BASE_URL: "http://127.0.0.1:9" };
  for (const words of ["", "--count 0", "--count -1", "--count x", "--count 100001"])
    expect((await grantctl(`sandbox tokens ${words}`, { environment })).code).toBe(2);
});

test("asks no other machine, and prints nothing that is not a token", async ({ grantctl, serve }) => {
  const environment = { GRANTCTL_BASE_URL: "https://service.example.com" };
  expect((await grantctl("sandbox tokens --count 1", { environment })).code).toBe(2);
  await serve(on("POST /sandbox/tokens", json(200, { tokens: ["\u001B[2J"] })));
  const { code, stdout } = await grantctl("sandbox tokens --count 1");
  expect([code, stdout]).toEqual([1, ""]);
});

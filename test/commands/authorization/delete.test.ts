// `grantctl authorization delete`: what it rejects. For the rest it is the verb of `grant delete`.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";

test("with IDs, a filter is exit code 2", async ({ grantctl, serve }) => {
  const server = await serve();
  const run = await grantctl("authorization delete 1 --expires-within 30d --yes");
  expect([run.code, server.lines()]).toEqual([2, []]);
  expect(run.stderr).toContain("filters cannot be combined with IDs");
});

test("rejects ids and password both on standard input, and reads neither", async ({ grantctl, serve }) => {
  const server = await serve();
  const input = "correct horse battery\n1\n2\n";
  const run = await grantctl("authorization delete - --yes --password-stdin", { input });
  const stderr = "grantctl: standard input cannot contain both the IDs and the password\n";
  expect([run.code, run.stderr, server.requests]).toEqual([2, stderr, []]);
});

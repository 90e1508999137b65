// `grantctl authorization delete`: works like `grant delete`, at its own endpoint.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { authorizationJson } from "../../support/resources.ts";
import { json, on, plain } from "../../support/serve.ts";

test("accepts the JSON output of list as input", async ({ grantctl, serve }) => {
  const body = [authorizationJson({ id: 3 }), authorizationJson({ id: 4 })];
  await serve(on("GET /authorizations", json(200, body)), on("DELETE /authorizations/:id", plain(204)));
  for (const flags of ["--json", "--json id", "--format ndjson"]) {
    const list = await grantctl(`authorization list ${flags}`);
    const run = await grantctl("authorization delete - --yes", { input: list.stdout });
    expect(run).toMatchObject({ code: 0, stdout: "deleted\t3\ndeleted\t4\n" });
  }
});

test.for(["--expires-within", "--older-than"])(
  "%s selects from the list; with ids it exits with code 2",
  async (flag, { grantctl, serve }) => {
    const server = await serve();
    const run = await grantctl(`authorization delete 1 ${flag} 30d --yes`);
    expect([run.code, server.lines()]).toEqual([2, []]);
    expect(run.stderr).toContain("filters cannot be combined with IDs");
  },
);

test("rejects ids and password both on standard input, and reads neither", async ({ grantctl, serve }) => {
  const server = await serve();
  const input = "correct horse battery\n1\n2\n";
  const run = await grantctl("authorization delete - --yes --password-stdin", { input });
  const stderr = "grantctl: standard input cannot contain both the IDs and the password\n";
  expect([run.code, run.stderr, server.requests]).toEqual([2, stderr, []]);
});

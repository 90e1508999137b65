// Rejected request bodies, and their errors.
import { expect, test } from "vitest";
import { authorizationOf, authorizationsOf, invalid, outcomeOf } from "./resource-shapes.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

async function expectNothingNew(sandbox: TestSandbox): Promise<void> {
  expect(authorizationsOf(await sandbox.asAccount("GET", "/authorizations"))).toHaveLength(6);
}

test.each([
  [undefined, "missing_field", "description"],
  [{}, "missing_field", "description"],
  [{ note: null }, "missing_field", "description"],
  [{ note: "" }, "missing_field", "description"],
  [{ note: " \t " }, "missing_field", "description"],
  [{ note: 7 }, "invalid", "description"],
  [{ note: ["n"] }, "invalid", "description"],
  [{ note: "n", scopes: "repo" }, "invalid", "scopes"],
  [{ note: "n", scopes: [1] }, "invalid", "scopes"],
  [{ note: "n", scopes: { 0: "repo" } }, "invalid", "scopes"],
  [{ note: "n", note_url: 1 }, "invalid", "note_url"],
  [{ note: "n", fingerprint: {} }, "invalid", "fingerprint"],
  ['{"note":"n","__proto__":{"scopes":["repo"]},"scopes":true}', "invalid", "scopes"],
])("POST %j is %s of %s", async (body, code, field) => {
  const sandbox = await startTestSandbox();
  expect(outcomeOf(await sandbox.asAccount("POST", "/authorizations", body))).toEqual(invalid(code, field));
  await expectNothingNew(sandbox);
});

test("all unknown scopes are named", async () => {
  const sandbox = await startTestSandbox();
  const body = { note: "n", scopes: ["repo", "rep", "user", "root\n"] };
  const message = "scopes are invalid: rep, root\n";
  expect(outcomeOf(await sandbox.asAccount("POST", "/authorizations", body))).toEqual(
    invalid("custom", "scopes", { message }),
  );
  expect(outcomeOf(await sandbox.asAccount("PATCH", "/authorizations/1", { add_scopes: ["x"] }))).toEqual(
    invalid("custom", "scopes", {
      message: "scopes are invalid: x",
    }),
  );
  const { client_id, client_secret } = sandbox.description;
  const put = await sandbox.asAccount("PUT", `/authorizations/clients/${client_id}`, {
    client_secret,
    scopes: ["x"],
  });
  expect(outcomeOf(put)).toEqual(invalid("custom", "scopes", { message: "scopes are invalid: x" }));
  await expectNothingNew(sandbox);
});

test("scopes of real operators are valid", async () => {
  const sandbox = await startTestSandbox();
  const scopes =
    "repo repo:status repo_deployment public_repo repo:invite security_events admin:repo_hook write:repo_hook read:repo_hook admin:org write:org read:org admin:public_key write:public_key read:public_key admin:org_hook gist notifications user read:user user:email user:follow project read:project delete_repo write:discussion read:discussion write:packages read:packages delete:packages admin:gpg_key write:gpg_key read:gpg_key codespace workflow read:audit_log site_admin";
  const reply = await sandbox.asAccount("POST", "/authorizations", {
    note: "all",
    scopes: scopes.split(" "),
  });
  expect(reply.status).toBe(201);
  expect(authorizationOf(reply).scopes.join(" ")).toBe(scopes);
});

test("a note is unique among personal tokens, compared exactly", async () => {
  const sandbox = await startTestSandbox();
  const create = (note: string) => sandbox.asAccount("POST", "/authorizations", { note });
  expect((await create("nightly")).status).toBe(201);
  expect(outcomeOf(await create("nightly"))).toEqual(invalid("already_exists", "description"));
  for (const other of ["Nightly", "nightly ", "nightly\u0000", "nightly\u0000x", "nightly 2"]) {
    expect([other, (await create(other)).status]).toEqual([other, 201]);
  }
  expect(outcomeOf(await create("nightly\u0000"))).toEqual(invalid("already_exists", "description"));
});

test("a fingerprint is unique for an application, and among personal tokens", async () => {
  const sandbox = await startTestSandbox();
  const { client_id, client_secret } = sandbox.description;
  const create = (note: string, more: object = {}) =>
    sandbox.asAccount("POST", "/authorizations", { note, fingerprint: "laptop", ...more });
  expect((await create("one")).status).toBe(201);
  expect(outcomeOf(await create("two"))).toEqual(invalid("already_exists", "fingerprint"));
  expect((await create("three", { client_id, client_secret })).status).toBe(201);
  expect(outcomeOf(await create("four", { client_id, client_secret }))).toEqual(
    invalid("already_exists", "fingerprint"),
  );
});

test("client ID and secret must be sent together", async () => {
  const sandbox = await startTestSandbox();
  const { client_id, client_secret } = sandbox.description;
  const resource = "OauthApplication";
  const create = (more: object) => sandbox.asAccount("POST", "/authorizations", { note: "n", ...more });
  expect(outcomeOf(await create({ client_id }))).toEqual(
    invalid("missing_field", "client_secret", { resource }),
  );
  expect(outcomeOf(await create({ client_id, client_secret: "" }))).toEqual(
    invalid("missing_field", "client_secret", {
      resource,
    }),
  );
  expect(outcomeOf(await create({ client_id, client_secret: "x" }))).toEqual(
    invalid("invalid", "client_secret", { resource }),
  );
  expect(outcomeOf(await create({ client_id, client_secret: 4 }))).toEqual(
    invalid("invalid", "client_secret", { resource }),
  );
  expect(outcomeOf(await create({ client_id: "x", client_secret }))).toEqual(
    invalid("invalid", "client_secret", { resource }),
  );
  expect(outcomeOf(await create({ client_secret }))).toEqual(
    invalid("missing_field", "client_id", { resource }),
  );
  await expectNothingNew(sandbox);
});

test.each(['{"note":', "[1", "nothing", "\ufeff{}", '{"note":"\u0001"}'])("%j is not JSON", async (body) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("POST", "/authorizations", body);
  expect(reply.status).toBe(400);
  expect(reply.json()).toMatchObject({ message: "Problems parsing JSON" });
});

test.each(["[]", '"note"', "1", "null", "true", `${"[".repeat(100_000)}${"]".repeat(100_000)}`])(
  "%.20s is not an object",
  async (body) => {
    const sandbox = await startTestSandbox();
    const reply = await sandbox.asAccount("PATCH", "/authorizations/1", body);
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ message: "Body should be a JSON object" });
  },
);

test("a body over a mebibyte is rejected, and the connection can still be used", async () => {
  const sandbox = await startTestSandbox();
  const create = (length: number) =>
    sandbox.asAccount("POST", "/authorizations", `{"note":"${"x".repeat(length - '{"note":""}'.length)}"}`);
  expect((await create(1024 * 1024)).status).toBe(201);
  expect((await create(1024 * 1024 + 1)).status).toBe(413);
  expect((await create(5_000_000)).status).toBe(413);
});

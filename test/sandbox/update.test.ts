// Operation 9: update an authorization.
import { expect, test } from "vitest";
import { type AuthorizationJson, authorizationOf, invalid, outcomeOf } from "./resource-shapes.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

async function createWith(sandbox: TestSandbox, scopes: string[]): Promise<AuthorizationJson> {
  const reply = await sandbox.asAccount("POST", "/authorizations", {
    note: "to change",
    note_url: "https://example.com/before",
    fingerprint: "before",
    scopes,
  });
  return authorizationOf(reply);
}

test.each([
  [{}, ["repo", "user", "gist"]],
  [{ scopes: ["gist", "user:email"] }, ["gist", "user:email"]],
  [{ scopes: [] }, []],
  [{ add_scopes: ["notifications", "user", "notifications"] }, ["repo", "user", "gist", "notifications"]],
  [{ remove_scopes: ["user", "notifications"] }, ["repo", "gist"]],
  [{ scopes: null, add_scopes: null, remove_scopes: null }, ["repo", "user", "gist"]],
])("%j changes the scopes to %j", async (body, scopes) => {
  const sandbox = await startTestSandbox();
  const created = await createWith(sandbox, ["repo", "user", "gist"]);
  sandbox.clock.now += 5000;
  const reply = await sandbox.asAccount("PATCH", `/authorizations/${created.id}`, body);
  expect(reply.status).toBe(200);
  const expected = { ...created, scopes, token: "", updated_at: "2026-11-20T19:02:09Z" };
  expect(reply.json()).toEqual(expected);
  expect(reply.headers["location"]).toBeUndefined();
  expect((await sandbox.asAccount("GET", `/authorizations/${created.id}`)).json()).toEqual(expected);
});

test("note, note URL and fingerprint change if they are sent", async () => {
  const sandbox = await startTestSandbox();
  const created = await createWith(sandbox, []);
  const change = { note: "changed", note_url: "https://example.com/after", fingerprint: "after" };
  const reply = await sandbox.asAccount("PATCH", `/authorizations/${created.id}`, change);
  expect(reply.json()).toEqual({
    ...created,
    ...change,
    app: { ...created.app, name: "changed", url: "https://example.com/after" },
    token: "",
  });
});

test.each([
  { note: null, note_url: null, fingerprint: null },
  { note_url: "", fingerprint: "" },
])("%j changes nothing but the time", async (body) => {
  const sandbox = await startTestSandbox();
  const created = await createWith(sandbox, ["repo"]);
  const reply = await sandbox.asAccount("PATCH", `/authorizations/${created.id}`, body);
  expect(reply.json()).toEqual({ ...created, token: "" });
});

test("the token's value stays active", async () => {
  const sandbox = await startTestSandbox();
  const created = await createWith(sandbox, ["repo"]);
  await sandbox.asAccount("PATCH", `/authorizations/${created.id}`, { scopes: ["gist"] });
  const user = await sandbox.send("GET", "/user", { headers: { Authorization: `token ${created.token}` } });
  expect(user.headers["x-oauth-scopes"]).toBe("gist");
});

test.each([
  { scopes: ["repo"], add_scopes: ["user"] },
  { scopes: [], remove_scopes: [] },
  { add_scopes: ["user"], remove_scopes: ["repo"] },
  { scopes: ["repo"], add_scopes: ["user"], remove_scopes: ["repo"] },
])("more than one change of scopes is rejected: %j", async (body) => {
  const sandbox = await startTestSandbox();
  const message = "only one of scopes, add_scopes, remove_scopes may be sent";
  const before = await sandbox.asAccount("GET", "/authorizations/4");
  sandbox.clock.now += 5000;
  expect(outcomeOf(await sandbox.asAccount("PATCH", "/authorizations/4", body))).toEqual(
    invalid("custom", "scopes", { message }),
  );
  expect((await sandbox.asAccount("GET", "/authorizations/4")).text).toBe(before.text);
});

test("another token's note or fingerprint is rejected, its own is not", async () => {
  const sandbox = await startTestSandbox();
  const created = await createWith(sandbox, []);
  const path = `/authorizations/${created.id}`;
  await sandbox.asAccount("POST", "/authorizations", { note: "taken", fingerprint: "taken" });
  expect(outcomeOf(await sandbox.asAccount("PATCH", path, { note: "taken" }))).toEqual(
    invalid("already_exists", "description"),
  );
  expect(outcomeOf(await sandbox.asAccount("PATCH", path, { fingerprint: "taken" }))).toEqual(
    invalid("already_exists", "fingerprint"),
  );
  const own = await sandbox.asAccount("PATCH", path, { note: "to change", fingerprint: "before" });
  expect(own.status).toBe(200);
});

test("a blank note removes the note of an application's token, but is rejected for a personal one", async () => {
  const sandbox = await startTestSandbox();
  const second = await sandbox.asAccount("PATCH", "/authorizations/2", { note: " " });
  expect(authorizationOf(second).note).toBeNull();
  expect(outcomeOf(await sandbox.asAccount("PATCH", "/authorizations/4", { note: "" }))).toEqual(
    invalid("missing_field", "description"),
  );
});

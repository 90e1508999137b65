// Operations 7 and 8: get-or-create, with and without a fingerprint.
import { expect, test } from "vitest";
import { authorizationFields, authorizationOf, invalid, outcomeOf } from "./resource-shapes.ts";
import { startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

function put(sandbox: TestSandbox, rest: string, body: Record<string, unknown> = {}): Promise<Reply> {
  const { client_id, client_secret } = sandbox.description;
  return sandbox.asAccount("PUT", `/authorizations/clients/${client_id}${rest}`, { client_secret, ...body });
}

async function startWithoutTokens(): Promise<TestSandbox> {
  return startTestSandbox({ grants: 0, authorizations: 0 });
}

test("the first request creates and returns the value; the second finds and returns none", async () => {
  const sandbox = await startWithoutTokens();
  const body = { scopes: ["repo"], note: "ci", note_url: "https://example.com/ci" };
  const first = await put(sandbox, "", body);
  expect(first.status).toBe(201);
  const created = authorizationOf(first);
  expect(Object.keys(created)).toEqual(authorizationFields);
  expect(created).toMatchObject({ ...body, fingerprint: "" });
  expect(created.token).toMatch(/^[0-9a-f]{40}$/);
  expect(first.headers["location"]).toBe(`${sandbox.description.base_url}/authorizations/${created.id}`);

  sandbox.clock.now += 60_000;
  const second = await put(sandbox, "", { scopes: ["user"], note: "other" });
  expect(second.status).toBe(200);
  expect(second.json()).toEqual({ ...created, token: "" });
  expect(second.headers["location"]).toBe(created.url);
});

test("scopes, note and note URL are optional", async () => {
  const sandbox = await startWithoutTokens();
  const created = authorizationOf(await put(sandbox, ""));
  expect(created).toMatchObject({ scopes: [], note: null, note_url: null, fingerprint: "" });
});

test("without a fingerprint, an authorization without one is preferred to an older one", async () => {
  const sandbox = await startWithoutTokens();
  const withFingerprint = authorizationOf(await put(sandbox, "/laptop"));
  const later = authorizationOf(await put(sandbox, "/desktop"));
  expect(later.id).toBeGreaterThan(withFingerprint.id);
  const oldest = await put(sandbox, "");
  expect(oldest.status, "the specification knows any authorization of the application").toBe(200);
  expect(authorizationOf(oldest).id).toBe(withFingerprint.id);

  const { client_id, client_secret } = sandbox.description;
  const plain = await sandbox.asAccount("POST", "/authorizations", { note: "n", client_id, client_secret });
  const found = await put(sandbox, "");
  expect(authorizationOf(found).id).toBe(authorizationOf(plain).id);
});

test("a fingerprint in the path equals one in the body", async () => {
  const sandbox = await startWithoutTokens();
  await put(sandbox, "");
  const first = await put(sandbox, `/${encodeURIComponent("büro/漢字 #1")}`);
  expect(first.status).toBe(201);
  const created = authorizationOf(first);
  expect(created.fingerprint).toBe("büro/漢字 #1");
  const inBody = await put(sandbox, "", { fingerprint: "büro/漢字 #1" });
  expect(inBody.status).toBe(200);
  expect(inBody.json()).toEqual({ ...created, token: "" });
  expect((await put(sandbox, "", { fingerprint: "another" })).status).toBe(201);
  expect((await put(sandbox, "", { fingerprint: "" })).status).toBe(200);
  const both = await put(sandbox, "/in-path", { fingerprint: "in-body" });
  expect(authorizationOf(both).fingerprint).toBe("in-path");
});

test("tokens of other applications and personal ones do not match", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 4 });
  const [first, second] = sandbox.applications;
  await put(sandbox, "/shared");
  const reply = await sandbox.asAccount("PUT", `/authorizations/clients/${second?.client_id}/shared`, {
    client_secret: second?.client_secret,
  });
  expect(reply.status).toBe(201);
  expect(authorizationOf(reply).app.client_id).toBe(second?.client_id);
  expect(first?.client_id).not.toBe(second?.client_id);
});

test("a missing or wrong secret is rejected", async () => {
  const sandbox = await startWithoutTokens();
  const resource = "OauthApplication";
  const [wrong, missing] = [{ client_secret: "0".repeat(40) }, { client_secret: "" }];
  expect(outcomeOf(await put(sandbox, "", wrong))).toEqual(invalid("invalid", "client_secret", { resource }));
  expect(outcomeOf(await put(sandbox, "", missing))).toEqual(
    invalid("missing_field", "client_secret", { resource }),
  );
  expect(outcomeOf(await put(sandbox, "/f", { client_secret: null }))).toEqual(
    invalid("missing_field", "client_secret", {
      resource,
    }),
  );
  const unknown = await sandbox.asAccount("PUT", `/authorizations/clients/${"0".repeat(20)}`, {
    client_secret: sandbox.description.client_secret,
  });
  expect(outcomeOf(unknown)).toEqual(invalid("invalid", "client_secret", { resource }));
  expect((await sandbox.asAccount("GET", "/authorizations")).json()).toEqual([]);
});

test("unknown keys are rejected by name", async () => {
  const sandbox = await startWithoutTokens();
  const reply = await put(sandbox, "", { client_id: sandbox.description.client_id });
  expect(reply.status).toBe(422);
  expect(reply.json()).toEqual({
    message: 'Invalid request.\n\n"client_id" is not a permitted key.',
    documentation_url: expect.any(String),
  });
});

test("concurrent requests create exactly one authorization", async () => {
  const sandbox = await startWithoutTokens();
  const replies = await Promise.all(Array.from({ length: 20 }, () => put(sandbox, "/one")));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 19 }, () => 200),
    201,
  ]);
  expect(new Set(replies.map((reply) => authorizationOf(reply).id)).size).toBe(1);
});

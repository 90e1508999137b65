// Operations 4, 5, 6 and 10: list, read, create and delete an account's authorizations.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  authorizationFields,
  authorizationOf,
  authorizationsOf,
  noContent,
  notFound,
  outcomeOf,
} from "./resource-shapes.ts";
import { startTestSandbox } from "./sandbox-client.ts";

test("the list contains all authorizations in order, without token values", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/authorizations");
  expect(reply.status).toBe(200);
  const authorizations = authorizationsOf(reply);
  expect(authorizations.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const authorization of authorizations) {
    expect(Object.keys(authorization)).toEqual(authorizationFields);
    expect(Object.keys(authorization.app)).toEqual(["url", "name", "client_id"]);
    expect(authorization.url).toBe(`${sandbox.description.base_url}/authorizations/${authorization.id}`);
    expect(authorization.token).toBe("");
    expect(authorization.hashed_token).toMatch(/^[0-9a-f]{64}$/);
    expect(authorization.token_last_eight).toMatch(/^[0-9a-f]{8}$/);
    expect(authorization.note).not.toBe("");
    const single = await sandbox.asAccount("GET", `/authorizations/${authorization.id}`);
    expect(single.status).toBe(200);
    expect(single.json()).toEqual(authorization);
  }
});

test("creating a personal token returns its value, its hash and its URL", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("POST", "/authorizations", {
    note: "été 漢字 \u0000 \ud800",
    note_url: "https://example.com/why",
    scopes: ["user", "repo", "user:email"],
    fingerprint: "laptop",
  });
  expect(reply.status).toBe(201);
  const created = authorizationOf(reply);
  expect(Object.keys(created)).toEqual(authorizationFields);
  expect(created.token).toMatch(/^[0-9a-f]{40}$/);
  expect(created).toEqual({
    id: 7,
    url: `${sandbox.description.base_url}/authorizations/7`,
    app: {
      url: "https://example.com/why",
      name: "été 漢字 \u0000 \ud800",
      client_id: "00000000000000000000",
    },
    token: created.token,
    hashed_token: createHash("sha256").update(created.token).digest("hex"),
    token_last_eight: created.token.slice(-8),
    note: "été 漢字 \u0000 \ud800",
    note_url: "https://example.com/why",
    created_at: "2026-11-20T19:02:04Z",
    updated_at: "2026-11-20T19:02:04Z",
    scopes: ["user", "repo", "user:email"],
    fingerprint: "laptop",
  });
  expect(reply.headers["location"]).toBe(created.url);
  const read = await sandbox.asAccount("GET", "/authorizations/7");
  expect(read.json()).toEqual({ ...created, token: "" });
});

test("omitted fields are null or empty; the application's URL is that of the documentation", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("POST", "/authorizations", { note: "bare" });
  const created = authorizationOf(reply);
  expect(created).toMatchObject({ note: "bare", note_url: null, scopes: [], fingerprint: "" });
  expect(created.app).toEqual({
    url: expect.stringMatching(/^https:\/\//),
    name: "bare",
    client_id: "00000000000000000000",
  });
});

test("a token is created for an application if its secret is sent", async () => {
  const sandbox = await startTestSandbox();
  const [, second] = sandbox.applications;
  if (second === undefined) throw new Error("no second application");
  const { client_id, client_secret } = second;
  const body = { note: "for the app", client_id, client_secret, scopes: ["gist"] };
  const first = await sandbox.asAccount("POST", "/authorizations", body);
  expect(first.status).toBe(201);
  expect(authorizationOf(first).app).toEqual({ url: second.url, name: second.name, client_id });
  const again = await sandbox.asAccount("POST", "/authorizations", body);
  expect(again.status, "notes of applications' tokens need not be unique").toBe(201);
  const { token } = authorizationOf(again);
  expect((await sandbox.asApplication("GET", `/applications/${client_id}/tokens/${token}`, 1)).status).toBe(
    200,
  );
});

test("delete removes one authorization", async () => {
  const sandbox = await startTestSandbox();
  expect(outcomeOf(await sandbox.asAccount("DELETE", "/authorizations/5"))).toEqual(noContent);
  expect(outcomeOf(await sandbox.asAccount("GET", "/authorizations/5"))).toEqual(notFound);
  expect(outcomeOf(await sandbox.asAccount("DELETE", "/authorizations/5"))).toEqual(notFound);
  const rest = authorizationsOf(await sandbox.asAccount("GET", "/authorizations"));
  expect(rest.map(({ id }) => id)).toEqual([1, 2, 3, 4, 6]);
});

test("IDs are never reused", async () => {
  const sandbox = await startTestSandbox();
  await sandbox.asAccount("DELETE", "/authorizations/6");
  const created = await sandbox.asAccount("POST", "/authorizations", { note: "next" });
  expect(authorizationOf(created).id).toBe(7);
});

test.each(["0", "x", "7%2f", "1.5", "18446744073709551617", "%zz", ".", ".."])(
  "there is no authorization %s",
  async (id) => {
    const sandbox = await startTestSandbox();
    expect(outcomeOf(await sandbox.asAccount("GET", `/authorizations/${id}`))).toEqual(notFound);
    expect(outcomeOf(await sandbox.asAccount("PATCH", `/authorizations/${id}`, {}))).toEqual(notFound);
    expect(outcomeOf(await sandbox.asAccount("DELETE", `/authorizations/${id}`))).toEqual(notFound);
    expect(authorizationsOf(await sandbox.asAccount("GET", "/authorizations"))).toHaveLength(6);
  },
);

// Operations 11 to 14: an application checks, resets and revokes tokens, and revokes grants.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  authorizationFields,
  userFields,
  authorizationOf,
  authorizationsOf,
  grantsOf,
  rowsOf,
  noContent,
  notFound,
  outcomeOf,
} from "./resource-shapes.ts";
import { basic, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

function pathOf({ description }: TestSandbox, kind: "tokens" | "grants" = "tokens", index = 0): string {
  return `/applications/${description.client_id}/${kind}/${description.tokens[index]?.token}`;
}

test("check returns the token with its authorization and user", async () => {
  const sandbox = await startTestSandbox();
  const [described] = sandbox.description.tokens;
  const reply = await sandbox.asApplication("GET", pathOf(sandbox));
  expect(reply.status).toBe(200);
  const { user, ...authorization } = authorizationOf(reply);
  expect(Object.keys(reply.json() as object)).toEqual([...authorizationFields, "user"]);
  expect(Object.keys(user ?? {})).toEqual(userFields);
  const listed = await sandbox.asAccount("GET", `/authorizations/${described?.id}`);
  expect(authorization).toEqual({ ...authorizationOf(listed), token: described?.token });
  expect(user).toMatchObject({
    login: sandbox.description.username,
    id: 1,
    node_id: "MDQ6VXNlcjE=",
    gravatar_id: "",
    type: "User",
    site_admin: false,
  });
});

test("reset replaces only the value, immediately", async () => {
  const sandbox = await startTestSandbox();
  const before = authorizationOf(await sandbox.asApplication("GET", pathOf(sandbox, "tokens", 1)));
  sandbox.clock.now += 1000;
  const reply = await sandbox.asApplication("POST", pathOf(sandbox, "tokens", 1));
  expect(reply.status).toBe(200);
  const after = authorizationOf(reply);
  expect(after.token).toMatch(/^[0-9a-f]{40}$/);
  expect(after.token).not.toBe(before.token);
  expect(after).toEqual({
    ...before,
    token: after.token,
    hashed_token: createHash("sha256").update(after.token).digest("hex"),
    token_last_eight: after.token.slice(-8),
    updated_at: "2026-11-20T19:02:05Z",
  });
  expect(outcomeOf(await sandbox.asApplication("GET", pathOf(sandbox, "tokens", 1)))).toEqual(notFound);
  const fresh = `/applications/${sandbox.description.client_id}/tokens/${after.token}`;
  expect((await sandbox.asApplication("GET", fresh)).json()).toEqual(after);
});

test("revoke deletes one token; the last one takes the grant with it", async () => {
  const sandbox = await startTestSandbox({ grants: 1, authorizations: 4 });
  expect(outcomeOf(await sandbox.asApplication("DELETE", pathOf(sandbox)))).toEqual(noContent);
  expect(outcomeOf(await sandbox.asApplication("DELETE", pathOf(sandbox)))).toEqual(notFound);
  expect(grantsOf(await sandbox.asAccount("GET", "/applications/grants"))).toHaveLength(1);
  expect(outcomeOf(await sandbox.asApplication("DELETE", pathOf(sandbox, "tokens", 1)))).toEqual(noContent);
  expect((await sandbox.asAccount("GET", "/applications/grants")).json()).toEqual([]);
  const rest = authorizationsOf(await sandbox.asAccount("GET", "/authorizations"));
  expect(rest.map((authorization) => authorization.app.client_id)).toEqual(["0".repeat(20), "0".repeat(20)]);
});

test("revoking a grant deletes all tokens of the application for that user", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 12 });
  expect(outcomeOf(await sandbox.asApplication("DELETE", pathOf(sandbox, "grants", 3)))).toEqual(noContent);
  expect(outcomeOf(await sandbox.asApplication("DELETE", pathOf(sandbox, "grants", 4)))).toEqual(notFound);
  const grants = grantsOf(await sandbox.asAccount("GET", "/applications/grants"));
  expect(grants.map((grant) => grant.app.client_id)).toEqual([sandbox.applications[1]?.client_id]);
  expect(rowsOf(await sandbox.asAccount("GET", "/authorizations"))).toHaveLength(3);
});

test.each(["GET", "POST", "DELETE"])("%s of another application's token is 404", async (method) => {
  const sandbox = await startTestSandbox();
  const { applications } = sandbox;
  const { tokens, client_id } = sandbox.description;
  const created = await sandbox.asAccount("POST", "/authorizations", { note: "personal" });
  const own = authorizationOf(created).token;
  const other = applications[1]?.client_id;
  expect(outcomeOf(await sandbox.asApplication(method, `/applications/${client_id}/tokens/${own}`))).toEqual(
    notFound,
  );
  expect(
    outcomeOf(await sandbox.asApplication(method, `/applications/${client_id}/tokens/${"0".repeat(40)}`)),
  ).toEqual(notFound);
  for (const index of [0, 1]) {
    const path = `/applications/${other}/tokens/${tokens[0]?.token}`;
    expect(outcomeOf(await sandbox.asApplication(method, path, index))).toEqual(notFound);
  }
  expect(outcomeOf(await sandbox.asApplication(method, `/applications/${client_id}/tokens/..`))).toEqual(
    notFound,
  );
  expect(outcomeOf(await sandbox.asApplication(method, `/applications/${client_id}/tokens/`))).toEqual(
    notFound,
  );
  expect((await sandbox.asApplication("GET", pathOf(sandbox))).status, "nothing changed").toBe(200);
});

test.each([
  ["GET", "tokens"],
  ["POST", "tokens"],
  ["DELETE", "tokens"],
  ["DELETE", "grants"],
] as const)("%s below %s needs the application's own secret", async (method, kind) => {
  const sandbox = await startTestSandbox();
  const { client_id, client_secret, username, password, tokens } = sandbox.description;
  const { applications } = sandbox;
  const path = pathOf(sandbox, kind);
  for (const headers of [
    {},
    basic(client_id, "0".repeat(40)),
    basic(client_id, ""),
    basic("0".repeat(20), client_secret),
    basic(applications[1]?.client_id ?? "", applications[1]?.client_secret ?? ""),
    basic(username, password),
    basic(username, tokens[0]?.token ?? ""),
    { Authorization: `token ${tokens[0]?.token}` },
    { Authorization: "Basic !" },
  ]) {
    expect(outcomeOf(await sandbox.send(method, path, { headers }))).toEqual(notFound);
  }
  expect((await sandbox.asApplication("GET", pathOf(sandbox))).status, "nothing changed").toBe(200);
});

test("an application needs no one-time password", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  expect((await sandbox.asApplication("GET", pathOf(sandbox))).status).toBe(200);
});

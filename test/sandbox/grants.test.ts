// Operations 1 to 3: an account's grants.
import { expect, test } from "vitest";
import {
  authorizationsOf,
  grantsOf,
  noContent,
  notFound,
  outcomeOf,
  type AuthorizationJson,
  type GrantJson,
} from "./resource-shapes.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

async function listGrants(sandbox: TestSandbox): Promise<GrantJson[]> {
  const reply = await sandbox.asAccount("GET", "/applications/grants");
  expect(reply.status).toBe(200);
  return grantsOf(reply);
}

async function listAuthorizations(sandbox: TestSandbox): Promise<AuthorizationJson[]> {
  const reply = await sandbox.asAccount("GET", "/authorizations");
  return authorizationsOf(reply);
}

test("the list has one grant for each application that holds a token, by ascending id", async () => {
  const sandbox = await startTestSandbox();
  const grants = await listGrants(sandbox);
  const {
    applications,
    description: { base_url },
  } = sandbox;
  expect(grants.map((grant) => grant.app)).toEqual(
    applications.map(({ url, name, client_id }) => ({ url, name, client_id })),
  );
  for (const grant of grants) {
    expect(Object.keys(grant)).toEqual(["id", "url", "app", "created_at", "updated_at", "scopes"]);
    expect(Object.keys(grant.app)).toEqual(["url", "name", "client_id"]);
    expect(grant.url).toBe(`${base_url}/applications/grants/${grant.id}`);
    expect(grant.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
  expect(grants.map((grant) => grant.id)).toEqual(grants.map((grant) => grant.id).toSorted((a, b) => a - b));
});

test("a grant's scopes are the union of its tokens' scopes, in the order first granted", async () => {
  const sandbox = await startTestSandbox({ grants: 1, authorizations: 1 });
  const { client_id, client_secret } = sandbox.description;
  const [seeded] = await listAuthorizations(sandbox);
  await sandbox.asAccount("PATCH", `/authorizations/${seeded?.id}`, { scopes: ["user", "repo"] });
  for (const scopes of [
    ["gist", "repo"],
    [],
    ["gist", "notifications", "user"],
    ["repo", "gist"],
    ["user", "repo"],
  ]) {
    const fingerprint = scopes.join("+") || "none";
    const body = { note: "n", client_id, client_secret, scopes, fingerprint };
    expect((await sandbox.asAccount("POST", "/authorizations", body)).status).toBe(201);
  }
  const [grant] = await listGrants(sandbox);
  expect(grant?.scopes).toEqual(["user", "repo", "gist", "notifications"]);
  const single = await sandbox.asAccount("GET", `/applications/grants/${grant?.id}`);
  expect(single.json()).toEqual(grant);
});

test("a personal token creates no grant", async () => {
  const sandbox = await startTestSandbox({ grants: 0, authorizations: 0 });
  await sandbox.asAccount("POST", "/authorizations", { note: "mine", scopes: ["repo"] });
  expect(await listGrants(sandbox)).toEqual([]);
});

test("a grant keeps its ID, and is updated with its tokens", async () => {
  const sandbox = await startTestSandbox({ grants: 1, authorizations: 1 });
  const [before] = await listGrants(sandbox);
  const [authorization] = await listAuthorizations(sandbox);
  sandbox.clock.now += 60_000;
  await sandbox.asAccount("PATCH", `/authorizations/${authorization?.id}`, {});
  const [after] = await listGrants(sandbox);
  expect(after).toEqual({ ...before, updated_at: "2026-11-20T19:03:04Z" });
});

test("deleting a grant deletes all tokens of the application and nothing else", async () => {
  const sandbox = await startTestSandbox({ grants: 3, authorizations: 20 });
  const { client_id, tokens } = sandbox.description;
  const [first, ...others] = await listGrants(sandbox);
  expect(outcomeOf(await sandbox.asAccount("DELETE", `/applications/grants/${first?.id}`))).toEqual(
    noContent,
  );
  expect(await listGrants(sandbox)).toEqual(others);
  const rest = await listAuthorizations(sandbox);
  expect(rest).toHaveLength(20 - tokens.length);
  expect(rest.some((authorization) => authorization.app.client_id === client_id)).toBe(false);
  for (const { token } of tokens) {
    expect(
      outcomeOf(await sandbox.asApplication("GET", `/applications/${client_id}/tokens/${token}`)),
    ).toEqual(notFound);
  }
  expect(outcomeOf(await sandbox.asAccount("DELETE", `/applications/grants/${first?.id}`))).toEqual(notFound);
});

test("deleting the application's last token deletes the grant; a new grant has a new ID", async () => {
  const sandbox = await startTestSandbox({ grants: 1, authorizations: 1 });
  const { client_id, client_secret } = sandbox.description;
  const [grant] = await listGrants(sandbox);
  const [authorization] = await listAuthorizations(sandbox);
  expect(outcomeOf(await sandbox.asAccount("DELETE", `/authorizations/${authorization?.id}`))).toEqual(
    noContent,
  );
  expect(await listGrants(sandbox)).toEqual([]);
  await sandbox.asAccount("PUT", `/authorizations/clients/${client_id}`, { client_secret });
  const [next] = await listGrants(sandbox);
  expect(next?.id).toBeGreaterThan(grant?.id ?? 0);
});

test.each(["0", "99999", "x", "1.0", "-1", "1e0", "99999999999999999999", "%31x"])(
  "there is no grant %s",
  async (id) => {
    const sandbox = await startTestSandbox();
    expect(outcomeOf(await sandbox.asAccount("GET", `/applications/grants/${id}`))).toEqual(notFound);
    expect(outcomeOf(await sandbox.asAccount("DELETE", `/applications/grants/${id}`))).toEqual(notFound);
    expect(await listGrants(sandbox)).toHaveLength(3);
  },
);

// Differences between the operators: the position of the token, the response of `GET /meta`, the format of tokens, and
// their metadata.
import { describe, expect, test } from "vitest";
import { basic, startOfTests, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

function tokenOf({ description }: TestSandbox): string {
  return description.tokens[0]?.token ?? "";
}

function inBody(
  sandbox: TestSandbox,
  method: string,
  end: "token" | "grant",
  body: unknown,
  index = 0,
): ReturnType<TestSandbox["send"]> {
  const application = sandbox.applications[index];
  if (application === undefined) throw new Error(`no application ${index}`);
  const { client_id, client_secret } = application;
  return sandbox.send(method, `/applications/${client_id}/${end}`, {
    headers: basic(client_id, client_secret),
    body,
  });
}

describe("github", () => {
  test("the token is sent in the body; paths with tokens are 404", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    const token = tokenOf(sandbox);
    const { client_id } = sandbox.description;
    expect((await sandbox.asApplication("GET", `/applications/${client_id}/tokens/${token}`)).status).toBe(
      404,
    );

    const checked = await inBody(sandbox, "POST", "token", { access_token: token });
    expect(checked.status).toBe(200);
    expect(checked.json()).toMatchObject({ token, user: { login: "octavia" }, expires_at: null });

    const reset = await inBody(sandbox, "PATCH", "token", { access_token: token });
    const { token: next } = reset.json() as { token: string };
    expect(next).toMatch(/^gho_[0-9A-Za-z]{36}$/);
    expect(next).not.toBe(token);
    expect((await inBody(sandbox, "POST", "token", { access_token: token })).status).toBe(404);

    expect((await inBody(sandbox, "DELETE", "token", { access_token: next })).status).toBe(204);
    expect((await inBody(sandbox, "POST", "token", { access_token: next })).status).toBe(404);
  });

  test("revoking a grant revokes all its tokens", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    const [first, second] = sandbox.description.tokens;
    expect((await inBody(sandbox, "DELETE", "grant", { access_token: first?.token })).status).toBe(204);
    expect((await inBody(sandbox, "POST", "token", { access_token: second?.token })).status).toBe(404);
  });

  test.each([{}, { access_token: "" }, { access_token: null }, { access_token: 7 }])(
    "a body without a token is 422: %j",
    async (body) => {
      const sandbox = await startTestSandbox({ operator: "github" });
      for (const [method, end] of [
        ["POST", "token"],
        ["PATCH", "token"],
        ["DELETE", "token"],
        ["DELETE", "grant"],
      ] as const) {
        expect((await inBody(sandbox, method, end, body)).status).toBe(422);
      }
    },
  );

  test("another application's token, and wrong credentials, are 404", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    expect((await inBody(sandbox, "POST", "token", { access_token: tokenOf(sandbox) }, 1)).status).toBe(404);
    const { client_id } = sandbox.description;
    const wrong = await sandbox.send("POST", `/applications/${client_id}/token`, {
      headers: basic(client_id, "0".repeat(40)),
      body: { access_token: tokenOf(sandbox) },
    });
    expect(wrong.status).toBe(404);
  });

  test("tokens have prefixes; expired ones are rejected but still listed", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    expect(tokenOf(sandbox)).toMatch(/^gho_[0-9A-Za-z]{36}$/);
    const { id, token } = await sandbox.makePersonalToken("of today");
    expect(token).toMatch(/^ghp_[0-9A-Za-z]{36}$/);
    expect((await sandbox.asToken("GET", "/user", token)).status).toBe(200);
    const made = await sandbox.asAccount("GET", `/authorizations/${id}`);
    expect(made.json()).toMatchObject({ expires_at: null, installation: null, fingerprint: null });

    const listed = async (): Promise<readonly { id: number; expires_at: string | null }[]> =>
      (await sandbox.asAccount("GET", "/authorizations")).json() as {
        id: number;
        expires_at: string | null;
      }[];
    const expiring = (await listed()).filter(({ expires_at }) => expires_at !== null);
    expect(expiring.map(({ expires_at }) => expires_at)).toEqual([
      "2026-11-30T19:02:04Z",
      "2027-06-08T19:02:04Z",
      "2027-06-08T19:02:04Z",
      "2027-06-08T19:02:04Z",
    ]);
    sandbox.clock.now = startOfTests + 11 * 24 * 3600 * 1000;
    expect((await listed()).length).toBe(7);
  });

  test("a list can be filtered by application", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    const clientId = sandbox.applications[1]?.client_id ?? "";
    for (const path of ["/authorizations", "/applications/grants"]) {
      const reply = await sandbox.asAccount("GET", `${path}?client_id=${clientId}&per_page=1`);
      const rows = reply.json() as readonly { app: { client_id: string } }[];
      expect(rows.map(({ app }) => app.client_id)).toEqual([clientId]);
      expect(reply.headers["link"]).toBeUndefined();
      expect((await sandbox.asAccount("GET", `${path}?client_id=${"0".repeat(20)}`)).json()).toEqual([]);
    }
  });

  test("a grant contains its user", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    const [grant] = (await sandbox.asAccount("GET", "/applications/grants")).json() as readonly unknown[];
    expect(grant).toMatchObject({ user: { login: "octavia", type: "User" } });
  });

  test("headers describe the token", async () => {
    const sandbox = await startTestSandbox({ operator: "github" });
    const reply = await sandbox.asToken("GET", "/user");
    expect(reply.headers["x-oauth-client-id"]).toBe(sandbox.description.client_id);
    expect(reply.headers["github-authentication-token-expiration"]).toBeUndefined();
  });
});

test.each([
  ["github", 200],
  ["service", 404],
] as const)("%s responds to GET / with %i", async (operator, status) => {
  const sandbox = await startTestSandbox({ operator });
  const reply = await sandbox.send("GET", "/", { headers: { Authorization: `token ${tokenOf(sandbox)}` } });
  expect(reply.status).toBe(status);
  expect(reply.headers["x-oauth-scopes"] === undefined).toBe(status === 404);
  expect((await sandbox.send("GET", "/")).status).toBe(status === 200 ? 401 : 404);
});

test.each([
  ["service", 404, {}],
  ["github", 200, { installed_version: "3.19.2", verifiable_password_authentication: true }],
] as const)("%s responds to GET /meta with %i, without credentials", async (operator, status, meta) => {
  const sandbox = await startTestSandbox({ operator });
  const reply = await sandbox.send("GET", "/meta");
  expect(reply.status).toBe(status);
  expect(reply.json()).toMatchObject(meta);
});

test("github.com has no version and no operations for the account", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  const meta = (await sandbox.send("GET", "/meta")).json();
  expect(meta).toEqual({ verifiable_password_authentication: false });
  for (const path of ["/applications/grants", "/authorizations", "/authorizations/1"]) {
    expect((await sandbox.asAccount("GET", path)).status).toBe(404);
  }
  expect((await inBody(sandbox, "POST", "token", { access_token: tokenOf(sandbox) })).status).toBe(200);
});

// Operations 11 to 14: an application and its tokens, with the token in the path, and at GitHub in the body; and reports of
// leaked tokens.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  basic,
  gone,
  notFound,
  outcomeOf,
  type Reply,
  rowOf,
  startOfTests,
  startTestSandbox,
  type TestSandbox,
} from "./sandbox-client.ts";

type Operation = "check" | "reset" | "revoke" | "revoke-grant";
const operations: readonly Operation[] = ["check", "reset", "revoke", "revoke-grant"];

function act(sandbox: TestSandbox, operation: Operation, token: string, index = 0): Promise<Reply> {
  const isInBody = sandbox.description.tokens[0]?.token.startsWith("gho_") === true;
  const [method, kind] = {
    check: [isInBody ? "POST" : "GET", "token"],
    reset: [isInBody ? "PATCH" : "POST", "token"],
    revoke: ["DELETE", "token"],
    "revoke-grant": ["DELETE", "grant"],
  }[operation] as [string, string];
  const path = `/applications/${sandbox.store.applications[index]?.clientId}/${kind}`;
  return isInBody
    ? sandbox.asApplication(method, path, { access_token: token }, index)
    : sandbox.asApplication(method, `${path}s/${encodeURIComponent(token)}`, undefined, index);
}

const userFields =
  "login id node_id avatar_url gravatar_id url html_url followers_url following_url gists_url starred_url subscriptions_url organizations_url repos_url events_url received_events_url type site_admin";

for (const serverType of ["service", "github", "github.com"] as const) {
  test(`${serverType}: check returns the authorization with its value and user`, async () => {
    const sandbox = await startTestSandbox({ serverType });
    const [{ token, id } = { token: "", id: 0 }] = sandbox.description.tokens;
    expect(token).toMatch(serverType === "service" ? /^[0-9a-f]{40}$/ : /^gho_[0-9A-Za-z]{36}$/);
    const reply = await act(sandbox, "check", token);
    const { user, ...authorization } = reply.json as { user: Record<string, unknown>; id: number };
    expect(Object.keys(user).join(" ")).toBe(userFields);
    expect(user).toMatchObject({ login: "octavia", id: 1, node_id: "MDQ6VXNlcjE=", type: "User" });
    expect([reply.status, authorization.id]).toEqual([200, id]);
    if (serverType === "github.com") return;
    const viewed = await sandbox.asAccount("GET", `/authorizations/${id}`);
    expect(authorization).toEqual({ ...rowOf(viewed), token });
  });

  test(`${serverType}: reset replaces only the value; revoke ends one token, revoke-grant all`, async () => {
    const sandbox = await startTestSandbox({ serverType, grants: 2, authorizations: 12 });
    const [one = "", two = "", three = ""] = sandbox.description.tokens.map(({ token }) => token);
    const before = rowOf(await act(sandbox, "check", one));
    sandbox.clock.now += 1000;
    const after = rowOf(await act(sandbox, "reset", one));
    expect(after).toEqual({
      ...before,
      token: expect.not.stringContaining(one) as string,
      hashed_token: createHash("sha256").update(after.token).digest("hex"),
      token_last_eight: after.token.slice(-8),
      updated_at: "2026-11-20T19:02:05Z",
    });
    expect(outcomeOf(await act(sandbox, "check", one))).toEqual(notFound);
    expect((await act(sandbox, "check", after.token)).json).toEqual(after);
    expect(outcomeOf(await act(sandbox, "revoke", two))).toEqual(gone);
    expect(outcomeOf(await act(sandbox, "revoke", two))).toEqual(notFound);
    expect((await act(sandbox, "check", three)).status).toBe(200);
    expect(outcomeOf(await act(sandbox, "revoke-grant", three))).toEqual(gone);
    expect(outcomeOf(await act(sandbox, "check", after.token))).toEqual(notFound);
    expect(sandbox.store.tokens().map(({ application }) => application?.id ?? null)).toEqual([2, null, null]);
  });

  test(`${serverType}: another application's token, an unknown one, and wrong credentials are 404`, async () => {
    const sandbox = await startTestSandbox({ serverType });
    const { client_id, client_secret, username, password, tokens } = sandbox.description;
    const [{ token } = { token: "" }] = tokens;
    for (const operation of operations) {
      for (const [value, index] of [
        [token, 1],
        ["0".repeat(40), 0],
        ["..", 0],
      ] as const)
        expect(outcomeOf(await act(sandbox, operation, value, index))).toEqual(notFound);
      for (const headers of [
        {},
        basic(client_id, `${client_secret}0`),
        basic(username, password),
        basic(
          sandbox.store.applications[1]?.clientId ?? "",
          sandbox.store.applications[1]?.clientSecret ?? "",
        ),
        { Authorization: `token ${token}` },
      ]) {
        const [path, body] =
          serverType === "service" ? [`tokens/${token}`, undefined] : ["token", { access_token: token }];
        const sending = { headers, body };
        expect(
          outcomeOf(await sandbox.send("DELETE", `/applications/${client_id}/${path}`, sending)),
        ).toEqual(notFound);
      }
    }
    expect((await act(sandbox, "check", token)).status).toBe(200);
  });
}

test("github: a body without a token is 422, and tokens in paths do not exist", async () => {
  const sandbox = await startTestSandbox({ serverType: "github" });
  const { client_id, tokens } = sandbox.description;
  const path = `/applications/${client_id}/token`;
  for (const body of [{}, { access_token: "" }, { access_token: 7 }])
    expect((await sandbox.asApplication("DELETE", path, body)).status).toBe(422);
  expect(outcomeOf(await sandbox.asApplication("GET", `${path}s/${tokens[0]?.token}`))).toEqual(notFound);
});

test("github: an expired token is not found but still listed, and its expiry is in a header", async () => {
  const sandbox = await startTestSandbox({ serverType: "github", grants: 1, authorizations: 4 });
  const [, { token } = { token: "" }] = sandbox.description.tokens;
  const { headers } = await sandbox.asToken("GET", "/user", token);
  expect(headers["github-authentication-token-expiration"]).toBe("2027-06-08 19:02:04 UTC");
  expect(headers["x-oauth-client-id"]).toBe(sandbox.description.client_id);
  sandbox.clock.now = startOfTests + 201 * 86_400_000;
  expect(outcomeOf(await act(sandbox, "check", token))).toEqual(notFound);
  expect((await sandbox.asToken("GET", "/user", token)).status).toBe(401);
  expect((await sandbox.asAccount("GET", "/authorizations/4")).json).toMatchObject({
    expires_at: "2027-06-08T19:02:04Z",
  });
});

test.each([
  ["service", 404, null],
  ["github", 200, { installed_version: "3.19.2", verifiable_password_authentication: true }],
  ["github.com", 200, { verifiable_password_authentication: false }],
] as const)("%s answers GET /meta without credentials with %i", async (serverType, status, meta) => {
  const sandbox = await startTestSandbox({ serverType });
  const reply = await sandbox.send("GET", "/api/v3/meta");
  expect([reply.status, meta === null ? null : reply.json]).toEqual([status, meta]);
  const account = await sandbox.asAccount("GET", "/authorizations");
  expect(account.status).toBe(serverType === "github.com" ? 404 : 200);
});

test("github.com revokes reported tokens; reports with credentials, or of no tokens, are refused", async () => {
  const sandbox = await startTestSandbox({ serverType: "github.com" });
  const [token = "", other = ""] = sandbox.description.tokens.map((one) => one.token);
  const report = (credentials: unknown, headers = {}): Promise<Reply> =>
    sandbox.send("POST", "/credentials/revoke", { body: { credentials }, headers });
  expect((await report([token], { Authorization: `token ${token}` })).status).toBe(403);
  for (const credentials of [undefined, [], "ghp_x", Array.from({ length: 1001 }, () => "a")])
    expect((await report(credentials)).status).toBe(422);
  expect((await act(sandbox, "check", token)).status).toBe(200);
  expect(outcomeOf(await report([token, "ghp_unknown"]))).toEqual([202, {}]);
  expect((await act(sandbox, "check", token)).status).toBe(404);
  expect((await act(sandbox, "check", other)).status).toBe(200);
});

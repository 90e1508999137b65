// An account's resources require its password; without it they are 404.
import { expect, test } from "vitest";
import { userFields, notFound, outcomeOf } from "./resource-shapes.ts";
import { basic, startTestSandbox } from "./sandbox-client.ts";

const accountRequests: [string, string][] = [
  ["GET", "/applications/grants"],
  ["GET", "/applications/grants/1"],
  ["DELETE", "/applications/grants/1"],
  ["GET", "/authorizations"],
  ["GET", "/authorizations/1"],
  ["POST", "/authorizations"],
  ["PUT", "/authorizations/clients/x"],
  ["PUT", "/authorizations/clients/x/y"],
  ["PATCH", "/authorizations/1"],
  ["DELETE", "/authorizations/1"],
  ["PATCH", "/authorizations"],
  ["GET", "/authorizations/1/unknown"],
];

test.each(accountRequests)("%s %s is 404 without the account's password", async (method, path) => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const { username, password, client_id, client_secret, tokens } = sandbox.description;
  const token = tokens[0]?.token ?? "";
  for (const headers of [
    {},
    basic(username, ""),
    basic(username, `${password} `),
    basic(username.toUpperCase(), password),
    basic("nobody", password),
    basic(username, token),
    basic(token, "x-oauth-basic"),
    basic(token, ""),
    basic(client_id, client_secret),
    { Authorization: `token ${token}` },
    { Authorization: `Bearer ${password}` },
    { Authorization: "Basic" },
    { Authorization: `Basic ${Buffer.from("no colon").toString("base64")}` },
    { Authorization: "Basic \u00ff\u00fe" },
  ]) {
    const reply = await sandbox.send(method, path, { headers });
    expect(outcomeOf(reply)).toEqual(notFound);
    expect(reply.headers["x-service-otp"]).toBeUndefined();
  }
});

test("a wrong password is rejected after a correct one", async () => {
  const sandbox = await startTestSandbox();
  const { username, password } = sandbox.description;
  for (const [candidate, status] of [
    [password, 200],
    [`${password}x`, 404],
    [password, 200],
    [password.slice(1), 404],
    ["", 404],
  ] as const) {
    const reply = await sandbox.send("GET", "/authorizations", { headers: basic(username, candidate) });
    expect(reply.status).toBe(status);
  }
});

test("applications' resources reject the account's password", async () => {
  const sandbox = await startTestSandbox();
  const { client_id, tokens } = sandbox.description;
  expect(
    outcomeOf(await sandbox.asAccount("GET", `/applications/${client_id}/tokens/${tokens[0]?.token}`)),
  ).toEqual(notFound);
  expect(outcomeOf(await sandbox.asAccount("GET", "/applications"))).toEqual(notFound);
});

test("unknown paths are 404 in JSON", async () => {
  const sandbox = await startTestSandbox();
  for (const path of [
    "/",
    "/users/octavia",
    "/user/repos",
    "/orgs/harbourworks",
    "/repos/octavia/logbook",
    "/authorization",
    "/%",
    "/%2Fauthorizations",
  ]) {
    expect(outcomeOf(await sandbox.asAccount("GET", path))).toEqual(notFound);
  }
  expect(outcomeOf(await sandbox.asAccount("POST", "/user"))).toEqual(notFound);
  expect(outcomeOf(await sandbox.asAccount("OPTIONS", "/authorizations"))).toEqual(notFound);
  expect(outcomeOf(await sandbox.asAccount("PUT", "/authorizations/clients"))).toEqual(notFound);
});

test("GET /user accepts a token in every format, and reports its scopes", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const { username, tokens } = sandbox.description;
  const token = tokens[0]?.token ?? "";
  await sandbox.asAccount("PATCH", `/authorizations/${tokens[0]?.id}`, { scopes: ["repo", "user:email"] });
  for (const headers of [
    { Authorization: `token ${token}` },
    { Authorization: `bearer ${token}` },
    { Authorization: `Token  ${token}` },
    basic(username, token),
    basic(token, "x-oauth-basic"),
    basic(token, ""),
  ]) {
    const reply = await sandbox.send("GET", "/user", { headers });
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json() as object)).toEqual(userFields);
    expect(reply.json()).toMatchObject({ login: username });
    expect(reply.headers["x-oauth-scopes"]).toBe("repo, user:email");
  }
});

test("GET /user is 401 without valid credentials, and has no challenge", async () => {
  const sandbox = await startTestSandbox();
  const { username, tokens } = sandbox.description;
  const token = tokens[0]?.token ?? "";
  const expected: [Record<string, string>, string][] = [
    [{}, "Requires authentication"],
    [basic(username, "wrong"), "Bad credentials"],
    [basic("someone-else", token), "Bad credentials"],
    [{ Authorization: `token ${"0".repeat(40)}` }, "Bad credentials"],
    [{ Authorization: `Digest ${token}` }, "Bad credentials"],
  ];
  for (const [headers, message] of expected) {
    const reply = await sandbox.send("GET", "/user", { headers });
    expect(reply.status).toBe(401);
    expect(reply.json()).toEqual({ message, documentation_url: expect.any(String) });
    expect(reply.headers["www-authenticate"]).toBeUndefined();
  }
});

test("GET /user accepts the password only if two-factor authentication is off", async () => {
  const off = await startTestSandbox();
  const reply = await off.asAccount("GET", "/user");
  expect(reply.status).toBe(200);
  expect(reply.headers["x-oauth-scopes"]).toBeUndefined();
  const on = await startTestSandbox({ otp: "app" });
  const refused = await on.asAccount("GET", "/user");
  expect(refused.status).toBe(401);
  expect(refused.headers["x-service-otp"]).toBeUndefined();
  expect((refused.json() as { message: string }).message).toMatch(/token/);
});

test("a password may contain colons and non-ASCII characters", async () => {
  const sandbox = await startTestSandbox();
  const { username, password } = sandbox.description;
  expect(
    outcomeOf(await sandbox.send("GET", "/authorizations", { headers: basic(username, `${password}:é漢`) })),
  ).toEqual(notFound);
});

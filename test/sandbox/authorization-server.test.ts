// The sandbox as an OAuth 2.0 server: tested with oauth4webapi, which checks each response against the standards, and
// with requests that no conforming client sends.
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { basic, type Reply, startOfTests, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";
import { fault } from "../support/account.ts";

const insecure = { [oauth.allowInsecureRequests]: true };

interface Client {
  readonly sandbox: TestSandbox;
  readonly server: oauth.AuthorizationServer;
  /** The first application's seeded tokens. */
  readonly tokens: {
    readonly access: string;
    readonly refresh: string;
    readonly jwt: string;
    readonly jwtRefresh: string;
  };
  readonly introspect: (token: string, sending?: Sending) => Promise<oauth.IntrospectionResponse>;
  /** Resolves with the status, or rejects with the error of a response that the standard does not allow. */
  readonly revoke: (token: string, sending?: Sending) => Promise<number>;
}

interface Sending {
  /** The index of the application, from 0. */
  readonly index?: number;
  readonly authenticate?: (secret: string) => oauth.ClientAuth;
  readonly hint?: string;
}

async function connect(overrides: Partial<SandboxOptions> = {}): Promise<Client> {
  const sandbox = await startTestSandbox({ operator: "oauth", ...overrides });
  const { base_url, applications, tokens } = sandbox.description;
  const issuer = new URL(base_url);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
  const call = (
    request: typeof oauth.introspectionRequest,
    token: string,
    { index = 0, authenticate = oauth.ClientSecretBasic, hint }: Sending = {},
  ): Promise<Response> =>
    request(
      server,
      { client_id: applications[index]?.client_id ?? "" },
      authenticate(applications[index]?.client_secret ?? ""),
      token,
      { ...insecure, ...(hint === undefined ? {} : { additionalParameters: { token_type_hint: hint } }) },
    );
  const [access = "", refresh = "", jwt = "", jwtRefresh = ""] = tokens.map(({ token }) => token);
  return {
    sandbox,
    server,
    tokens: { access, refresh, jwt, jwtRefresh },
    introspect: async (token, sending) =>
      oauth.processIntrospectionResponse(
        server,
        { client_id: sandbox.description.client_id },
        await call(oauth.introspectionRequest, token, sending),
      ),
    revoke: async (token, sending) => {
      const response = await call(oauth.revocationRequest, token, sending);
      const { status } = response;
      await oauth.processRevocationResponse(response);
      return status;
    },
  };
}

function decodePart(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

/** A form to an endpoint, with the first application's credentials unless others are given. */
function post(
  { sandbox }: Client,
  endpoint: "introspect" | "revoke",
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { client_id, client_secret } = sandbox.description;
  return sandbox.send("POST", `/oauth/${endpoint}`, {
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      ...basic(client_id, client_secret),
      ...headers,
    },
    body,
  });
}

describe("metadata", () => {
  test.each(["oauth2", "oidc"] as const)(
    "is found by a client of %s, and names every endpoint",
    async (algorithm) => {
      const { sandbox } = await connect();
      const issuer = new URL(sandbox.description.base_url);
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
      const metadata = await oauth.processDiscoveryResponse(issuer, response);
      expect(metadata).toMatchObject({
        introspection_endpoint: `${issuer.origin}/oauth/introspect`,
        revocation_endpoint: `${issuer.origin}/oauth/revoke`,
        userinfo_endpoint: `${issuer.origin}/oauth/userinfo`,
        introspection_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      });
    },
  );

  test("other operators' operations and headers do not exist", async () => {
    const { sandbox } = await connect();
    const { client_id, tokens } = sandbox.description;
    for (const path of [
      "/user",
      "/meta",
      "/authorizations",
      "/applications/grants",
      `/applications/${client_id}/tokens/${tokens[0]?.token}`,
      "/graphql",
    ]) {
      const reply = await sandbox.asAccount("GET", path);
      expect([path, reply.status, reply.json()]).toEqual([
        path,
        404,
        { error: "invalid_request", error_description: expect.any(String) as string },
      ]);
      expect(Object.keys(reply.headers).filter((name) => /ratelimit|media-type|service/.test(name))).toEqual(
        [],
      );
    }
  });
});

describe.each([
  ["Basic", oauth.ClientSecretBasic],
  ["post", oauth.ClientSecretPost],
] as const)("a client that authenticates with %s", (_, authenticate) => {
  test("introspects its own tokens; another client's are inactive", async () => {
    const client = await connect();
    const { sandbox, tokens } = client;
    const at = startOfTests / 1000;
    const shown = await client.introspect(tokens.access, { authenticate });
    expect(shown).toMatchObject({
      active: true,
      client_id: sandbox.description.client_id,
      username: "octavia",
      sub: "1",
      token_type: "Bearer",
      scope: "openid profile email offline_access",
      iss: sandbox.description.base_url,
    });
    expect(shown).not.toHaveProperty("exp");
    expect(await client.introspect(tokens.jwt, { authenticate })).toMatchObject({
      active: true,
      exp: at + 30 * 24 * 3600,
    });
    expect(await client.introspect(tokens.refresh, { authenticate })).not.toHaveProperty("token_type");
    for (const token of Object.values(tokens)) {
      expect(await client.introspect(token, { authenticate, index: 1 })).toEqual({ active: false });
    }
  });

  test("revokes its own tokens; another client's are not affected, with status 200", async () => {
    const client = await connect();
    const { access } = client.tokens;
    expect(await client.revoke(access, { authenticate, index: 1 })).toBe(200);
    expect(await client.introspect(access)).toMatchObject({ active: true });
    expect(await client.revoke(access, { authenticate })).toBe(200);
    expect(await client.introspect(access)).toEqual({ active: false });
    expect(await client.revoke(access, { authenticate })).toBe(200);
    expect(await client.revoke("unknown", { authenticate })).toBe(200);
  });
});

test("revoking a refresh token revokes its access token, but not the other way round", async () => {
  const { introspect, revoke, tokens } = await connect();
  expect(tokens.access).toMatch(/^at_[0-9A-Za-z]{36}$/);
  expect(tokens.refresh).toMatch(/^rt_[0-9A-Za-z]{36}$/);
  expect(tokens.jwt.length).toBeGreaterThan(1000);
  const [header = "", payload = ""] = tokens.jwt.split(".");
  expect(decodePart(header)).toMatchObject({ typ: "at+jwt" });
  expect(decodePart(payload)).toMatchObject({ exp: startOfTests / 1000 + 30 * 24 * 3600 });
  await revoke(tokens.access);
  expect(await introspect(tokens.refresh)).toMatchObject({ active: true });
  await revoke(tokens.jwtRefresh);
  expect(await introspect(tokens.jwt)).toEqual({ active: false });
  expect(await introspect(tokens.jwtRefresh)).toEqual({ active: false });
  expect(await introspect(tokens.refresh)).toMatchObject({ active: true });
});

test("an expired token is inactive, and revoking it is 200", async () => {
  const { sandbox, introspect, revoke, tokens } = await connect();
  sandbox.clock.now = startOfTests + 31 * 24 * 3600 * 1000;
  expect(await introspect(tokens.jwt)).toEqual({ active: false });
  expect(await revoke(tokens.jwt)).toBe(200);
  expect(await introspect(tokens.jwtRefresh)).toMatchObject({ active: true });
});

test.each([
  ["access_token", "refresh"],
  ["refresh_token", "access"],
  ["zzz", "access"],
] as const)(
  "with a wrong token_type_hint, %s, a token is inactive and is not revoked",
  async (hint, kind) => {
    const { introspect, revoke, tokens } = await connect();
    expect(await introspect(tokens[kind], { hint })).toEqual({ active: false });
    expect(await revoke(tokens[kind], { hint })).toBe(200);
    expect(await introspect(tokens[kind])).toMatchObject({ active: true });
  },
);

describe("client authentication", () => {
  test.each(["introspect", "revoke"] as const)(
    "%s: missing or wrong credentials are 401 with a challenge",
    async (endpoint) => {
      const client = await connect();
      const { client_id: id, client_secret: secret } = client.sandbox.description;
      const { access } = client.tokens;
      for (const [body, authorization] of [
        [`token=${access}`, basic(id, "wrong").Authorization],
        [`token=${access}`, basic("wrong", secret).Authorization],
        [`token=${access}`, ""],
        [`token=${access}&client_id=${id}`, ""],
        [`token=${access}&client_id=${id}&client_secret=wrong`, ""],
      ] as const) {
        const headers = { "Content-Type": "application/x-www-form-urlencoded" };
        const reply = await client.sandbox.send("POST", `/oauth/${endpoint}`, {
          headers: authorization === "" ? headers : { ...headers, Authorization: authorization },
          body,
        });
        expect([reply.status, reply.json()]).toEqual([
          401,
          { error: "invalid_client", error_description: expect.any(String) as string },
        ]);
        expect(reply.headers["www-authenticate"]).toMatch(/^Basic realm="/);
        expect(reply.headers["cache-control"]).toBe("no-store");
      }
    },
  );

  test("two authentication methods in one request are 400", async () => {
    const client = await connect();
    const { client_id: id, client_secret: secret } = client.sandbox.description;
    const { access } = client.tokens;
    for (const more of [
      `client_secret=${secret}`,
      `client_id=${id}&client_secret=${secret}`,
      "client_id=other",
    ]) {
      const reply = await post(client, "introspect", `token=${access}&${more}`);
      expect([reply.status, reply.json()]).toEqual([
        400,
        { error: "invalid_request", error_description: expect.any(String) as string },
      ]);
    }
    expect((await post(client, "introspect", `token=${access}&client_id=${id}`)).status).toBe(200);
  });

  test.each([
    ["Basic parts that are not form-encoded", basic("odd:id&x", "p%+~ :=/?").Authorization],
    ["a Basic without a colon", `Basic ${Buffer.from("id").toString("base64")}`],
    ["a Basic that is no base64", "Basic ???"],
    ["another scheme", "Bearer token"],
    ["a broken percent-encoding", basic("id", "100%").Authorization],
    ["a control character", basic("id", "a%00b").Authorization],
  ])("%s is 400", async (_, authorization) => {
    const client = await connect();
    const reply = await post(client, "introspect", "token=x", { Authorization: authorization });
    expect([reply.status, reply.json()]).toMatchObject([400, { error: "invalid_request" }]);
  });

  test("form-encoded special characters in ID and secret are decoded", async () => {
    const client = await connect();
    const encoded = ["odd:id&x", "p%+~ :=/?"].map((text) =>
      new URLSearchParams({ text }).toString().slice(5),
    );
    const { Authorization } = basic(encoded[0] ?? "", encoded[1] ?? "");
    expect((await post(client, "introspect", "token=x", { Authorization })).status).toBe(401);
  });
});

describe.each(["introspect", "revoke"] as const)("%s", (endpoint) => {
  test.each([
    ["no token", "", {}],
    ["an empty token", "token=", {}],
    ["two tokens", "token=a&token=b", {}],
    ["two hints", "token=a&token_type_hint=a&token_type_hint=b", {}],
    ["JSON", '{"token":"a"}', { "Content-Type": "application/json" }],
    ["no type", "token=a", { "Content-Type": "" }],
  ] as const)("%s is 400", async (_, body, headers) => {
    const reply = await post(await connect(), endpoint, body, headers);
    expect([reply.status, reply.json()]).toEqual([
      400,
      { error: "invalid_request", error_description: expect.any(String) as string },
    ]);
  });

  test("a parameter in the URL is 400, a body over the limit 413", async () => {
    const client = await connect();
    const { client_id, client_secret } = client.sandbox.description;
    const reply = await client.sandbox.send("POST", `/oauth/${endpoint}?token=${client.tokens.access}`, {
      headers: { ...basic(client_id, client_secret), "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect(reply.status).toBe(400);
    const long = await post(client, endpoint, `token=${"x".repeat(2 ** 20)}`);
    expect([long.status, long.json()]).toMatchObject([413, { error: "invalid_request" }]);
  });

  test.each(["GET", "PUT", "DELETE"])("%s is 404", async (method) => {
    const { sandbox } = await connect();
    expect((await sandbox.asApplication(method, `/oauth/${endpoint}`)).status).toBe(404);
  });
});

async function userInfo({ sandbox }: Client, token: string | null, method = "GET"): Promise<Reply> {
  const headers = token === null ? undefined : { Authorization: `Bearer ${token}` };
  return sandbox.send(method, "/oauth/userinfo", headers === undefined ? {} : { headers });
}

describe("UserInfo", () => {
  test("returns the user of an active token to a conforming client", async () => {
    const { server, sandbox, tokens } = await connect();
    const { client_id } = sandbox.description;
    const response = await oauth.userInfoRequest(server, { client_id }, tokens.access, insecure);
    expect(await oauth.processUserInfoResponse(server, { client_id }, "1", response)).toEqual({
      sub: "1",
      preferred_username: "octavia",
      email: "octavia@example.com",
      email_verified: true,
    });
  });

  test.each(["GET", "POST"])(
    "%s: revoked, unknown, a refresh token, without openid, without a token",
    async (method) => {
      const client = await connect();
      const { tokens } = client;
      await client.revoke(tokens.refresh);
      for (const token of [tokens.access, "unknown", tokens.jwtRefresh]) {
        const reply = await userInfo(client, token, method);
        expect([reply.status, reply.json()]).toMatchObject([401, { error: "invalid_token" }]);
        expect(reply.headers["www-authenticate"]).toMatch(/^Bearer realm="[^"]+", error="invalid_token", /);
      }
      const narrow = await userInfo(client, tokens.jwt, method);
      expect([narrow.status, narrow.json()]).toMatchObject([403, { error: "insufficient_scope" }]);
      expect(narrow.headers["www-authenticate"]).toMatch(/error="insufficient_scope".*scope="openid"$/);
      const anonymous = await userInfo(client, null, method);
      expect([anonymous.status, anonymous.text]).toEqual([401, ""]);
      expect(anonymous.headers["www-authenticate"]).not.toContain("error");
    },
  );

  test("a token is accepted in the form, but not in the URL; two are 400", async () => {
    const { sandbox, tokens } = await connect();
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = `access_token=${tokens.access}`;
    const send = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
      sandbox.send("POST", "/oauth/userinfo", { headers: { ...form, ...headers }, body });
    expect((await send({})).status).toBe(200);
    expect((await send({ Authorization: `Bearer ${tokens.access}` })).status).toBe(400);
    expect((await sandbox.send("GET", `/oauth/userinfo?${body}`)).status).toBe(401);
  });
});

describe("faults", () => {
  test.each([429, 503])(
    "status %i has an error in the standard's format, and Retry-After",
    async (status) => {
      const sandbox = await startTestSandbox({
        operator: "oauth",
        faults: [fault(`status=${status}:1`)],
      });
      const reply = await sandbox.asApplication("POST", "/oauth/introspect");
      expect([reply.status, reply.json()]).toEqual([
        status,
        { error: "temporarily_unavailable", error_description: expect.any(String) as string },
      ]);
      expect(reply.headers["retry-after"]).toBe("1");
    },
  );
});

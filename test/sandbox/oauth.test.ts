// The sandbox as an OAuth 2.0 server: judged by oauth4webapi, which checks each response against the standards, and by
// requests that no conforming client sends.
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { fault } from "../support/account.ts";
import { basic, type Reply, startOfTests, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

const insecure = { [oauth.allowInsecureRequests]: true };

interface Sending {
  /** The index of the application. */
  readonly index?: number;
  readonly authenticate?: (secret: string) => oauth.ClientAuth;
  readonly hint?: string;
}

async function connect(overrides: Partial<SandboxOptions> = {}) {
  const sandbox = await startTestSandbox({ operator: "oauth", ...overrides });
  const issuer = new URL(sandbox.description.base_url);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
  const call = (
    request: typeof oauth.introspectionRequest,
    token: string,
    { index = 0, authenticate = oauth.ClientSecretBasic, hint }: Sending = {},
  ): Promise<Response> => {
    const { client_id = "", client_secret = "" } = sandbox.applications[index] ?? {};
    const more = hint === undefined ? {} : { additionalParameters: { token_type_hint: hint } };
    return request(server, { client_id }, authenticate(client_secret), token, { ...insecure, ...more });
  };
  const [access = "", refresh = "", jwt = "", jwtRefresh = ""] = sandbox.description.tokens.map(
    ({ token }) => token,
  );
  return {
    sandbox,
    server,
    tokens: { access, refresh, jwt, jwtRefresh },
    introspect: async (token: string, sending?: Sending) =>
      oauth.processIntrospectionResponse(
        server,
        { client_id: sandbox.description.client_id },
        await call(oauth.introspectionRequest, token, sending),
      ),
    revoke: async (token: string, sending?: Sending): Promise<number> => {
      const response = await call(oauth.revocationRequest, token, sending);
      await oauth.processRevocationResponse(response);
      return response.status;
    },
  };
}

/** A form with the first application's credentials, unless there are others. */
function post(
  { description, send }: TestSandbox,
  endpoint: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { client_id, client_secret } = description;
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  return send("POST", `/oauth/${endpoint}`, {
    headers: { ...type, ...basic(client_id, client_secret), ...headers },
    body,
  });
}

function errorOf(reply: Reply): unknown {
  return [reply.status, (reply.json() as { error: string }).error];
}

test("OpenID's place has the same metadata; the operations of other types do not exist", async () => {
  const { sandbox, server } = await connect();
  const issuer = new URL(sandbox.description.base_url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...insecure });
  expect(await oauth.processDiscoveryResponse(issuer, response)).toEqual(server);
  for (const path of ["/user", "/meta", "/authorizations", "/applications/grants", "/graphql"])
    expect(errorOf(await sandbox.asAccount("GET", path))).toEqual([404, "invalid_request"]);
});

test.each([
  ["Basic", oauth.ClientSecretBasic],
  ["post", oauth.ClientSecretPost],
] as const)(
  "with %s a client introspects and revokes its own tokens, not another's",
  async (_, authenticate) => {
    const { sandbox, tokens, introspect, revoke } = await connect();
    expect(await introspect(tokens.access, { authenticate })).toEqual({
      active: true,
      client_id: sandbox.description.client_id,
      username: "octavia",
      sub: "1",
      token_type: "Bearer",
      scope: "openid profile email offline_access",
      iat: expect.any(Number) as number,
      iss: sandbox.description.base_url,
    });
    const exp = startOfTests / 1000 + 30 * 24 * 3600;
    expect(await introspect(tokens.jwt, { authenticate })).toMatchObject({ active: true, exp });
    expect(await introspect(tokens.refresh, { authenticate })).not.toHaveProperty("token_type");
    for (const token of Object.values(tokens)) {
      expect(await introspect(token, { authenticate, index: 1 })).toEqual({ active: false });
      expect(await revoke(token, { authenticate, index: 1 })).toBe(200);
      expect(await introspect(token)).toMatchObject({ active: true });
    }
    for (const token of [tokens.access, tokens.access, "unknown"]) {
      expect(await revoke(token, { authenticate })).toBe(200);
      expect(await introspect(token)).toEqual({ active: false });
    }
  },
);

test("revoking a refresh token revokes its access token, but not the other way round", async () => {
  const { introspect, revoke, tokens } = await connect();
  await revoke(tokens.refresh);
  expect(await introspect(tokens.access)).toEqual({ active: false });
  await revoke(tokens.jwt);
  expect(await introspect(tokens.jwtRefresh)).toMatchObject({ active: true });
});

test("an expired token is inactive, and so is one that is not of the type of the hint", async () => {
  const { sandbox, introspect, revoke, tokens } = await connect();
  for (const hint of ["refresh_token", "zzz"]) {
    expect(await introspect(tokens.access, { hint })).toEqual({ active: false });
    await revoke(tokens.access, { hint });
  }
  expect(await introspect(tokens.access, { hint: "access_token" })).toMatchObject({ active: true });
  expect(await introspect(tokens.refresh, { hint: "refresh_token" })).toMatchObject({ active: true });
  sandbox.clock.now += 31 * 86_400_000;
  expect(await introspect(tokens.jwt)).toEqual({ active: false });
});

test.each<[string, number, string, string, Record<string, string>?]>([
  ["a wrong secret", 401, "invalid_client", "token=x", basic("nobody", "x")],
  ["no credentials", 401, "invalid_client", "token=x", { Authorization: "Bearer x" }],
  ["two kinds of credentials", 400, "invalid_request", "token=x&client_secret=y"],
  ["no token", 400, "invalid_request", "token="],
  ["a token twice", 400, "invalid_request", "token=x&token=y"],
  ["JSON", 400, "invalid_request", `{"token":"x"}`, { "Content-Type": "application/json" }],
  ["a large body", 413, "invalid_request", `token=${"x".repeat(2 ** 20)}`],
])("%s is refused with %i %s", async (_, status, error, body, headers) => {
  const { sandbox } = await connect();
  for (const endpoint of ["introspect", "revoke"]) {
    const reply = await post(sandbox, endpoint, body, headers);
    expect(errorOf(reply)).toEqual([status, error]);
    expect(reply.headers["www-authenticate"] !== undefined).toBe(status === 401);
  }
});

test("parameters in the URL are refused, and encoded credentials are decoded", async () => {
  const { sandbox, tokens } = await connect();
  const { client_id, client_secret } = sandbox.description;
  expect(errorOf(await post(sandbox, `introspect?token=${tokens.access}`, "token=x"))).toEqual([
    400,
    "invalid_request",
  ]);
  const encoded = basic(
    client_id.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`),
    client_secret,
  );
  expect((await post(sandbox, "introspect", `token=${tokens.access}`, encoded)).json()).toMatchObject({
    active: true,
  });
});

test("UserInfo returns the user of an access token", async () => {
  const { sandbox, server, tokens } = await connect();
  const client = { client_id: sandbox.description.client_id };
  const response = await oauth.userInfoRequest(server, client, tokens.access, insecure);
  expect(await oauth.processUserInfoResponse(server, client, "1", response)).toEqual({
    sub: "1",
    preferred_username: "octavia",
    email: "octavia@example.com",
    email_verified: true,
  });
  const ask = async (token: string): Promise<unknown> => {
    const reply = await sandbox.send("POST", "/oauth/userinfo", {
      headers: { Authorization: `Bearer ${token}` },
    });
    return [reply.status, /error="(\w+)"/.exec(reply.headers["www-authenticate"] ?? "")?.[1]];
  };
  expect(await ask(tokens.refresh)).toEqual([401, "invalid_token"]);
  expect(await ask(tokens.jwt)).toEqual([403, "insufficient_scope"]);
  expect((await sandbox.send("GET", "/oauth/userinfo")).headers["www-authenticate"]).toMatch(
    /^Bearer realm="[^"]+"$/,
  );
});

test("errors of faults are those of OAuth, and lies hide and keep tokens", async () => {
  const { sandbox } = await startTestSandbox({ operator: "oauth", faults: [fault("status=503:1")] }).then(
    (one) => ({ sandbox: one }),
  );
  expect(errorOf(await post(sandbox, "introspect", "token=x"))).toEqual([503, "server_error"]);
  const { introspect, revoke, tokens } = await connect({
    lies: { hides: ({ refreshes }) => refreshes !== null, keeps: ({ refreshes }) => refreshes === null },
  });
  expect(await introspect(tokens.refresh)).toEqual({ active: false });
  await revoke(tokens.access);
  expect(await introspect(tokens.access)).toMatchObject({ active: true });
  await revoke(tokens.refresh);
  expect(await introspect(tokens.access)).toEqual({ active: false });
});

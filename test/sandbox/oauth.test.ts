// The sandbox as an OAuth 2.0 server: judged by oauth4webapi, which checks each response against the standards.
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { basic, startTestSandbox } from "./sandbox-client.ts";

const insecure = { [oauth.allowInsecureRequests]: true };

async function connect() {
  const sandbox = await startTestSandbox({ serverType: "oauth" });
  const issuer = new URL(sandbox.description.base_url);
  const discover = async (algorithm: "oauth2" | "oidc"): Promise<oauth.AuthorizationServer> =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }));
  const server = await discover("oauth2");
  expect(await discover("oidc")).toEqual(server);
  const send = (
    request: typeof oauth.introspectionRequest,
    token: string,
    index: number,
    authenticate = oauth.ClientSecretBasic,
  ) => {
    const { clientId = "", clientSecret = "" } = sandbox.store.applications[index] ?? {};
    return request(server, { client_id: clientId }, authenticate(clientSecret), token, insecure);
  };
  const client = { client_id: sandbox.description.client_id };
  return {
    sandbox,
    server,
    client,
    tokens: sandbox.description.tokens.map(({ token }) => token) as [string, string],
    introspect: async (token: string, index = 0, authenticate = oauth.ClientSecretBasic) =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await send(oauth.introspectionRequest, token, index, authenticate),
      ),
    revoke: async (token: string, index = 0, authenticate = oauth.ClientSecretBasic) =>
      oauth.processRevocationResponse(await send(oauth.revocationRequest, token, index, authenticate)),
  };
}

test.each([
  ["Basic", oauth.ClientSecretBasic],
  ["post", oauth.ClientSecretPost],
] as const)("with %s a client introspects and revokes only its own tokens", async (_, authenticate) => {
  const { client, tokens, introspect, revoke } = await connect();
  const [access, other] = tokens;
  expect(access).toMatch(/^at_\w{36}$/);
  const active = {
    active: true,
    ...client,
    username: "octavia",
    sub: "1",
    iat: expect.any(Number) as number,
    scope: "openid profile",
    token_type: "Bearer",
  };
  expect(await introspect(access, 0, authenticate)).toEqual(active);
  await revoke(access, 1, authenticate);
  expect(await introspect(access, 1, authenticate)).toEqual({ active: false });
  expect(await introspect(access)).toMatchObject({ active: true });
  for (const token of [access, access, "unknown"]) await revoke(token, 0, authenticate);
  expect([await introspect(access), await introspect("unknown")]).toEqual([
    { active: false },
    { active: false },
  ]);
  expect(await introspect(other)).toMatchObject({ active: true });
});

test("errors are those of OAuth, and operations of other types do not exist", async () => {
  const { sandbox } = await connect();
  const { client_id, client_secret } = sandbox.description;
  for (const endpoint of ["introspect", "revoke"]) {
    for (const [body, headers, status, error] of [
      ["token=x", basic("nobody", "x"), 401, "invalid_client"],
      ["token=x", {}, 401, "invalid_client"],
      ["token=", basic(client_id, client_secret), 400, "invalid_request"],
    ] as const) {
      const reply = await sandbox.send("POST", `/oauth/${endpoint}`, { body, headers });
      expect([reply.status, reply.json]).toEqual([
        status,
        { error, error_description: expect.any(String) as string },
      ]);
      expect(reply.headers["www-authenticate"] !== undefined).toBe(status === 401);
    }
  }
  for (const path of ["/user", "/meta", "/authorizations"])
    expect((await sandbox.asAccount("GET", path)).status).toBe(404);
});

test("UserInfo returns the user of an access token", async () => {
  const { sandbox, server, client, tokens } = await connect();
  const response = await oauth.userInfoRequest(server, client, tokens[0], insecure);
  expect(await oauth.processUserInfoResponse(server, client, "1", response)).toEqual({
    sub: "1",
    preferred_username: "octavia",
  });
  for (const token of ["unknown", ""]) {
    const reply = await sandbox.send("GET", "/oauth/userinfo", {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([reply.status, reply.headers["www-authenticate"]]).toEqual([401, 'Bearer error="invalid_token"']);
  }
});

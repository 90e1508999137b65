// The responses of the third-party OAuth 2.0 servers, read with oauth4webapi. Other tests rely on this behaviour.
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { type Application, type OAuthServer, plainApplication, startOidcProvider } from "./oauth-servers.ts";

const insecure = { [oauth.allowInsecureRequests]: true };

async function connect({ issuer }: OAuthServer): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure));
}

/** The introspection of a token. */
async function introspect(
  server: OAuthServer,
  token: string,
  application: Application = server.own,
): Promise<oauth.IntrospectionResponse> {
  const client = { client_id: application.id };
  const metadata = await connect(server);
  return oauth.processIntrospectionResponse(
    metadata,
    client,
    await oauth.introspectionRequest(metadata, client, proofOf(application), token, insecure),
  );
}

async function revoke(
  server: OAuthServer,
  token: string,
  application: Application = server.own,
): Promise<void> {
  const request = oauth.revocationRequest(
    await connect(server),
    { client_id: application.id },
    proofOf(application),
    token,
    insecure,
  );
  await oauth.processRevocationResponse(await request);
}

function proofOf({ secret, auth }: Application): oauth.ClientAuth {
  return auth === "basic" ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

const odd = { id: "odd:id&x", secret: "p%+~ :=/?" };

test.each([
  ["Basic", {}],
  ["post", { own: { ...plainApplication, auth: "post" } }],
  ["Basic with special characters", { own: { ...odd, auth: "basic" } }],
  ["post with special characters", { own: { ...odd, auth: "post" } }],
  ["an issuer with a path", { path: "/realms/main" }],
] as const)("oidc-provider with %s reports the state of tokens in its store", async (_, options) => {
  const server = await startOidcProvider(options);
  for (const kind of ["access", "refresh"] as const) {
    const token = await server.issue(kind, server.own);
    expect(await introspect(server, token)).toMatchObject({ active: true, client_id: server.own.id });
    expect(await server.isActive(token)).toBe(true);
    await revoke(server, token);
    expect(await introspect(server, token)).toEqual({ active: false });
    expect(await server.isActive(token)).toBe(false);
  }
});

test("oidc-provider introspects another client's token, and revokes neither that nor a JWT", async () => {
  const server = await startOidcProvider();
  const foreign = await server.issue("access", server.other);
  expect(await introspect(server, foreign)).toMatchObject({ active: true, client_id: server.other.id });
  await expect(revoke(server, foreign)).rejects.toMatchObject({ status: 400, error: "invalid_request" });
  expect(await server.isActive(foreign)).toBe(true);
  const jwt = await server.issue("jwt", server.own);
  await expect(introspect(server, jwt)).rejects.toMatchObject({ error: "unsupported_token_type" });
  await expect(revoke(server, jwt)).rejects.toMatchObject({ error: "unsupported_token_type" });
});

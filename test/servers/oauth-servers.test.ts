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
async function introspect(server: OAuthServer, token: string): Promise<oauth.IntrospectionResponse> {
  const client = { client_id: server.own.id };
  const metadata = await connect(server);
  return oauth.processIntrospectionResponse(
    metadata,
    client,
    await oauth.introspectionRequest(metadata, client, proofOf(server.own), token, insecure),
  );
}

async function revoke(server: OAuthServer, token: string): Promise<void> {
  const { own } = server;
  const client = { client_id: own.id };
  const request = oauth.revocationRequest(await connect(server), client, proofOf(own), token, insecure);
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

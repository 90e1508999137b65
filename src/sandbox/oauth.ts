// An OAuth 2.0 authorization server on the same tokens: metadata (RFC 8414), introspection (RFC 7662), revocation (RFC 7009)
// and UserInfo (OpenID Connect Core 5.3). Another client's token is inactive, and revoking it is 200 without effect.
import type { Context } from "hono";
import type { HTTPException } from "hono/http-exception";
import { auth as readBasic } from "hono/utils/basic-auth";
import { activeToken, findApplication } from "./auth.ts";
import { failure } from "./responses.ts";
import type { Env, Routes, World } from "./service.ts";
import type { Token } from "./store.ts";

export function oauthRoutes(world: World): Routes {
  const { store, baseUrl, account } = world;
  const methods = ["client_secret_basic", "client_secret_post"];
  const metadata = {
    issuer: baseUrl,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    // There is no authorization endpoint.
    response_types_supported: [],
  };

  /** The client's own active token, or undefined. */
  function find(c: Context<Env>): Token | undefined {
    const form = new URLSearchParams(c.get("body"));
    const basic = readBasic(c.req.raw);
    const [id, secret] =
      basic === undefined
        ? [form.get("client_id"), form.get("client_secret")]
        : [basic.username, basic.password];
    const client = findApplication(world, id ?? "", secret ?? "");
    if (client === undefined)
      throw refuse(401, "invalid_client", "client authentication failed", 'Basic realm="sandbox"');
    const value = form.get("token") ?? "";
    if (value === "") throw refuse(400, "invalid_request", "the parameter token is missing");
    const token = activeToken(world, value);
    return token?.application === client ? token : undefined;
  }

  return {
    "GET /.well-known/oauth-authorization-server": (c) => c.json(metadata),
    "GET /.well-known/openid-configuration": (c) => c.json(metadata),

    "POST /oauth/introspect": (c) => {
      const token = find(c);
      if (token === undefined) return c.json({ active: false });
      return c.json({
        active: true,
        scope: token.scopes.join(" "),
        client_id: token.application?.clientId,
        username: account.login,
        token_type: "Bearer",
        iat: token.createdAt,
        sub: String(account.id),
      });
    },

    "POST /oauth/revoke": (c) => {
      const token = find(c);
      if (token !== undefined) store.remove(token);
      return c.body(null, 200);
    },

    "GET /oauth/userinfo": (c) => {
      const [, value = ""] = /^bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
      const token = activeToken(world, value);
      if (token === undefined)
        throw refuse(401, "invalid_token", "this is no active token", 'Bearer error="invalid_token"');
      return c.json({ sub: String(account.id), preferred_username: account.login });
    },
  };
}

/** An error in the format of RFC 6749, 5.2. */
function refuse(status: number, error: string, error_description: string, challenge?: string): HTTPException {
  const headers: Record<string, string> = challenge === undefined ? {} : { "WWW-Authenticate": challenge };
  return failure(status, { error, error_description }, headers);
}

// An OAuth 2.0 authorization server on the same tokens: metadata (RFC 8414), introspection (RFC 7662), revocation (RFC 7009)
// and UserInfo (OpenID Connect Core 5.3). As at strict servers, another client's token is inactive, as is one that is not of
// the type in `token_type_hint`, and revoking such a token is 200 without effect. Revoking a refresh token also revokes the
// access token that was issued with it.
import type { Context } from "hono";
import { auth as readBasic } from "hono/utils/basic-auth";
import { activeToken, findApplication } from "./auth.ts";
import { Refusal } from "./responses.ts";
import type { Env, World } from "./service.ts";
import type { Application, Token } from "./store.ts";

export function oauthHandlers(world: World) {
  const { store, baseUrl, account, seconds, lies } = world;
  const methods = ["client_secret_basic", "client_secret_post"];
  const metadata = {
    issuer: baseUrl,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    scopes_supported: ["openid", "profile", "email", "offline_access"],
    // There is neither an authorization endpoint nor a token endpoint.
    response_types_supported: [],
    grant_types_supported: [],
    subject_types_supported: ["public"],
  };

  /** The client's own active token, or undefined. */
  function find(c: Context<Env>): Token | undefined {
    const form = readForm(c);
    const client = authenticate(world, c, form);
    const value = form.get("token") ?? "";
    if (value === "") throw refuseOauth(400, "invalid_request", "the parameter token is missing");
    const token = activeToken(world, value);
    const type = (token?.refreshes ?? null) === null ? "access_token" : "refresh_token";
    const hint = form.get("token_type_hint") ?? "";
    return token?.application === client && ["", type].includes(hint) ? token : undefined;
  }

  return {
    metadata: (c: Context<Env>): Response => c.json(metadata),

    introspect: (c: Context<Env>): Response => {
      const token = find(c);
      if (token === undefined || lies.hides(token)) return c.json({ active: false });
      return c.json({
        active: true,
        scope: token.scopes.join(" "),
        client_id: token.application?.clientId,
        username: account.login,
        ...(token.refreshes === null ? { token_type: "Bearer" } : {}),
        ...(token.expiresAt === null ? {} : { exp: token.expiresAt }),
        iat: token.createdAt,
        sub: String(account.id),
        iss: baseUrl,
      });
    },

    revoke: (c: Context<Env>): Response => {
      const token = find(c);
      if (token !== undefined && !lies.keeps(token)) {
        store.remove(token, seconds());
        if (token.refreshes !== null) store.remove(token.refreshes, seconds());
      }
      return c.body(null, 200);
    },

    userInfo: (c: Context<Env>): Response => {
      const [, value] = /^bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
      if (value === undefined) return c.body(null, 401, { "WWW-Authenticate": challenge("Bearer") });
      const token = activeToken(world, value);
      if (token === undefined || token.refreshes !== null)
        throw refuseToken(401, "invalid_token", "the access token is expired, revoked or unknown");
      if (!token.scopes.includes("openid"))
        throw refuseToken(403, "insufficient_scope", "the access token lacks the scope openid");
      return c.json({
        sub: String(account.id),
        ...(token.scopes.includes("profile") ? { preferred_username: account.login } : {}),
        ...(token.scopes.includes("email")
          ? { email: `${account.login}@example.com`, email_verified: true }
          : {}),
      });
    },
  };
}

/** Parameters are sent once, in a form: in a URL they would end up in logs. */
function readForm(c: Context<Env>): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(c.req.header("Content-Type") ?? ""))
    throw refuseOauth(400, "invalid_request", "the body must be a form");
  const form = new URLSearchParams(c.get("body"));
  const isRepeated = new Set(form.keys()).size < [...form.keys()].length;
  const isInUrl = ["token", "token_type_hint", "client_id", "client_secret"].some((name) =>
    c.req.queries(name),
  );
  if (isRepeated || isInUrl)
    throw refuseOauth(400, "invalid_request", "a parameter is sent twice, or in the URL");
  return form;
}

/** With Basic, whose parts are encoded as in forms (RFC 6749, 2.3.1), or with the form. */
function authenticate(world: World, c: Context<Env>, form: URLSearchParams): Application {
  const basic = c.req.header("Authorization") === undefined ? null : readBasic(c.req.raw);
  if (basic !== null && form.has("client_secret"))
    throw refuseOauth(400, "invalid_request", "the client is authenticated in two ways");
  const client =
    basic === null
      ? findApplication(world, form.get("client_id") ?? "", form.get("client_secret") ?? "")
      : findApplication(world, decodeForm(basic?.username), decodeForm(basic?.password));
  if (client !== undefined) return client;
  throw refuseOauth(401, "invalid_client", "client authentication failed", challenge("Basic"));
}

function decodeForm(text = ""): string {
  return new URLSearchParams(`text=${text}`).get("text") ?? "";
}

/** An error in the format of RFC 6749, 5.2. */
function refuseOauth(status: number, error: string, error_description: string, challenged?: string): Refusal {
  const headers: Record<string, string> = challenged === undefined ? {} : { "WWW-Authenticate": challenged };
  return new Refusal(status, { error, error_description }, headers);
}

function refuseToken(status: 401 | 403, error: string, description: string): Refusal {
  const details = `, error="${error}", error_description="${description}"`;
  return refuseOauth(status, error, description, challenge("Bearer") + details);
}

function challenge(scheme: "Basic" | "Bearer"): string {
  return `${scheme} realm="grantctl sandbox"`;
}

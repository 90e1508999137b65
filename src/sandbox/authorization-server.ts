// An authorization server of the OAuth 2.0 standards, on the sandbox's store.
//
// | endpoint                                           | standard                                   |
// | -------------------------------------------------- | ------------------------------------------ |
// | GET  /.well-known/oauth-authorization-server       | RFC 8414                                   |
// | GET  /.well-known/openid-configuration             | OpenID Connect Discovery; same document    |
// | POST /oauth/introspect                             | RFC 7662                                   |
// | POST /oauth/revoke                                 | RFC 7009                                   |
// | GET, POST /oauth/userinfo                          | OpenID Connect Core 5.3, RFC 6750          |
//
// It is as strict as the strictest servers in use, so that a client that works here works there:
//
// - A client authenticates in exactly one way: with Basic, both parts form-encoded, or with `client_id` and
//   `client_secret` in the form. Parameters are sent once, in the body, never in the URL.
// - A token that is expired, unknown, another client's, or not of the type in `token_type_hint` is inactive; revoking
//   it returns 200 and has no effect.
// - Revoking a refresh token also revokes the access token that was issued with it, but not the other way round.
//
// Errors have the format of RFC 6749, 5.2. The server issues no tokens; the only ones are those of the seed.
import type { IncomingMessage } from "node:http";
import { type ServiceResponse, json, Refusal } from "./http/response.ts";
import { type IncomingRequest, readBytes, type SandboxRequest } from "./http/request.ts";
import { findActiveToken, findApplication } from "./identity/authentication.ts";
import type { HandlerContext } from "./operations/operation.ts";
import type { ApplicationRecord, AuthorizationRecord } from "./store/access.ts";

const noStore = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** The returned function rejects with a Refusal for an error response. */
export function createAuthorizationServer(
  context: HandlerContext,
): (incoming: IncomingRequest) => Promise<ServiceResponse> {
  const { store, baseUrl, nowInSeconds } = context;
  const metadata = serverMetadata(baseUrl);

  /** The form's token; null unless it is active, this client's, and of the type in `token_type_hint`, if sent. */
  function find(form: URLSearchParams, client: ApplicationRecord): AuthorizationRecord | null {
    const token = form.get("token") ?? "";
    if (token === "") throw refusal(400, "invalid_request", "the parameter token is missing");
    const found = findActiveToken(context, token);
    if (found === undefined || found.application?.id !== client.id) return null;
    const hint = form.get("token_type_hint") ?? "";
    return hint === "" || hint === (found.refreshes === null ? "access_token" : "refresh_token")
      ? found
      : null;
  }

  function introspect(form: URLSearchParams, client: ApplicationRecord): ServiceResponse {
    const found = find(form, client);
    return json(200, found === null ? { active: false } : describeToken(found), noStore);
  }

  function describeToken({
    accountId,
    scopes,
    createdAt,
    expiresAt,
    refreshes,
    application,
  }: AuthorizationRecord) {
    return {
      active: true,
      scope: scopes.join(" "),
      client_id: application?.clientId,
      username: store.accounts.get(accountId).login,
      // The token types of RFC 6749, 5.1, are those of access tokens.
      ...(refreshes === null ? { token_type: "Bearer" } : {}),
      ...(expiresAt === null ? {} : { exp: expiresAt }),
      iat: createdAt,
      sub: String(accountId),
      iss: baseUrl,
    };
  }

  function revoke(form: URLSearchParams, client: ApplicationRecord): ServiceResponse {
    const found = find(form, client);
    if (found !== null) {
      store.transaction(() => {
        const accessToken = found.refreshes === null ? undefined : store.authorizations.find(found.refreshes);
        if (accessToken !== undefined) store.access.removeAuthorization(accessToken, nowInSeconds());
        store.access.removeAuthorization(found, nowInSeconds());
      });
    }
    return json(200, undefined, noStore);
  }

  function authenticate(request: SandboxRequest, form: URLSearchParams): ApplicationRecord {
    const { clientId, clientSecret } = readClient(request.header("authorization"), form);
    const client = findApplication(store, clientId, clientSecret);
    if (client === undefined) throw unauthenticated("client authentication failed");
    return client;
  }

  function userInfo(token: string | null): ServiceResponse {
    // RFC 6750, 3.1: no error code if the request has no token.
    if (token === null) return json(401, undefined, { "WWW-Authenticate": challenge("Bearer") });
    const found = findActiveToken(context, token);
    if (found === undefined || found.refreshes !== null)
      throw tokenRefusal(401, "invalid_token", "the access token is expired, revoked or unknown");
    if (!found.scopes.includes("openid"))
      throw tokenRefusal(403, "insufficient_scope", "the access token lacks the scope openid", {
        scope: "openid",
      });
    const account = store.accounts.get(found.accountId);
    return json(
      200,
      {
        sub: String(account.id),
        ...(found.scopes.includes("profile") ? { preferred_username: account.login } : {}),
        ...(found.scopes.includes("email")
          ? { email: `${account.login}@example.com`, email_verified: true }
          : {}),
      },
      noStore,
    );
  }

  return async ({ request, message }) => {
    const endpoint = `${request.method} ${request.path}`;
    switch (endpoint) {
      case "GET /.well-known/oauth-authorization-server":
      case "GET /.well-known/openid-configuration":
        return json(200, metadata);
      case "GET /oauth/userinfo":
        return userInfo(readBearer(request, null));
      case "POST /oauth/userinfo":
        return userInfo(readBearer(request, await readParameters(message, false)));
      case "POST /oauth/introspect":
      case "POST /oauth/revoke": {
        rejectParametersInUrl(request);
        const form = await readParameters(message, true);
        const client = authenticate(request, form);
        const handle = endpoint.endsWith("revoke") ? revoke : introspect;
        return handle(form, client);
      }
      default:
        throw refusal(404, "invalid_request", "there is no such endpoint, or not with this method");
    }
  };
}

/** An error in the format of RFC 6749, 5.2, with a code that matches the status. */
export function oauthFailure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const codes: Readonly<Record<number, string>> = {
    401: "invalid_client",
    403: "access_denied",
    429: "temporarily_unavailable",
    503: "temporarily_unavailable",
  };
  const error = codes[status] ?? (status >= 500 ? "server_error" : "invalid_request");
  return json(status, { error, error_description: message }, { ...noStore, ...headers });
}

function serverMetadata(issuer: string): Readonly<Record<string, unknown>> {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    scopes_supported: ["openid", "profile", "email", "offline_access"],
    // Empty because there is neither an authorization endpoint nor a token endpoint.
    response_types_supported: [],
    grant_types_supported: [],
    subject_types_supported: ["public"],
  };
}

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Reads the client's credentials from the header or the form. Throws a Refusal unless they are sent exactly once. */
function readClient(header: string | undefined, form: URLSearchParams): ClientCredentials {
  const clientId = form.get("client_id") ?? "";
  const clientSecret = form.get("client_secret") ?? "";
  if (header === undefined) {
    if (clientId === "" || clientSecret === "") throw unauthenticated("no client authentication included");
    return { clientId, clientSecret };
  }
  if (clientSecret !== "") {
    throw refusal(400, "invalid_request", "the client is authenticated in more than one way");
  }
  const client = readBasic(header);
  if (clientId !== "" && clientId !== client.clientId) {
    throw refusal(400, "invalid_request", "client_id differs from the client ID in the header Authorization");
  }
  return client;
}

function readBasic(header: string): ClientCredentials {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  // Form-encoded parts contain no colon (RFC 6749, 2.3.1).
  const [clientId = "", clientSecret, ...more] = decoded.split(":").map(decodeFormText);
  if (!clientId || typeof clientSecret !== "string" || more.length > 0) {
    throw refusal(400, "invalid_request", "the header Authorization is not Basic with form-encoded parts");
  }
  return { clientId, clientSecret };
}

/** Decodes a form-encoded text; null if characters are not encoded, or are not printable ASCII. */
function decodeFormText(text: string): string | null {
  if (!/^(?:[A-Za-z0-9*\-._~!'()+]|%[0-9A-Fa-f]{2})*$/.test(text)) return null;
  const decoded = new URLSearchParams(`text=${text}`).get("text") ?? "";
  return /^[\x20-\x7e]*$/.test(decoded) ? decoded : null;
}

/** RFC 6749, 2.3.1, and RFC 7662, 2.1, forbid them, because URLs end up in logs. */
function rejectParametersInUrl({ query }: SandboxRequest): void {
  const parameters = new URLSearchParams(query);
  for (const name of ["token", "token_type_hint", "client_id", "client_secret"]) {
    if (parameters.has(name))
      throw refusal(400, "invalid_request", `the parameter ${name} belongs in the body`);
  }
}

/** The parameters of a form. Throws a Refusal if one is repeated, or if the body is not a form but must be one. */
async function readParameters(message: IncomingMessage, isRequired: boolean): Promise<URLSearchParams> {
  const [type = ""] = (message.headers["content-type"] ?? "").split(";");
  const isForm = type.trim().toLowerCase() === "application/x-www-form-urlencoded";
  const bytes = await readBytes(message).catch((error: unknown) => {
    if (error instanceof Refusal) throw refusal(413, "invalid_request", "the body is too large");
    throw error;
  });
  if (!isForm && isRequired) {
    throw refusal(400, "invalid_request", "the body must have the type application/x-www-form-urlencoded");
  }
  const form = new URLSearchParams(isForm ? bytes.toString("utf8") : "");
  const names = [...form.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) {
    throw refusal(400, "invalid_request", `the parameter ${repeated} is sent more than once`);
  }
  return form;
}

/** The access token in the header or the form, or null. Throws a Refusal if it is malformed or sent twice. */
function readBearer(request: SandboxRequest, form: URLSearchParams | null): string | null {
  const header = request.header("authorization");
  const inForm = form?.get("access_token") ?? null;
  if (header === undefined) return inForm;
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header) ?? [];
  if (token === undefined || inForm !== null) {
    throw tokenRefusal(400, "invalid_request", "one access token is sent in the header Authorization");
  }
  return token;
}

function refusal(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(json(status, { error, error_description: description }, { ...noStore, ...headers }));
}

function unauthenticated(description: string): Refusal {
  return refusal(401, "invalid_client", description, { "WWW-Authenticate": challenge("Basic") });
}

function tokenRefusal(
  status: number,
  error: string,
  error_description: string,
  more: Readonly<Record<string, string>> = {},
): Refusal {
  const parameters = { error, error_description, ...more };
  return refusal(status, error, error_description, { "WWW-Authenticate": challenge("Bearer", parameters) });
}

function challenge(scheme: "Basic" | "Bearer", parameters: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ realm: "grantctl sandbox", ...parameters });
  return `${scheme} ${all.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
}

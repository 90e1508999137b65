// Inspects a token with a request that it authenticates: `GET /user`, of which the body has its user and the headers have
// the rest, or at an OAuth 2.0 server UserInfo (OpenID Connect Core, 5.3). And a server, with a request without credentials:
// `GET /meta`, the facts that a GitHub server publishes about itself. A response in any other format means that it is not one.
// Neither is Enterprise Server 2 for our purposes: its older versions accept tokens only in the path, so it is used as `service`.
import { isFailure, usageFailure, type Received } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { readResponse, responseTo, type Service } from "../http/service.ts";
import { isObject, objectIn, textOf } from "../json.ts";
import type { ServerType } from "../server-types.ts";
import { readPayload } from "../token.ts";
import { endpointFailure, stripQuery } from "./oauth-server.ts";

/** Null means that the server does not report it, not that there is none. */
export interface Inspection {
  readonly login: string | null;
  readonly scopes: readonly string[] | null;
  readonly clientId: string | null;
  /** In the server's format. */
  readonly expiresAt: string | null;
}

/** The user name of the token's account. Throws the request's failure. */
export async function getUsername(service: Service): Promise<string> {
  return (await inspectByUser(service, "the user behind the token")).login;
}

/** Inspects the token that `service` authenticates with. Throws the request's failure. */
export async function inspectToken(service: Service, subject: string): Promise<Inspection> {
  return service.serverType.isOauth ? inspectByUserInfo(service, subject) : inspectByUser(service, subject);
}

/**
 * True if a 401 means that the token is revoked or expired. Servers other than OAuth 2.0 ones then send "Bad
 * credentials" or, from an Enterprise Server in private mode, the second text. "Requires authentication" means that the
 * token was lost on the way.
 */
export function reportsInactiveToken(
  received: Received | undefined,
  serverType: ServerType,
  token: string,
  now: number,
): boolean {
  if (serverType.isOauth) return reportsInvalidToken(received, token, now);
  const message = textOf(objectIn(received?.body)["message"]) ?? "";
  return /^(?:bad credentials|must authenticate to access this api)\b/i.test(message);
}

async function inspectByUser(service: Service, subject: string) {
  const exchange = await service.exchange({ method: "GET", template: "/user", subject });
  const login = readResponse(exchange, [200], (body) => {
    const name = isObject(body) ? body["login"] : null;
    if (typeof name !== "string" || name === "") throw new TypeError("login is not a name");
    return name;
  });
  const { headers } = exchange.response;
  return {
    login,
    scopes:
      headers["x-oauth-scopes"]
        ?.split(",")
        .map((scope) => scope.trim())
        .filter((scope) => scope !== "") ?? null,
    clientId: textOf(headers["x-oauth-client-id"]),
    expiresAt: textOf(headers["github-authentication-token-expiration"]),
  };
}

// ---- UserInfo

/**
 * The response of UserInfo about the token that the service sends; only that it is active if the token lacks the scope
 * of UserInfo. Throws the request's failure.
 */
async function inspectByUserInfo(service: Service, subject: string): Promise<Inspection> {
  const target = (await service.endpoints?.pathOf("userinfo")) ?? null;
  if (target === null) {
    throw usageFailure(
      "the server has no UserInfo endpoint (userinfo_path), which `grantctl token inspect` requires",
      hints.tokenCheck,
    );
  }
  try {
    const exchange = await service.exchange({ method: "GET", template: stripQuery(target), target, subject });
    // A signed response (OpenID Connect Core, 5.3.2) says only that the token is active.
    if (/^application\/jwt\b/i.test(exchange.response.headers["content-type"] ?? "")) return emptyInspection;
    return readResponse(exchange, [200], (body) => {
      if (!isObject(body)) throw new TypeError("it is not an object");
      const { preferred_username: name, username, sub } = body;
      const login = [name, username, sub].find((text) => typeof text === "string" && text !== "");
      return { ...emptyInspection, login: typeof login === "string" ? login : null };
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { status, received } = error.details;
    if (status === 403 && challengeError(received) === "insufficient_scope") return emptyInspection;
    throw endpointFailure(error, "userinfo", service);
  }
}

const emptyInspection: Inspection = { login: null, scopes: null, clientId: null, expiresAt: null };

/**
 * True if a 401 means that the token is revoked or expired (RFC 6750, 3.1). UserInfo says the same of active tokens that
 * it does not take: refresh tokens, tokens for another server, without the scope `openid`, or that must come with a proof
 * (RFC 9449, RFC 8705). Only a JWT shows that it is none of these.
 */
function reportsInvalidToken(received: Received | undefined, token: string, now: number): boolean {
  const challenge = received?.headers?.["www-authenticate"] ?? "";
  if (challengeError(received) !== "invalid_token" || /\bDPoP\b/i.test(challenge)) return false;
  const claims = readPayload(token);
  if (claims === null) return false;
  const { exp, cnf, scope, scp = scope, typ, token_use: use } = claims;
  if (typeof exp === "number" && exp * 1000 < now) return true;
  const scopes = Array.isArray(scp) ? scp : String(scp).split(" ");
  const isRefresh = /refresh|offline/i.test(`${String(typ)} ${String(use)}`);
  return cnf === undefined && scopes.includes("openid") && !isRefresh && isForUserInfo(claims);
}

/** True unless the token names another audience than its issuer, or the client that it was issued to. */
function isForUserInfo({ aud, iss, azp, client_id: client }: Readonly<Record<string, unknown>>): boolean {
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud ?? iss];
  return audience.some(
    (one) => [iss, azp, client].includes(one) || String(one).startsWith(`${String(iss)}/`),
  );
}

/** The error in the challenge of a response, or in its body. */
function challengeError(received: Received | undefined): string | null {
  const challenge = received?.headers?.["www-authenticate"] ?? "";
  const [, error] = /\bBearer\b.*?[\s,]error="?([a-z_]+)/is.exec(challenge) ?? [];
  return error ?? textOf(objectIn(received?.body)["error"]);
}

// ---- The server

/**
 * The version of an Enterprise Server, as in `3.19.2`; null for github.com and Enterprise Cloud, undefined for a server
 * that is not GitHub. Throws if no complete response came.
 */
export async function fetchVersion(service: Service): Promise<string | null | undefined> {
  const call = { method: "GET", template: "/meta", subject: "the server type" } as const;
  const { status, headers, body } = await responseTo(service, call);
  // In every response of an Enterprise Server (docs.github.com, "Resources in the REST API").
  const version = headers?.["x-github-enterprise-version"];
  // An Enterprise Server in private mode rejects requests without credentials.
  if (version !== undefined && (status === 401 || status === 403)) return readVersion(version);
  const content = status === 200 ? objectIn(body) : {};
  return typeof content["verifiable_password_authentication"] === "boolean"
    ? readVersion(content["installed_version"] ?? version)
    : undefined;
}

/** The number without any text after it; undefined for Enterprise Server 2. */
function readVersion(value: unknown): string | null | undefined {
  if (typeof value !== "string") return null;
  const version = /^\d{1,4}(?:\.\d{1,4}){0,3}/.exec(value)?.[0] ?? "of unknown version";
  return version.startsWith("2.") ? undefined : version;
}

// UserInfo at an OAuth 2.0 server (OpenID Connect Core, 5.3): what it says about the token that the request is sent with.
import { isFailure, usageFailure, type Received } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { readResponse, type Service } from "../http/service.ts";
import { isObject } from "../json.ts";
import { endpointFailure, readText, stripQuery } from "./endpoint-requests.ts";
import { readClaims } from "../token.ts";
import type { Inspection } from "./inspection.ts";

/**
 * The response of UserInfo about the token that the service sends; only that it is active if the token lacks the scope
 * of UserInfo. Throws the request's failure.
 */
export async function inspectByUserInfo(service: Service, subject: string): Promise<Inspection> {
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
 * it does not take: those that must come with a proof (RFC 9449, RFC 8705), without the scope `openid`, for another
 * server, and refresh tokens. Only a JWT shows that it is none of these.
 */
export function reportsInvalidToken(received: Received | undefined, token: string, now: number): boolean {
  const challenge = received?.headers?.["www-authenticate"] ?? "";
  if (challengeError(received) !== "invalid_token" || /\bDPoP\b/i.test(challenge)) return false;
  const claims = readClaims(token);
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
  return /\bBearer\b.*?[\s,]error="?([a-z_]+)/is.exec(challenge)?.[1] ?? readText(received, "error");
}

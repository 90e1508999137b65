// UserInfo at an OAuth 2.0 server (OpenID Connect Core, 5.3): what it says about the token that the request is sent with.
import { isFailure, usageFailure, type Received } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { readResponse, type Service } from "../http/service.ts";
import { isObject } from "../json.ts";
import { endpointFailure, readErrorCode, stripQuery } from "./endpoint-requests.ts";
import type { Inspection } from "./inspection.ts";

/**
 * The response of UserInfo about the token that the service sends; only that it is active if the token lacks the scope
 * of UserInfo. Throws the request's failure.
 */
export async function inspectByUserInfo(service: Service, subject: string): Promise<Inspection> {
  const target = (await service.endpoints?.pathOf("userinfo")) ?? null;
  if (target === null) {
    throw usageFailure(
      "the server has no UserInfo endpoint, which `grantctl token inspect` requires",
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

/** True if a 401 is about the token itself (RFC 6750, 3.1), and not that it must come with a proof (RFC 9449). */
export function reportsInvalidToken(received: Received | undefined): boolean {
  const isForDpop = /\bDPoP\b/i.test(received?.headers?.["www-authenticate"] ?? "");
  return challengeError(received) === "invalid_token" && !isForDpop;
}

/** The error in the challenge of a response, or in its body. */
function challengeError(received: Received | undefined): string | null {
  const challenge = received?.headers?.["www-authenticate"] ?? "";
  return /\bBearer\b.*?[\s,]error="?([a-z_]+)/is.exec(challenge)?.[1] ?? readErrorCode(received);
}

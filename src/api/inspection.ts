// Inspects a token with `GET /user`, which most server types support: the body has its user, the headers have the rest.
import type { Received } from "../errors/errors.ts";
import { readResponse, type Service } from "../http/service.ts";
import { isObject } from "../json.ts";
import type { ServerType } from "../server-types.ts";
import { readText } from "./endpoint-requests.ts";

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
  if (!service.serverType.isOauth) return inspectByUser(service, subject);
  const { inspectByUserInfo } = await import("./user-info.ts");
  return inspectByUserInfo(service, subject);
}

/**
 * True if a 401 means that the token is revoked or expired. Servers other than OAuth 2.0 ones then send "Bad
 * credentials" or, from an Enterprise Server in private mode, the second text. "Requires authentication" means that the
 * token was lost on the way.
 */
export async function reportsInactiveToken(
  received: Received | undefined,
  serverType: ServerType,
  token: string,
  now: number,
): Promise<boolean> {
  if (serverType.isOauth) {
    const { reportsInvalidToken } = await import("./user-info.ts");
    return reportsInvalidToken(received, token, now);
  }
  return /^(?:bad credentials|must authenticate to access this api)\b/i.test(
    readText(received, "message") ?? "",
  );
}

async function inspectByUser(
  service: Service,
  subject: string,
): Promise<Inspection & { readonly login: string }> {
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
    clientId: nonEmpty(headers["x-oauth-client-id"]),
    expiresAt: nonEmpty(headers["github-authentication-token-expiration"]),
  };
}

/** Treats an empty header as missing. */
function nonEmpty(value: string | undefined): string | null {
  return value === undefined || value.trim() === "" ? null : value;
}

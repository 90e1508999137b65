// `GET /user`, the account of the credentials, and `GET /`, the root of the API, which operators like GitHub have.
//
// Clients request one of them after a login to learn whether a token is active. They read its scopes from headers,
// which every resource that takes a token sends: the token's own scopes, those that the resource accepts, and the
// token's application and expiry. A caller with a password gets none of them.
import { json } from "../http/answer.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Behaviour } from "../operator.ts";
import { type HandlerOptions, route, type Route } from "./operation.ts";
import { formatTime, representUser } from "./representations.ts";

/** The routes of the caller's own account, for any caller who has proven an account. */
export function createUserRoutes({ baseUrl, behaviour }: HandlerOptions): readonly Route<TokenCaller>[] {
  const root = { current_user_url: `${baseUrl}/user`, authorizations_url: `${baseUrl}/authorizations` };
  return [
    route("GET /user", ({ caller }) => json(200, representUser(baseUrl, caller.account))),
    // gh looks there whether a token is alive.
    ...(behaviour.meta === null ? [] : [route("GET /", () => json(200, root))]),
  ];
}

/** Any of these scopes gives access to an organization's members; the other resources need no scope. */
const scopesForMembers = "admin:org, read:org, repo, user, write:org";

/** The headers on the token's scopes and on those that the resource accepts; none for a caller with a password. */
export function tokenHeaders(
  { authorization }: TokenCaller,
  { segments }: SandboxRequest,
  { isOfToday }: Behaviour,
): Readonly<Record<string, string>> {
  if (authorization === null) return {};
  const { application, expiresAt, scopes } = authorization;
  return {
    "X-OAuth-Scopes": scopes.join(", "),
    "X-Accepted-OAuth-Scopes": segments[0] === "orgs" && segments[2] === "members" ? scopesForMembers : "",
    ...(application !== null ? { "X-OAuth-Client-Id": application.clientId } : {}),
    ...(isOfToday && expiresAt !== null
      ? {
          "github-authentication-token-expiration": formatTime(expiresAt)
            .replace("T", " ")
            .replace("Z", " UTC"),
        }
      : {}),
  };
}

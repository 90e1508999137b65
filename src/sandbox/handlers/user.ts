// `GET /user`: whose credentials these are. Clients ask it after a login, and read the token's scopes from the
// headers, which everything that takes a token answers with.
import { json } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import type { SandboxRequest } from "../http/sandbox-request.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Behaviour } from "../operator.ts";
import { formatTime, representUser } from "./representations.ts";
import type { HandlerOptions } from "./handler-options.ts";

export function createUserRoutes({ baseUrl }: HandlerOptions): readonly Route<TokenCaller>[] {
  return [route("GET /user", ({ caller }) => json(200, representUser(baseUrl, caller.account)))];
}

/** Any of these gives access to an organization's members; everything else here needs none. */
const scopesForMembers = "admin:org, read:org, repo, user, write:org";

/** What the headers say of the caller's token, and of what is asked for. Nothing to one who used the password. */
export function describeToken(
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

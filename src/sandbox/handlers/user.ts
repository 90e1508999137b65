// `GET /user`: whose credentials these are. Clients ask it after a login, and read the token's scopes from the
// headers, which everything that takes a token answers with.
import { json } from "../http/answer.ts";
import type { Route } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { representUser } from "./representations.ts";
import type { Surroundings } from "./surroundings.ts";

export function createUserRoutes({ baseUrl }: Surroundings): readonly Route<TokenCaller>[] {
  return [
    {
      method: "GET",
      template: "/user",
      body: "ignored",
      handle: ({ caller }) => json(200, representUser(baseUrl, caller.account)),
    },
  ];
}

/** The scopes of the caller's token, as headers. None for one who used the password. */
export function describeScopes({ authorization }: TokenCaller): Readonly<Record<string, string>> {
  if (authorization === null) return {};
  return { "X-OAuth-Scopes": authorization.scopes.join(", "), "X-Accepted-OAuth-Scopes": "" };
}

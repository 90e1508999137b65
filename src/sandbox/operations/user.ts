// Resources for every caller with a token or a password: `GET /user`, the account itself; `GET /`, the root of the API,
// which operators like GitHub have; and the members of the account's organizations.
//
// After a login, clients request one of the first two to check that a token is active. They read its scopes from
// headers that every resource sends to a caller with a token: the token's scopes, the accepted scopes, and the token's
// application and expiry. A caller with a password gets none of them.
//
// `createProtectedResources` finds organizations, repositories and issues for a caller, for REST and GraphQL.
// Invariant: single sign-on is checked before the object is looked up, so that the response does not reveal to a caller
// who is not admitted whether the object exists. Names are case-insensitive.
import { json, orNotFound } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Behaviour } from "../operator.ts";
import { type Issue, issueAt, repositories, type Repository } from "../seed/issues.ts";
import { membersOf, type Organization, organizations } from "../seed/organizations.ts";
import { pageResponse, rowsOf } from "./lists.ts";
import { type HandlerContext, readId, route, type Route } from "./operation.ts";
import { formatTime, representUser } from "./representations.ts";

export function createUserRoutes(context: HandlerContext): readonly Route<TokenCaller>[] {
  const { baseUrl, behaviour } = context;
  const resources = createProtectedResources(context);
  const root = { current_user_url: `${baseUrl}/user`, authorizations_url: `${baseUrl}/authorizations` };
  return [
    route("GET /user", ({ caller }) => json(200, representUser(baseUrl, caller.account))),
    // gh checks here whether a token is active.
    ...(behaviour.meta === null ? [] : [route("GET /", () => json(200, root))]),
    route("GET /orgs/:org/members", ({ caller, request, variables }) => {
      const { login } = resources.organization(caller, variables["org"] ?? "");
      return pageResponse(context, request, rowsOf(membersOf(login, caller.account)), (person) =>
        representUser(baseUrl, person),
      );
    }),
  ];
}

/** The scopes for an organization's members; other resources require none. Only reported in a header, not enforced. */
const scopesForMembers = "admin:org, read:org, repo, user, write:org";

/** The headers that describe the caller's token; none for a caller with a password. */
export function tokenHeaders(
  { authorization }: TokenCaller,
  { segments }: SandboxRequest,
  { isCurrent }: Behaviour,
): Readonly<Record<string, string>> {
  if (authorization === null) return {};
  const { application, expiresAt, scopes } = authorization;
  return {
    "X-OAuth-Scopes": scopes.join(", "),
    "X-Accepted-OAuth-Scopes": segments[0] === "orgs" && segments[2] === "members" ? scopesForMembers : "",
    ...(application !== null ? { "X-OAuth-Client-Id": application.clientId } : {}),
    ...(isCurrent && expiresAt !== null
      ? {
          "github-authentication-token-expiration": formatTime(expiresAt)
            .replace("T", " ")
            .replace("Z", " UTC"),
        }
      : {}),
  };
}

export type ProtectedResources = ReturnType<typeof createProtectedResources>;

/**
 * Each method but `visible` throws a Refusal if the object does not exist or its organization does not admit the
 * caller.
 */
export function createProtectedResources({ singleSignOn }: Pick<HandlerContext, "singleSignOn">) {
  const organization = (caller: TokenCaller, login: string): Organization => {
    const found = orNotFound(organizations.find((candidate) => isSameName(candidate.login, login)));
    singleSignOn.admit(caller, found);
    return found;
  };

  const repository = (caller: TokenCaller, owner: string, name: string): Repository => {
    const isOwn = isSameName(owner, caller.account.login);
    const login = isOwn ? null : organization(caller, owner).login;
    return orNotFound(
      repositories.find((candidate) => candidate.organization === login && isSameName(candidate.name, name)),
    );
  };

  return {
    organization,
    repository,
    issue: (caller: TokenCaller, owner: string, name: string, number: string): Issue =>
      orNotFound(issueAt(repository(caller, owner, name), readId(number), caller.account)),
    /** The repositories that the caller may see, and the organizations whose repositories are left out. */
    visible: (caller: TokenCaller) => {
      const excluded = organizations.filter((candidate) => !singleSignOn.isAdmitted(caller, candidate));
      const excludedLogins = new Set<string | null>(excluded.map(({ login }) => login));
      return {
        excluded,
        repositories: repositories.filter(({ organization: owner }) => !excludedLogins.has(owner)),
      };
    },
  };
}

function isSameName(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}

// Resources that every caller with a token or a password may read: `GET /user`, the account itself; `GET /`, the root
// of the API, which operators like GitHub have; and the account's organizations with their members and approved
// credentials.
//
// Clients request one of the first two after a login to check that a token is active. They read its scopes from headers
// that every resource sends to a caller with a token: the token's scopes, the accepted scopes, and the token's
// application and expiry. A caller with a password gets none of them.
//
// `createProtectedResources` finds organizations, repositories and issues for a caller, for REST and for GraphQL.
// Invariant: single sign-on is checked before the lookup, so that the response to a caller who is not admitted does not
// reveal whether the object exists. Names are case-insensitive.
//
// Only operators of today list approved credentials, and only an organization that enforces single sign-on has any.
import { json, notFound, orNotFound, Refusal } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Behaviour } from "../operator.ts";
import { type Issue, issueAt, repositories, type Repository } from "../seed/issues.ts";
import { membersOf, type Organization, organizations } from "../seed/organizations.ts";
import type { OrganizationApprovalRecord } from "../store/store.ts";
import { pageResponse, listOf } from "./lists.ts";
import { type Call, type HandlerOptions, readId, route, type Route } from "./operation.ts";
import { formatTime, representUser, timeOrNull } from "./representations.ts";

/** The routes of the caller's account and its organizations, for any caller who has proven an account. */
export function createUserRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { baseUrl, behaviour } = options;
  const root = { current_user_url: `${baseUrl}/user`, authorizations_url: `${baseUrl}/authorizations` };
  return [
    route("GET /user", ({ caller }) => json(200, representUser(baseUrl, caller.account))),
    // gh checks there that a token is active.
    ...(behaviour.meta === null ? [] : [route("GET /", () => json(200, root))]),
    ...createOrganizationRoutes(options),
  ];
}

/** Any of these scopes gives access to an organization's members; the other resources need no scope. */
const scopesForMembers = "admin:org, read:org, repo, user, write:org";

/** The headers on the token's scopes and on those that the resource accepts; none for a caller with a password. */
export function tokenHeaders(
  { authorization }: TokenCaller,
  { segments }: SandboxRequest,
  { hasCurrentFields }: Behaviour,
): Readonly<Record<string, string>> {
  if (authorization === null) return {};
  const { application, expiresAt, scopes } = authorization;
  return {
    "X-OAuth-Scopes": scopes.join(", "),
    "X-Accepted-OAuth-Scopes": segments[0] === "orgs" && segments[2] === "members" ? scopesForMembers : "",
    ...(application !== null ? { "X-OAuth-Client-Id": application.clientId } : {}),
    ...(hasCurrentFields && expiresAt !== null
      ? {
          "github-authentication-token-expiration": formatTime(expiresAt)
            .replace("T", " ")
            .replace("Z", " UTC"),
        }
      : {}),
  };
}

function createOrganizationRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { baseUrl } = options;
  const resources = createProtectedResources(options);
  return [
    route("GET /orgs/:org/members", ({ caller, request, variables }) => {
      const { login } = resources.organization(caller, variables["org"] ?? "");
      const members = membersOf(login, caller.account);
      return pageResponse(
        options,
        request,
        listOf(members, (person) => representUser(baseUrl, person)),
      );
    }),
    ...(options.behaviour.announcesApprovals ? createApprovalLists(options) : []),
  ];
}

/** The approvals of an organization that enforces single sign-on; others have none. */
function createApprovalLists(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { approvals } = options.store;
  const resources = createProtectedResources(options);
  const find = ({ caller, variables }: Call<TokenCaller>): Organization => {
    const found = resources.organization(caller, variables["org"] ?? "");
    return orNotFound(found.enforcesSso ? found : undefined);
  };
  const template = "/orgs/:org/credential-authorizations";
  return [
    route(`GET ${template}`, (call) => {
      const { id } = find(call);
      return pageResponse(options, call.request, {
        count: () => approvals.countOfOrganization(id),
        list: (limit, offset) => approvals.listOfOrganization(id, limit, offset),
        represent: representApproval,
      });
    }),
    route(`DELETE ${template}/:credential_id`, (call) => {
      const { id } = find(call);
      const token = readId(call.variables["credential_id"]);
      if (!approvals.has(token, id)) throw new Refusal(notFound());
      approvals.remove(token, id);
      return json(204);
    }),
  ];
}

/** A token has at most one approval for an organization, so the token's identifier identifies the approval. */
function representApproval(approval: OrganizationApprovalRecord): unknown {
  const { authorizationId, login, tokenLastEight, scopes, expiresAt, approvedAt, usedAt } = approval;
  return {
    login,
    credential_id: authorizationId,
    credential_type: "personal access token",
    token_last_eight: tokenLastEight,
    credential_authorized_at: formatTime(approvedAt),
    credential_accessed_at: timeOrNull(usedAt),
    authorized_credential_expires_at: timeOrNull(expiresAt),
    scopes,
  };
}

export type ProtectedResources = ReturnType<typeof createProtectedResources>;

/** Finds objects for callers; each method throws a Refusal for what a caller may not find. */
export function createProtectedResources({ singleSignOn }: Pick<HandlerOptions, "singleSignOn">) {
  /** Throws a Refusal for an organization that does not exist or does not admit the caller; so do the methods below. */
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
      const leftOut = organizations.filter((one) => !singleSignOn.isAdmitted(caller, one));
      const closed = new Set<string | null>(leftOut.map(({ login }) => login));
      return { leftOut, repositories: repositories.filter((one) => !closed.has(one.organization)) };
    },
  };
}

/** True if two names differ in the case of their letters at most. */
function isSameName(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}

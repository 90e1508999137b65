// An organization's members, and the credentials that they approved for it, with their last use.
import { membersOf } from "../fixtures/people.ts";
import { noContent, notFound, orNotFound, Refusal } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { answerPage, listOf } from "./list-page.ts";
import { createProtectedResources } from "./protected-resources.ts";
import type { Organization } from "../fixtures/organizations.ts";
import type { OrganizationApprovalRecord } from "../store/approval-store.ts";
import { formatTime, representUser, timeOrNull } from "./representations.ts";
import { readId, type HandlerOptions } from "./handler-options.ts";

/** The routes of an organization, for any caller who has proven an account. */
export function createOrganizationRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { baseUrl } = options;
  const resources = createProtectedResources(options);
  return [
    route("GET /orgs/:org/members", ({ caller, request, variables }) => {
      const { login } = resources.organization(caller, variables["org"] ?? "");
      const members = membersOf(login, caller.account);
      return answerPage(
        options,
        request,
        listOf(members, (person) => representUser(baseUrl, person)),
      );
    }),
    ...(options.behaviour.tellsApprovals ? createApprovalLists(options) : []),
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
      return answerPage(options, call.request, {
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
      return noContent();
    }),
  ];
}

/** A token has at most one approval for an organization, so the token's identifier stands for the approval. */
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

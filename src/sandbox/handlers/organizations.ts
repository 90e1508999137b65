// `GET /orgs/:org/members`.
import { membersOf } from "../fixtures/people.ts";
import type { Route } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { answerPage, listOf } from "./list-page.ts";
import { createProtectedResources } from "./protected-resources.ts";
import { representUser } from "./representations.ts";
import type { Surroundings } from "./surroundings.ts";

export function createOrganizationRoutes(surroundings: Surroundings): readonly Route<TokenCaller>[] {
  const { baseUrl } = surroundings;
  const resources = createProtectedResources(surroundings);
  return [
    {
      method: "GET",
      template: "/orgs/:org/members",
      body: "ignored",
      handle: ({ caller, request, variables }) => {
        const { login } = resources.organization(caller, variables["org"] ?? "");
        const members = membersOf(login, caller.account);
        return answerPage(
          surroundings,
          request,
          listOf(members, (person) => representUser(baseUrl, person)),
        );
      },
    },
  ];
}

// Operations 1 to 3: an account's grants, listed, read and deleted (the specification, 4.1).
//
// A grant is never made or changed here: it follows from the tokens that its application holds. To delete one deletes
// all of them. Operators of today add the user to each grant.
//
// A grant of another account is not found, as one that never existed.
import type { Grant } from "../../api/resources.ts";
import { json, orNotFound } from "../http/answer.ts";
import type { GrantRecord } from "../store/access.ts";
import type { AccountRecord } from "../store/store.ts";
import { answerPage, listedApplication } from "./lists.ts";
import { type Call, type HandlerOptions, readId, route, type Route } from "./operation.ts";
import { formatTime, representUser } from "./representations.ts";

/** The routes of operations 1 to 3, for an account that has proven itself. */
export function createGrantRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store } = options;

  function find({ caller, variables }: Call<AccountRecord>): GrantRecord {
    return orNotFound(store.grants.find(caller.id, readId(variables["grant_id"])));
  }

  return [
    route("GET /applications/grants", ({ caller, request }) => {
      const applicationId = listedApplication(options, request);
      return answerPage(options, request, {
        count: () => store.grants.count(caller.id, applicationId),
        list: (limit, offset) => store.grants.list(caller.id, applicationId, limit, offset),
        represent: (grant) => representGrant(options, grant, caller),
      });
    }),
    route("GET /applications/grants/:grant_id", (call) =>
      json(200, representGrant(options, find(call), call.caller)),
    ),
    route("DELETE /applications/grants/:grant_id", (call) =>
      store.transaction(() => {
        store.access.removeGrant(call.caller.id, find(call).applicationId);
        return json(204);
      }),
    ),
  ];
}

/** A grant of the account at its address below the base URL. */
function representGrant(
  { baseUrl, behaviour }: HandlerOptions,
  grant: GrantRecord,
  account: Pick<AccountRecord, "id" | "login">,
): Grant {
  return {
    id: grant.id,
    url: `${baseUrl}/applications/grants/${grant.id}`,
    app: {
      url: grant.application.url,
      name: grant.application.name,
      client_id: grant.application.clientId,
    },
    created_at: formatTime(grant.createdAt),
    updated_at: formatTime(grant.updatedAt),
    scopes: grant.scopes,
    ...(behaviour.isOfToday ? { user: representUser(baseUrl, account) } : {}),
  };
}

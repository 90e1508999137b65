// Operations 1 to 3: an account's grants (the specification, 4.1).
import { json, noContent, orNotFound } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { AccountRecord } from "../store/account-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import { answerPage, listedApplication } from "./list-page.ts";
import { representGrant } from "./representations.ts";
import { readId, type HandlerOptions } from "./handler-options.ts";

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
        return noContent();
      }),
    ),
  ];
}

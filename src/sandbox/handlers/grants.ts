// Operations 1 to 3: an account's grants (the specification, 4.1).
import { json, noContent, notFound, Refusal } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import type { AccountRecord } from "../store/account-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import { answerPage, listedApplication } from "./list-page.ts";
import { representGrant } from "./representations.ts";
import { readId, type HandlerOptions } from "./handler-options.ts";

export function createGrantRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store } = options;

  function find(account: AccountRecord, idText: string | undefined): GrantRecord {
    const id = readId(idText);
    const grant = id === null ? undefined : store.grants.find(account.id, id);
    if (grant === undefined) throw new Refusal(notFound());
    return grant;
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
    route("GET /applications/grants/:grant_id", ({ caller, variables }) =>
      json(200, representGrant(options, find(caller, variables["grant_id"]), caller)),
    ),
    route("DELETE /applications/grants/:grant_id", ({ caller, variables }) =>
      store.transaction(() => {
        store.access.removeGrant(caller.id, find(caller, variables["grant_id"]).applicationId);
        return noContent();
      }),
    ),
  ];
}

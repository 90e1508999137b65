// Operations 7 and 8: the account's authorization for an application, found or made (the specification, 4.4 and
// 4.5). The rule: an authorization that is found is not changed, and its token is not shown.
import { json, type Answer } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { AccountRecord } from "../store/account-store.ts";
import { readNote, readText, refuseOtherKeys } from "./fields.ts";
import { proveApplication } from "./named-application.ts";
import { createAuthorization } from "./new-token.ts";
import { authorizationUrl, representAuthorization } from "./representations.ts";
import { readScopes } from "./scopes.ts";
import type { HandlerOptions } from "./handler-options.ts";

const permittedKeys = ["client_secret", "scopes", "note", "note_url", "fingerprint"];

/** The routes of operations 7 and 8, for an account that has proven itself. */
export function createGetOrCreateRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = options;

  function getOrCreate({ caller, variables, body }: Call<AccountRecord>): Answer {
    refuseOtherKeys(body, permittedKeys);
    const application = proveApplication(store, variables["client_id"] ?? "", body);
    const fields = {
      accountId: caller.id,
      applicationId: application.id,
      note: readNote(body) || null,
      noteUrl: readText(body, "note_url"),
      // The fingerprint in the path wins over one in the body.
      fingerprint: variables["fingerprint"] ?? readText(body, "fingerprint"),
      scopes: readScopes(body, "scopes") ?? [],
    };
    const existing =
      fields.fingerprint === null
        ? store.authorizations.findForApplication(caller.id, application.id)
        : store.authorizations.findByFingerprint(caller.id, application.id, fields.fingerprint);
    const { authorization, token } =
      existing === undefined
        ? createAuthorization(options, fields, nowInSeconds())
        : { authorization: existing, token: "" };
    return json(existing === undefined ? 201 : 200, representAuthorization(options, authorization, token), {
      Location: authorizationUrl(baseUrl, authorization.id),
    });
  }

  return ["/authorizations/clients/:client_id", "/authorizations/clients/:client_id/:fingerprint"].map(
    (template) => route(`PUT ${template}`, (call) => store.transaction(() => getOrCreate(call)), "object"),
  );
}

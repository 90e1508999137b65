// Operations 11 to 14: an application and the tokens it holds (the specification, 4.8 to 4.11). A token of another
// application is as unknown here as one that never was.
import { json, noContent, notFound, Refusal, type Answer } from "../http/answer.ts";
import type { Call, Route } from "../http/routes.ts";
import { hashToken } from "../identity/secrets.ts";
import type { ApplicationRecord } from "../store/application-store.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import { issueToken } from "./new-token.ts";
import { representAuthorization, representUser } from "./representations.ts";
import type { Surroundings } from "./surroundings.ts";

type ApplicationCall = Call<ApplicationRecord>;

export function createApplicationTokenRoutes({
  store,
  baseUrl,
  nowInSeconds,
}: Surroundings): readonly Route<ApplicationRecord>[] {
  function find({ caller, variables }: ApplicationCall): AuthorizationRecord {
    const tokenHash = hashToken(variables["access_token"] ?? "");
    const authorization = store.authorizations.findByTokenHash(tokenHash);
    if (authorization?.application?.id !== caller.id) throw new Refusal(notFound());
    return authorization;
  }

  function answerWithUser(authorization: AuthorizationRecord, token: string): Answer {
    const account = store.accounts.find(authorization.accountId);
    if (account === undefined) throw new Error("an authorization without its account is in the store");
    return json(200, {
      ...representAuthorization(baseUrl, authorization, token),
      user: representUser(baseUrl, account),
    });
  }

  function check(call: ApplicationCall): Answer {
    return answerWithUser(find(call), call.variables["access_token"] ?? "");
  }

  function reset(call: ApplicationCall): Answer {
    const { token, ...sums } = issueToken();
    const changed = { ...find(call), ...sums, updatedAt: nowInSeconds() };
    store.access.change(changed);
    return answerWithUser(changed, token);
  }

  function revoke(call: ApplicationCall): Answer {
    store.access.removeAuthorization(find(call), nowInSeconds());
    return noContent();
  }

  function revokeGrant(call: ApplicationCall): Answer {
    store.access.removeGrant(find(call).accountId, call.caller.id);
    return noContent();
  }

  const inTransaction = (work: (call: ApplicationCall) => Answer) => (call: ApplicationCall) =>
    store.transaction(() => work(call));
  const tokenTemplate = "/applications/:client_id/tokens/:access_token";
  const grantTemplate = "/applications/:client_id/grants/:access_token";
  return [
    { method: "GET", template: tokenTemplate, body: "ignored", handle: check },
    { method: "POST", template: tokenTemplate, body: "ignored", handle: inTransaction(reset) },
    { method: "DELETE", template: tokenTemplate, body: "ignored", handle: inTransaction(revoke) },
    { method: "DELETE", template: grantTemplate, body: "ignored", handle: inTransaction(revokeGrant) },
  ];
}

// Operations 11 to 14: an application and its tokens (the specification, 4.8 to 4.11).
//
// | operation        | token in the path     | token in the body |
// | ---------------- | --------------------- | ----------------- |
// | check            | GET /tokens/TOKEN     | POST /token       |
// | reset            | POST /tokens/TOKEN    | PATCH /token      |
// | revoke           | DELETE /tokens/TOKEN  | DELETE /token     |
// | revoke the grant | DELETE /grants/TOKEN  | DELETE /grant     |
//
// The operator decides between the two columns. A token that has expired, or belongs to another application, results in
// the same 404 as one that never existed.
//
// Some operators accept reports of leaked tokens from anybody: `POST /credentials/revoke`. A report has at most 1,000
// tokens, and is rejected if it contains credentials of its sender. Active tokens are deleted immediately;
// the response does not reveal which were active.
import { type ServiceResponse, failure, json, orNotFound, Refusal } from "../http/response.ts";
import type { JsonObject, SandboxRequest } from "../http/request.ts";
import { findActiveToken } from "../identity/authentication.ts";
import { hashSecret } from "../identity/secrets.ts";
import type { ApplicationRecord, AuthorizationRecord } from "../store/access.ts";
import { issueToken, representAuthorization } from "./account.ts";
import { readText, fieldRefusal } from "./fields.ts";
import { type Call, type HandlerContext, route, type Route } from "./operation.ts";
import { representUser } from "./representations.ts";

type ApplicationCall = Call<ApplicationRecord>;

export function createApplicationTokenRoutes(context: HandlerContext): readonly Route<ApplicationRecord>[] {
  const { store, behaviour, baseUrl, nowInSeconds } = context;
  const isInBody = behaviour.isCurrent;

  function readToken({ variables, body }: ApplicationCall): string {
    if (!isInBody) return variables["access_token"] ?? "";
    const token = readText(body, "access_token");
    if (token === null) throw fieldRefusal("access_token", "missing_field");
    return token;
  }

  function find(call: ApplicationCall): AuthorizationRecord {
    const authorization = findActiveToken(context, readToken(call));
    return orNotFound(authorization?.application?.id === call.caller.id ? authorization : undefined);
  }

  function userResponse(authorization: AuthorizationRecord, token: string): ServiceResponse {
    // Not a spread: with a field added after it, Node 20 takes longer for it than for the whole representation.
    const user = representUser(baseUrl, store.accounts.get(authorization.accountId));
    return json(200, Object.assign(representAuthorization(context, authorization, token), { user }));
  }

  function check(call: ApplicationCall): ServiceResponse {
    return userResponse(find(call), readToken(call));
  }

  function reset(call: ApplicationCall): ServiceResponse {
    const { token, ...storedFields } = issueToken(behaviour, false);
    const changed = { ...find(call), ...storedFields, updatedAt: nowInSeconds() };
    store.access.change(changed);
    return userResponse(changed, token);
  }

  function revoke(call: ApplicationCall): ServiceResponse {
    const authorization = find(call);
    store.access.removeAuthorization(authorization, nowInSeconds());
    return json(204);
  }

  function revokeGrant(call: ApplicationCall): ServiceResponse {
    const { accountId } = find(call);
    store.access.removeGrant(accountId, call.caller.id);
    return json(204);
  }

  const inTransaction = (work: (call: ApplicationCall) => ServiceResponse) => (call: ApplicationCall) =>
    store.transaction(() => work(call));
  const tokenTemplate = `/applications/:client_id/${isInBody ? "token" : "tokens/:access_token"}`;
  const grantTemplate = `/applications/:client_id/${isInBody ? "grant" : "grants/:access_token"}`;
  const body = isInBody ? "object" : "ignored";
  return [
    route(`${isInBody ? "POST" : "GET"} ${tokenTemplate}`, check, body),
    route(`${isInBody ? "PATCH" : "POST"} ${tokenTemplate}`, inTransaction(reset), body),
    route(`DELETE ${tokenTemplate}`, inTransaction(revoke), body),
    route(`DELETE ${grantTemplate}`, inTransaction(revokeGrant), body),
  ];
}

const maxReportedTokens = 1000;

/** Headers that contain credentials of the sender. */
const credentialHeaders = ["authorization", "cookie", "x-github-otp"];

export function createReportRoutes({
  behaviour,
  store,
  nowInSeconds,
}: HandlerContext): readonly Route<null>[] {
  if (!behaviour.acceptsReports) return [];
  const revoke = (token: string): void => {
    const authorization = store.authorizations.findByTokenHash(hashSecret(token));
    if (authorization !== undefined) store.access.removeAuthorization(authorization, nowInSeconds());
  };

  const handle = (request: SandboxRequest, body: JsonObject): ServiceResponse => {
    if (credentialHeaders.some((name) => request.header(name) !== undefined)) {
      throw new Refusal(failure(403, "Credentials are reported without credentials"));
    }
    const tokens = readTokens(body);
    if (tokens === null) throw new Refusal(failure(422, "Validation Failed"));
    for (const token of tokens) revoke(token);
    return json(202, {});
  };

  return [
    route(
      "POST /credentials/revoke",
      ({ request, body }) => store.transaction(() => handle(request, body)),
      "object",
    ),
  ];
}

/** Null if the body is not a valid report. */
function readTokens({ credentials }: JsonObject): readonly string[] | null {
  if (!Array.isArray(credentials) || credentials.length === 0 || credentials.length > maxReportedTokens)
    return null;
  const tokens: readonly unknown[] = credentials;
  return tokens.every((token) => typeof token === "string" && token !== "") ? (tokens as string[]) : null;
}

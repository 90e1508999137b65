// Operations 1 to 10: an account's grants (the specification, 4.1) and authorizations (4.2 to 4.7).
//
// Rules:
// - A grant is never made or changed here: it follows from the tokens that its application holds. Deleting one deletes
//   all of them.
// - A token's value is in the response that made it, and nowhere else: the store has only its hash. Everywhere else
//   `token` is "".
// - Get-or-create changes nothing about an authorization that it finds.
// - A request for an application's token must include the application's secret; the error does not reveal whether the
// ID
//   or the secret is wrong. A secret without an ID is rejected, so that no personal token is created by mistake.
// - Within an account, a note is unique among personal tokens, and a fingerprint among the tokens of one application.
//   Check and write are in one transaction.
// - What belongs to another account is not found, as if it never existed.
//
// The JSON of authorizations in lists has no token, so it is the same for every caller and is remembered.
import type { App, Authorization, Grant } from "../../api/resources.ts";
import {
  type ServiceResponse,
  documentationUrl,
  failure,
  json,
  orNotFound,
  Refusal,
} from "../http/response.ts";
import type { JsonObject } from "../http/request.ts";
import { hashToken, isSameText } from "../identity/secrets.ts";
import type { Behaviour } from "../operator.ts";
import type {
  ApplicationRecord,
  AuthorizationRecord,
  GrantRecord,
  NewAuthorization,
} from "../store/access.ts";
import type { AccountRecord, Store } from "../store/store.ts";
import { changeScopes, readNote, readOwn, readScopes, readText, refuseField } from "./fields.ts";
import { pageResponse, listedApplication, writeItem } from "./lists.ts";
import { type Call, type HandlerOptions, readId, route, type Route } from "./operation.ts";
import { formatTime, representUser, timeOrNull } from "./representations.ts";

/** The routes of operations 1 to 10, for an account that has proven itself. */
export function createAccountRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  return [...createGrantRoutes(options), ...createAuthorizationRoutes(options)];
}

/** The routes of operations 1 to 3. */
function createGrantRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store } = options;

  function find({ caller, variables }: Call<AccountRecord>): GrantRecord {
    return orNotFound(store.grants.find(caller.id, readId(variables["grant_id"])));
  }

  return [
    route("GET /applications/grants", ({ caller, request }) => {
      const applicationId = listedApplication(options, request);
      return pageResponse(options, request, {
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

/** Represents a grant of the account, with its URL. */
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
    ...(behaviour.hasCurrentFields ? { user: representUser(baseUrl, account) } : {}),
  };
}

type AccountCall = Call<AccountRecord>;

/** The JSON of authorizations in lists. It has no token, and so is the same for every caller and is remembered. */
function createListed(options: HandlerOptions): (authorization: AuthorizationRecord) => Buffer {
  // An entry is dropped with its record, which is kept until the authorization changes.
  const written = new WeakMap<AuthorizationRecord, Buffer>();
  return (authorization) => {
    const known = written.get(authorization);
    if (known !== undefined) return known;
    const bytes = writeItem(representAuthorization(options, authorization, ""));
    written.set(authorization, bytes);
    return bytes;
  };
}

/** The routes of operations 4 to 10. */
function createAuthorizationRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = options;
  const listed = createListed(options);

  function find({ caller, variables }: AccountCall): AuthorizationRecord {
    const authorization = store.authorizations.find(readId(variables["authorization_id"]));
    return orNotFound(authorization?.accountId === caller.id ? authorization : undefined);
  }

  function create({ caller, body }: AccountCall): ServiceResponse {
    const note = readNote(body);
    if (note === null || note === "") throw refuseField("description", "missing_field");
    const application = authenticateNamedApplication(store, body);
    const fields = {
      accountId: caller.id,
      applicationId: application?.id ?? null,
      note,
      noteUrl: readText(body, "note_url"),
      fingerprint: readText(body, "fingerprint"),
      scopes: readScopes(body, "scopes") ?? [],
    };
    if (application === null) refuseUsedNote(store, caller.id, note, null);
    refuseUsedFingerprint(store, fields, null);
    const { authorization, token } = createAuthorization(options, fields, nowInSeconds());
    return json(201, representAuthorization(options, authorization, token), {
      Location: authorizationUrl(baseUrl, authorization.id),
    });
  }

  function update(call: AccountCall): ServiceResponse {
    const { caller, body } = call;
    const before = find(call);
    const applicationId = before.application?.id ?? null;
    const changed = {
      ...before,
      note: changeNote(before, readNote(body)),
      noteUrl: readText(body, "note_url") ?? before.noteUrl,
      fingerprint: readText(body, "fingerprint") ?? before.fingerprint,
      scopes: changeScopes(before.scopes, body),
      updatedAt: nowInSeconds(),
    };
    if (applicationId === null && changed.note !== null) {
      refuseUsedNote(store, caller.id, changed.note, before.id);
    }
    refuseUsedFingerprint(store, { ...changed, applicationId }, before.id);
    store.access.change(changed);
    return json(200, representAuthorization(options, changed, ""));
  }

  function remove(call: AccountCall): ServiceResponse {
    store.access.removeAuthorization(find(call), nowInSeconds());
    return json(204);
  }

  return [
    route("GET /authorizations", ({ caller, request }) => {
      const applicationId = listedApplication(options, request);
      return pageResponse(options, request, {
        count: () => store.authorizations.count(caller.id, applicationId),
        list: (limit, offset) => store.authorizations.list(caller.id, applicationId, limit, offset),
        writtenOf: listed,
      });
    }),
    route("GET /authorizations/:authorization_id", (call) =>
      json(200, representAuthorization(options, find(call), "")),
    ),
    route("POST /authorizations", (call) => store.transaction(() => create(call)), "object"),
    // Operators accept POST in place of PATCH, for clients that cannot send PATCH.
    ...["PATCH", "POST"].map((method) =>
      route<AccountRecord>(
        `${method} /authorizations/:authorization_id`,
        (call) => store.transaction(() => update(call)),
        "object",
      ),
    ),
    route("DELETE /authorizations/:authorization_id", (call) => store.transaction(() => remove(call))),
    ...createGetOrCreateRoutes(options),
  ];
}

/** The note after an update. A blank one removes the note, which is rejected for a personal token. */
function changeNote({ application, note }: AuthorizationRecord, sent: string | null): string | null {
  if (sent === null) return note;
  if (sent !== "") return sent;
  if (application === null) throw refuseField("description", "missing_field");
  return null;
}

/** The URL of an authorization in the API. */
function authorizationUrl(baseUrl: string, id: number): string {
  return `${baseUrl}/authorizations/${id}`;
}

/** An authorization; `token` is its value where the service shows it, and "" elsewhere (the specification, 2.3). */
export function representAuthorization(
  { baseUrl, behaviour }: Pick<HandlerOptions, "baseUrl" | "behaviour">,
  authorization: AuthorizationRecord,
  token: string,
): Authorization {
  return {
    id: authorization.id,
    url: authorizationUrl(baseUrl, authorization.id),
    app: representApp(authorization),
    token,
    hashed_token: authorization.tokenHash,
    token_last_eight: authorization.tokenLastEight,
    note: authorization.note,
    note_url: authorization.noteUrl,
    created_at: formatTime(authorization.createdAt),
    updated_at: formatTime(authorization.updatedAt),
    scopes: authorization.scopes,
    fingerprint: behaviour.hasCurrentFields ? authorization.fingerprint : (authorization.fingerprint ?? ""),
    ...(behaviour.hasCurrentFields
      ? {
          expires_at: timeOrNull(authorization.expiresAt),
          installation: null,
        }
      : {}),
  };
}

const personalClientId = "0".repeat(20);

function representApp({ application, note, noteUrl }: AuthorizationRecord): App {
  return application === null
    ? { url: noteUrl ?? documentationUrl, name: note ?? "", client_id: personalClientId }
    : { url: application.url, name: application.name, client_id: application.clientId };
}

const permittedKeys = ["client_secret", "scopes", "note", "note_url", "fingerprint"];

/** Operations 7 and 8. */
function createGetOrCreateRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = options;

  function getOrCreate({ caller, variables, body }: Call<AccountRecord>): ServiceResponse {
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

/** The fields of a new authorization, without its token. */
export type NewAuthorizationFields = Pick<
  NewAuthorization,
  "accountId" | "applicationId" | "note" | "noteUrl" | "fingerprint" | "scopes"
>;

/** A new token, with its hash and last eight characters, which are stored. */
export function issueToken(
  { makeToken }: Behaviour,
  isPersonal: boolean,
): { token: string } & Pick<AuthorizationRecord, "tokenHash" | "tokenLastEight"> {
  const token = makeToken(isPersonal ? "personal" : "access");
  return { token, tokenHash: hashToken(token), tokenLastEight: token.slice(-8) };
}

/**
 * Stores a new authorization with a new token, inside the caller's transaction. `at` is in seconds. Returns the record
 * and the token, which cannot be read again.
 */
function createAuthorization(
  { store, behaviour }: Pick<HandlerOptions, "store" | "behaviour">,
  fields: NewAuthorizationFields,
  at: number,
): { authorization: AuthorizationRecord; token: string } {
  const { applicationId } = fields;
  const { token, tokenHash, tokenLastEight } = issueToken(behaviour, applicationId === null);
  // Added fields stand before spread ones: the other way round, Node 20 takes longer than for the whole insert.
  const added = {
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
    refreshes: null,
    tokenHash,
    tokenLastEight,
    ...fields,
  };
  const id = store.access.add(added);
  const application = applicationId === null ? null : (store.applications.find(applicationId) ?? null);
  return { authorization: { id, application, ...added }, token };
}

/** Throws a Refusal if another personal token of the account than `id` has the note. */
function refuseUsedNote(store: Store, accountId: number, note: string, id: number | null): void {
  const user = store.authorizations.findPersonalByNote(accountId, note);
  if (user !== undefined && user.id !== id) throw refuseField("description", "already_exists");
}

/** Throws a Refusal if another token of the account for the same application has the fingerprint. */
function refuseUsedFingerprint(
  store: Store,
  { accountId, applicationId, fingerprint }: NewAuthorizationFields,
  id: number | null,
): void {
  if (fingerprint === null) return;
  const user = store.authorizations.findByFingerprint(accountId, applicationId, fingerprint);
  if (user !== undefined && user.id !== id) throw refuseField("fingerprint", "already_exists");
}

/** The application of `client_id` in the body, or null. Throws a Refusal if its secret is wrong. */
function authenticateNamedApplication(store: Store, body: JsonObject): ApplicationRecord | null {
  const clientId = readApplicationText(body, "client_id");
  if (clientId !== null) return proveApplication(store, clientId, body);
  // A secret without a client ID shows that an application's token was meant, so no personal one is created.
  if (readApplicationText(body, "client_secret") !== null)
    throw refuseApplication("client_id", "missing_field");
  return null;
}

/** The application of a client ID whose secret the body holds. Throws a Refusal that does not tell which is wrong. */
function proveApplication(store: Store, clientId: string, body: JsonObject): ApplicationRecord {
  const secret = readApplicationText(body, "client_secret");
  if (secret === null) throw refuseApplication("client_secret", "missing_field");
  const application = store.applications.findByClientId(clientId);
  const isRight = isSameText(application?.clientSecretHash ?? "", hashToken(secret));
  if (application === undefined || !isRight) throw refuseApplication("client_secret", "invalid");
  return application;
}

/** A client ID or client secret, or null when it is absent, null or empty. */
function readApplicationText(body: JsonObject, field: "client_id" | "client_secret"): string | null {
  const value = readOwn(body, field);
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw refuseApplication(field, "invalid");
  return value;
}

/** A refusal of the application that a body names. */
function refuseApplication(field: "client_id" | "client_secret", code: "missing_field" | "invalid"): Refusal {
  return refuseField(field, code, { resource: "OauthApplication" });
}

/** Throws a Refusal that names every key that is not permitted; an empty or null one counts as not sent. */
function refuseOtherKeys(body: JsonObject, permitted: readonly string[]): void {
  const others = Object.keys(body).filter(
    (key) => !permitted.includes(key) && body[key] !== null && body[key] !== "",
  );
  if (others.length === 0) return;
  const lines = others.map((key) => `${JSON.stringify(key)} is not a permitted key.`);
  throw new Refusal(failure(422, `Invalid request.\n\n${lines.join("\n")}`));
}

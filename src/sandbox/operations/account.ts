// Operations 1 to 10: an account's grants (the specification, 4.1) and authorizations (4.2 to 4.7).
//
// - A grant is never created or changed here: it follows from the tokens that its application holds. Deleting a grant
//   deletes all of them.
// - Only the response that creates a token contains its value, because the store has only its hash. Anywhere else
//   `token` is "".
// - Get-or-create does not change an existing authorization.
// - A request for an application's token must include the application's secret; the error does not reveal whether the
//   ID or the secret is wrong. A secret without an ID is rejected, so that no personal token is created by mistake.
// - Within an account, a note is unique among personal tokens, and a fingerprint among the tokens of one application.
//   Check and write are in one transaction.
// - Objects of another account are not found, as if they did not exist.
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
import { findApplication } from "../identity/authentication.ts";
import { hashSecret } from "../identity/secrets.ts";
import type { Behaviour } from "../operator.ts";
import type {
  ApplicationRecord,
  AuthorizationRecord,
  GrantRecord,
  NewAuthorization,
} from "../store/access.ts";
import type { AccountRecord, Store } from "../store/store.ts";
import { changeScopes, readNote, readScopes, readText, fieldRefusal } from "./fields.ts";
import { pageResponse, readApplicationFilter } from "./lists.ts";
import { type Call, type HandlerContext, readId, route, type Route } from "./operation.ts";
import { formatTime, representUser, formatTimeOrNull } from "./representations.ts";

export function createAccountRoutes(context: HandlerContext): readonly Route<AccountRecord>[] {
  return [...createGrantRoutes(context), ...createAuthorizationRoutes(context)];
}

/** Operations 1 to 3. */
function createGrantRoutes(context: HandlerContext): readonly Route<AccountRecord>[] {
  const { store } = context;

  function find({ caller, variables }: Call<AccountRecord>): GrantRecord {
    return orNotFound(store.grants.find(caller.id, readId(variables["grant_id"])));
  }

  return [
    route("GET /applications/grants", ({ caller, request }) => {
      const applicationId = readApplicationFilter(context, request);
      return pageResponse(context, request, store.grants.of(caller.id, applicationId), (grant) =>
        representGrant(context, grant, caller),
      );
    }),
    route("GET /applications/grants/:grant_id", (call) =>
      json(200, representGrant(context, find(call), call.caller)),
    ),
    route("DELETE /applications/grants/:grant_id", (call) =>
      store.transaction(() => {
        store.access.removeGrant(call.caller.id, find(call).application.id);
        return json(204);
      }),
    ),
  ];
}

function representGrant(
  { baseUrl, behaviour }: HandlerContext,
  grant: GrantRecord,
  account: Pick<AccountRecord, "id" | "login">,
): Grant {
  return {
    id: grant.id,
    url: `${baseUrl}/applications/grants/${grant.id}`,
    app: representApplication(grant.application),
    created_at: formatTime(grant.createdAt),
    updated_at: formatTime(grant.updatedAt),
    scopes: grant.scopes,
    ...(behaviour.isCurrent ? { user: representUser(baseUrl, account) } : {}),
  };
}

type AccountCall = Call<AccountRecord>;

/** Operations 4 to 10. */
function createAuthorizationRoutes(context: HandlerContext): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = context;

  function find({ caller, variables }: AccountCall): AuthorizationRecord {
    const authorization = store.authorizations.find(readId(variables["authorization_id"]));
    return orNotFound(authorization?.accountId === caller.id ? authorization : undefined);
  }

  function create({ caller, body }: AccountCall): ServiceResponse {
    const note = readNote(body);
    if (note === null || note === "") throw fieldRefusal("description", "missing_field");
    const application = readRequestedApplication(store, body);
    const fields = {
      accountId: caller.id,
      application,
      note,
      noteUrl: readText(body, "note_url"),
      fingerprint: readText(body, "fingerprint"),
      scopes: readScopes(body, "scopes") ?? [],
    };
    requireUnused(store, fields, null);
    const { authorization, token } = createAuthorization(context, fields, nowInSeconds());
    return json(201, representAuthorization(context, authorization, token), {
      Location: authorizationUrl(baseUrl, authorization.id),
    });
  }

  function update(call: AccountCall): ServiceResponse {
    const { body } = call;
    const before = find(call);
    const changed = {
      ...before,
      note: changeNote(before, readNote(body)),
      noteUrl: readText(body, "note_url") ?? before.noteUrl,
      fingerprint: readText(body, "fingerprint") ?? before.fingerprint,
      scopes: changeScopes(before.scopes, body),
      updatedAt: nowInSeconds(),
    };
    requireUnused(store, changed, before.id);
    store.access.change(changed);
    return json(200, representAuthorization(context, changed, ""));
  }

  function remove(call: AccountCall): ServiceResponse {
    store.access.removeAuthorization(find(call), nowInSeconds());
    return json(204);
  }

  return [
    route("GET /authorizations", ({ caller, request }) => {
      const applicationId = readApplicationFilter(context, request);
      const authorizations = store.authorizations.of(caller.id, applicationId);
      return pageResponse(context, request, authorizations, (authorization) =>
        representAuthorization(context, authorization, ""),
      );
    }),
    route("GET /authorizations/:authorization_id", (call) =>
      json(200, representAuthorization(context, find(call), "")),
    ),
    route("POST /authorizations", (call) => store.transaction(() => create(call)), "object"),
    // Operators also accept POST, for clients that cannot send PATCH.
    ...["PATCH", "POST"].map((method) =>
      route<AccountRecord>(
        `${method} /authorizations/:authorization_id`,
        (call) => store.transaction(() => update(call)),
        "object",
      ),
    ),
    route("DELETE /authorizations/:authorization_id", (call) => store.transaction(() => remove(call))),
    ...createGetOrCreateRoutes(context),
  ];
}

/** The note after an update. "" removes it, which is rejected for a personal token. */
function changeNote({ application, note }: AuthorizationRecord, newNote: string | null): string | null {
  if (newNote === null) return note;
  if (newNote !== "") return newNote;
  if (application === null) throw fieldRefusal("description", "missing_field");
  return null;
}

function authorizationUrl(baseUrl: string, id: number): string {
  return `${baseUrl}/authorizations/${id}`;
}

/** `token` is the value, or "" unless the service returns it (the specification, 2.3). */
export function representAuthorization(
  { baseUrl, behaviour }: Pick<HandlerContext, "baseUrl" | "behaviour">,
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
    fingerprint: behaviour.isCurrent ? authorization.fingerprint : (authorization.fingerprint ?? ""),
    ...(behaviour.isCurrent
      ? {
          expires_at: formatTimeOrNull(authorization.expiresAt),
          installation: null,
        }
      : {}),
  };
}

const personalClientId = "0".repeat(20);

function representApp({ application, note, noteUrl }: AuthorizationRecord): App {
  if (application !== null) return representApplication(application);
  return { url: noteUrl ?? documentationUrl, name: note ?? "", client_id: personalClientId };
}

function representApplication({ url, name, clientId }: ApplicationRecord): App {
  return { url, name, client_id: clientId };
}

const getOrCreateKeys = ["client_secret", "scopes", "note", "note_url", "fingerprint"];

/** Operations 7 and 8. */
function createGetOrCreateRoutes(context: HandlerContext): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = context;

  function getOrCreate({ caller, variables, body }: Call<AccountRecord>): ServiceResponse {
    rejectUnknownKeys(body, getOrCreateKeys);
    const application = verifyClientSecret(store, variables["client_id"] ?? "", body);
    const fields = {
      accountId: caller.id,
      application,
      note: readNote(body) || null,
      noteUrl: readText(body, "note_url"),
      // The fingerprint in the path takes precedence over the one in the body.
      fingerprint: variables["fingerprint"] ?? readText(body, "fingerprint"),
      scopes: readScopes(body, "scopes") ?? [],
    };
    const existing =
      fields.fingerprint === null
        ? store.authorizations.findForApplication(caller.id, application.id)
        : store.authorizations.findByFingerprint(caller.id, application, fields.fingerprint);
    const { authorization, token } =
      existing === undefined
        ? createAuthorization(context, fields, nowInSeconds())
        : { authorization: existing, token: "" };
    return json(existing === undefined ? 201 : 200, representAuthorization(context, authorization, token), {
      Location: authorizationUrl(baseUrl, authorization.id),
    });
  }

  return ["/authorizations/clients/:client_id", "/authorizations/clients/:client_id/:fingerprint"].map(
    (template) => route(`PUT ${template}`, (call) => store.transaction(() => getOrCreate(call)), "object"),
  );
}

export type NewAuthorizationFields = Pick<
  NewAuthorization,
  "accountId" | "application" | "note" | "noteUrl" | "fingerprint" | "scopes"
>;

/** Creates a token, and the two fields that are stored instead of its value. */
export function issueToken(
  { makeToken }: Behaviour,
  isPersonal: boolean,
): { token: string } & Pick<AuthorizationRecord, "tokenHash" | "tokenLastEight"> {
  const token = makeToken(isPersonal ? "personal" : "access");
  return { token, tokenHash: hashSecret(token), tokenLastEight: token.slice(-8) };
}

/**
 * Stores an authorization with a new token. Must run inside a transaction. The token's value cannot be read again. `at`
 * is in seconds since the epoch.
 */
function createAuthorization(
  { store, behaviour }: Pick<HandlerContext, "store" | "behaviour">,
  fields: NewAuthorizationFields,
  at: number,
): { authorization: AuthorizationRecord; token: string } {
  const { token, tokenHash, tokenLastEight } = issueToken(behaviour, fields.application === null);
  // The spread comes last: in the other order, Node 20 takes longer for it than for the whole insert.
  const added = {
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
    refreshes: null,
    tokenHash,
    tokenLastEight,
    ...fields,
  };
  return { authorization: { id: store.access.add(added), ...added }, token };
}

/** Throws a Refusal if a token other than `ownId` has the note of a personal token, or the fingerprint. */
function requireUnused(
  { authorizations }: Store,
  { accountId, application, note, fingerprint }: NewAuthorizationFields,
  ownId: number | null,
): void {
  const isTaken = (found: AuthorizationRecord | undefined): boolean =>
    found !== undefined && found.id !== ownId;
  if (application === null && note !== null && isTaken(authorizations.findPersonalByNote(accountId, note))) {
    throw fieldRefusal("description", "already_exists");
  }
  if (fingerprint === null) return;
  if (isTaken(authorizations.findByFingerprint(accountId, application, fingerprint))) {
    throw fieldRefusal("fingerprint", "already_exists");
  }
}

/** In the errors of an application's fields. */
const ofApplication = { resource: "OauthApplication" } as const;

/** The application of the body's `client_id`, or null. Throws a Refusal if its secret is wrong. */
function readRequestedApplication(store: Store, body: JsonObject): ApplicationRecord | null {
  const clientId = readText(body, "client_id", ofApplication);
  if (clientId !== null) return verifyClientSecret(store, clientId, body);
  if (readText(body, "client_secret", ofApplication) === null) return null;
  throw fieldRefusal("client_id", "missing_field", ofApplication);
}

/** The application of a client ID. Throws a Refusal unless the body contains its secret. */
function verifyClientSecret(store: Store, clientId: string, body: JsonObject): ApplicationRecord {
  const secret = readText(body, "client_secret", ofApplication);
  if (secret === null) throw fieldRefusal("client_secret", "missing_field", ofApplication);
  const application = findApplication(store, clientId, secret);
  if (application === undefined) throw fieldRefusal("client_secret", "invalid", ofApplication);
  return application;
}

/** Throws a Refusal that names all unknown keys; those that are null or empty count as not sent. */
function rejectUnknownKeys(body: JsonObject, permitted: readonly string[]): void {
  const unknown = Object.keys(body).filter(
    (key) => !permitted.includes(key) && body[key] !== null && body[key] !== "",
  );
  if (unknown.length === 0) return;
  const lines = unknown.map((key) => `${JSON.stringify(key)} is not a permitted key.`);
  throw new Refusal(failure(422, `Invalid request.\n\n${lines.join("\n")}`));
}

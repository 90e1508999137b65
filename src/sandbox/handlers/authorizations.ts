// Operations 4 to 6, 9 and 10: an account's authorizations (the specification, 4.2, 4.3, 4.6 and 4.7).
import { json, noContent, orNotFound, refuseField, type Answer } from "../http/answer.ts";
import { writeItem } from "../http/json-text.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { AccountRecord } from "../store/account-store.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import { authenticateNamedApplication } from "./named-application.ts";
import { readNote, readText } from "./fields.ts";
import { answerPage, listedApplication } from "./list-page.ts";
import { createAuthorization, refuseUsedFingerprint, refuseUsedNote } from "./new-token.ts";
import { authorizationUrl, representAuthorization } from "./representations.ts";
import { changeScopes, readScopes } from "./scopes.ts";
import { readId, type HandlerOptions } from "./handler-options.ts";

type AccountCall = Call<AccountRecord>;

/** The JSON of authorizations in lists. It has no token, and so is the same for every caller and is remembered. */
function createListed(options: HandlerOptions): (authorization: AuthorizationRecord) => Buffer {
  // An entry is dropped with its record, which lives until the authorization changes.
  const written = new WeakMap<AuthorizationRecord, Buffer>();
  return (authorization) => {
    const known = written.get(authorization);
    if (known !== undefined) return known;
    const bytes = writeItem(representAuthorization(options, authorization, ""));
    written.set(authorization, bytes);
    return bytes;
  };
}

/** The routes of operations 4 to 6, 9 and 10, for an account that has proven itself. */
export function createAuthorizationRoutes(options: HandlerOptions): readonly Route<AccountRecord>[] {
  const { store, baseUrl, nowInSeconds } = options;
  const listed = createListed(options);

  function find({ caller, variables }: AccountCall): AuthorizationRecord {
    const authorization = store.authorizations.find(readId(variables["authorization_id"]));
    return orNotFound(authorization?.accountId === caller.id ? authorization : undefined);
  }

  function create({ caller, body }: AccountCall): Answer {
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

  function update(call: AccountCall): Answer {
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

  function remove(call: AccountCall): Answer {
    store.access.removeAuthorization(find(call), nowInSeconds());
    return noContent();
  }

  return [
    route("GET /authorizations", ({ caller, request }) => {
      const applicationId = listedApplication(options, request);
      return answerPage(options, request, {
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
  ];
}

/** The note after an update. A blank one removes the note, which is refused for a personal token. */
function changeNote({ application, note }: AuthorizationRecord, sent: string | null): string | null {
  if (sent === null) return note;
  if (sent !== "") return sent;
  if (application === null) throw refuseField("description", "missing_field");
  return null;
}

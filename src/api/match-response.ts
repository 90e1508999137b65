// Checks that a response fits its request where a token's value or "revoked" depends on it: a server or a proxy that
// mixes responses up must not pass one token off as another. Throws a TypeError, which becomes an unknown outcome, or for
// a read a protocol failure. Missing fields pass, but the note and fingerprint that were sent must come back.
import { checkAuthorizationWithValue } from "./checks.ts";
import { checkTokenMatches, hasText } from "./hashed-token.ts";
import type { Authorization } from "./resources.ts";

/** The fields of the request for a new token that its response must have. */
interface SentFields {
  readonly note?: string | undefined;
  readonly fingerprint?: string | null | undefined;
  readonly client_id?: string | undefined;
}

/** The check of a response with a new token's value for these fields. */
export function checkNewToken(sent: SentFields): (value: unknown) => Authorization {
  return (value) => {
    const created = checkAuthorizationWithValue(value);
    checkTokenMatches(created, created.token);
    if (hasText(sent.fingerprint) && created.fingerprint !== sent.fingerprint)
      throw new TypeError("fingerprint is not the one that was sent");
    // Servers trim notes.
    if (hasText(sent.note) && (created.note ?? "").trim() !== sent.note.trim())
      throw new TypeError("note is not the one that was sent");
    checkApplication(created, sent.client_id);
    return created;
  };
}

/** The check of the response to a reset. `old` is the token that was reset. */
export function checkResetToken(clientId: string, old: string): (value: unknown) => Authorization {
  return (value) => {
    const created = checkNewToken({ client_id: clientId })(value);
    if (created.token === old) throw new TypeError("token is the old value, not a new one");
    return created;
  };
}

/**
 * True if an existing authorization is of this application, and of this fingerprint if one was sent: without one, any
 * authorization of the application fits (specification, 4.4). For a deletion, it must say so itself.
 */
export function isOfRequest(
  { app, fingerprint }: Authorization,
  sent: { readonly client_id: string; readonly fingerprint: string | null },
  isForDeletion: boolean,
): boolean {
  const ifMissing = isForDeletion ? null : sent;
  // An empty client ID is that of a personal token, which is of no application.
  const isOfApplication = (app?.client_id ?? ifMissing?.client_id) === sent.client_id;
  return (
    isOfApplication &&
    (sent.fingerprint === null || (fingerprint || ifMissing?.fingerprint) === sent.fingerprint)
  );
}

/**
 * Checks that a response is about an authorization of this application, if there is one. Servers show a personal token
 * as one of an application without a client ID.
 */
export function checkApplication({ app }: Authorization, clientId: string | undefined): void {
  const shown = app?.client_id;
  if (clientId !== undefined && hasText(shown) && shown !== clientId)
    throw new TypeError("app is another application");
}

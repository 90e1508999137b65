// Checks that a response fits its request: a server or a proxy that mixes responses up must not pass one token off as
// another, and a change that was not made must not count as made. Throws a TypeError, which becomes an unknown outcome,
// or for a read a protocol failure. Missing fields pass, but a fingerprint that was sent must come back.
import { checkAuthorizationWithoutValue, checkAuthorizationWithValue } from "./checks.ts";
import { checkTokenMatches, hasText } from "./hashed-token.ts";
import { parseUrl } from "../parse-url.ts";
import type { Authorization } from "./resources.ts";

/** The fields of the request for a new token; undefined if not sent. */
export interface SentFields {
  readonly note?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly fingerprint?: string | null | undefined;
  readonly client_id?: string | undefined;
}

/** The fields that were sent for a change; absent ones were not sent. At most one of the three kinds of scopes. */
export interface SentChanges extends Omit<SentFields, "client_id"> {
  readonly add_scopes?: readonly string[] | undefined;
  readonly remove_scopes?: readonly string[] | undefined;
  readonly note_url?: string | undefined;
}

/**
 * The check of a response with a new token's value for these fields. `mayBeWeaker`: the token may lack scopes that were
 * requested, because the caller compares them itself.
 */
export function checkNewToken(sent: SentFields, mayBeWeaker = false): (value: unknown) => Authorization {
  return (value) => {
    const created = checkAuthorizationWithValue(value);
    checkTokenMatches(created, created.token);
    // A server may name a token without a note itself.
    checkNote(created, sent.note || undefined);
    checkFingerprint(created, sent.fingerprint);
    checkApplication(created, sent.client_id);
    checkNotWider(created, sent.scopes);
    if (!mayBeWeaker) checkHasScopes(created, sent.scopes);
    return created;
  };
}

/** The check of the response to a change of these fields. The response never has the token's value. */
export function checkUpdated(sent: SentChanges): (value: unknown) => Authorization {
  return (value) => {
    const changed = checkAuthorizationWithoutValue(value);
    checkNote(changed, sent.note);
    checkNoteUrl(changed, sent.note_url);
    if (sent.fingerprint !== undefined) checkFingerprint(changed, sent.fingerprint);
    checkNotWider(changed, sent.scopes);
    checkHasScopes(changed, sent.scopes);
    checkHasScopes(changed, sent.add_scopes);
    const removed = new Set(sent.remove_scopes);
    if ((changed.scopes ?? []).some((scope) => removed.has(scope)))
      throw new TypeError("scopes include one that was to be removed");
    return changed;
  };
}

/**
 * True if an existing authorization is of this application, and of this fingerprint if one was sent: without one, any
 * authorization of the application fits (specification, 4.4).
 */
export function isOfRequest(
  { app, fingerprint }: Authorization,
  sent: { readonly client_id: string; readonly fingerprint: string | null },
): boolean {
  // An empty client ID is that of a personal token, which is of no application.
  const isOfApplication = (app?.client_id ?? sent.client_id) === sent.client_id;
  return (
    isOfApplication && (sent.fingerprint === null || (fingerprint || sent.fingerprint) === sent.fingerprint)
  );
}

/** Creates the check for the response to a reset. `old` is the token that was reset. */
export function checkResetToken(clientId: string, old: string): (value: unknown) => Authorization {
  return (value) => {
    const created = checkAuthorizationWithValue(value);
    if (created.token === old) throw new TypeError("token is the old value, not a new one");
    checkTokenMatches(created, created.token);
    checkApplication(created, clientId);
    return created;
  };
}

function checkNote({ note }: Authorization, sent: string | undefined): void {
  if (sent !== undefined && hasText(note) && note.trim() !== sent.trim())
    throw new TypeError("note is not the one that was sent");
}

function checkNoteUrl({ note_url }: Authorization, sent: string | undefined): void {
  if (sent !== undefined && hasText(note_url) && normalizeUrl(note_url) !== normalizeUrl(sent))
    throw new TypeError("note_url is not the one that was sent");
}

/** A URL in one form, because servers may write it in another; any other text without spaces around it. */
function normalizeUrl(text: string): string {
  return parseUrl(text.trim())?.href ?? text.trim();
}

function checkFingerprint({ fingerprint }: Authorization, sent: string | null | undefined): void {
  if ((fingerprint ?? "") !== (sent ?? "")) throw new TypeError("fingerprint is not the one that was sent");
}

function checkNotWider({ scopes }: Authorization, sent: readonly string[] | undefined): void {
  const wanted = new Set(sent);
  if (sent !== undefined && (scopes ?? []).some((scope) => !isScopeCovered(scope, wanted)))
    throw new TypeError("scopes are wider than requested");
}

/** Passes if the server does not show the scopes. */
function checkHasScopes({ scopes }: Authorization, sent: readonly string[] | undefined): void {
  if (!Array.isArray(scopes)) return;
  const shown = new Set<string>(scopes);
  if ((sent ?? []).some((scope) => !isScopeCovered(scope, shown)))
    throw new TypeError("scopes are fewer than requested");
}

/**
 * Checks that a response is about an authorization of this application, if there is one. Servers show a personal token
 * as one of an application without a client ID, or with zeros for it.
 */
export function checkApplication({ app }: Authorization, clientId: string | undefined): void {
  const shown = app?.client_id;
  if (clientId !== undefined && hasText(shown) && shown !== clientId)
    throw new TypeError("app is another application");
}

/** Scopes that `repo` includes although their names do not begin with `repo:`. */
const ofRepo = new Set(["public_repo", "repo_deployment", "security_events"]);

/**
 * True if `has` contains the scope, or a broader one that includes it. Servers omit scopes that another one includes,
 * such as `user:email` and `read:user` beside `user`, and `read:org` beside `admin:org`.
 */
export function isScopeCovered(scope: string, has: ReadonlySet<string>): boolean {
  const [first = "", rest = ""] = scope.split(":");
  const broader = [scope, first];
  if (first === "read") broader.push(rest, `write:${rest}`, `admin:${rest}`);
  if (first === "write") broader.push(`admin:${rest}`);
  if (first.startsWith("manage_")) broader.push(rest, `admin:${rest}`);
  if (ofRepo.has(scope)) broader.push("repo");
  return broader.some((one) => has.has(one));
}

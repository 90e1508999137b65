// Checks that a response fits its request where a token's value or "revoked" depends on it: a server or a proxy that
// mixes responses up must not pass one token off as another. Throws a TypeError, which becomes an unknown outcome, or for
// a read a protocol failure. Missing fields pass, but the note and fingerprint that were sent must come back.
import { createHash } from "node:crypto";
import { isTokenValue, lastEight } from "../token.ts";
import { checkAuthorizationWithValue } from "./checks.ts";
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
    if (sent.fingerprint && created.fingerprint !== sent.fingerprint)
      throw new TypeError("fingerprint is not the one that was sent");
    // Servers trim notes.
    if (sent.note && (created.note ?? "").trim() !== sent.note.trim())
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
 * Checks that a response is about an authorization of this application, if there is one. Servers show a personal token
 * as one of an application without a client ID.
 */
export function checkApplication({ app }: Authorization, clientId: string | undefined): void {
  const shown = app?.client_id;
  if (clientId !== undefined && shown && shown !== clientId)
    throw new TypeError("app is another application");
}

// ---- The token of an authorization, by its hash or its last eight characters

/** A token's SHA-256 hash in all encodings that servers use: hexadecimal, or base64 on early servers. */
export function hashesOf(token: string): readonly string[] {
  const digest = createHash("sha256").update(token).digest();
  return [digest.toString("hex"), withoutPadding(digest.toString("base64")), digest.toString("base64url")];
}

/** True for a SHA-256 hash in one of these encodings. */
export function isHash(text: string | null | undefined): boolean {
  return /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i.test(text ?? "");
}

/** The token with the authorization's hash, or null. `byHash` has tokens under the results of `hashesOf`. */
export function findToken(
  { hashed_token }: Pick<Authorization, "hashed_token">,
  byHash: ReadonlyMap<string, string>,
): string | null {
  if (typeof hashed_token !== "string" || hashed_token === "") return null;
  return byHash.get(hashed_token.toLowerCase()) ?? byHash.get(withoutPadding(hashed_token)) ?? null;
}

/** True if the authorization has this token's hash or, if it has no hash, the token's last eight characters. */
export function isTokenOf(
  authorization: Pick<Authorization, "hashed_token" | "token_last_eight">,
  token: string,
): boolean {
  const { hashed_token, token_last_eight } = authorization;
  if (hashed_token) {
    return findToken(authorization, new Map(hashesOf(token).map((hash) => [hash, token]))) !== null;
  }
  return token.length > 8 && token_last_eight === lastEight(token);
}

/**
 * Checks that a response is about this token: each field that identifies a token must match if it is present. Throws a
 * TypeError that names the field.
 */
export function checkTokenMatches(authorization: Authorization, token: string): void {
  const { token: value, hashed_token, token_last_eight } = authorization;
  // A placeholder for a hidden value identifies nothing.
  if (isTokenValue(value) && value !== token) throw new TypeError("token is another one");
  if (isHash(hashed_token) && !isTokenOf(authorization, token))
    throw new TypeError("hashed_token belongs to another token");
  if (token_last_eight && ![token.slice(-8), lastEight(token)].includes(token_last_eight))
    throw new TypeError("token_last_eight belongs to another token");
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, "");
}

// Responses about tokens: whether they fit their request, and which token an authorization has.
//
// A response must fit where a token's value or "revoked" depends on it: a server or a proxy that mixes responses up must not
// pass one token off as another. A check throws a TypeError, which becomes an unknown outcome, or for a read a protocol
// failure. Missing fields pass, but the note and fingerprint that were sent must come back.
//
// The token and the ID are read from any response, also from one that was cut off or breaks the specification, because it
// may have a value. Records keep responses as they arrived, in base64.
import { exactText, isObject, parseOrNull, readJson } from "../json.ts";
import { hashOf, isTokenValue, lastEight } from "../token.ts";
import type { AuthorizationFields } from "./authorizations.ts";
import { checkAuthorizationWithValue } from "./checks.ts";
import type { Authorization } from "./resources.ts";

/** The check of a response with a new token's value for a request with these fields. */
export function checkNewToken(sent: AuthorizationFields): (value: unknown) => Authorization {
  return (value) => {
    const created = checkAuthorizationWithValue(value);
    checkTokenMatches(created, created.token);
    if (sent.fingerprint && created.fingerprint !== sent.fingerprint)
      throw new TypeError("fingerprint is not the one that was sent");
    if (sent.note && !isSameNote(created.note, sent.note))
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

/**
 * Checks that a response is about this token: each field that identifies a token must match if it is present. Throws a
 * TypeError that names the field.
 */
export function checkTokenMatches(
  { token: value, hashed_token, token_last_eight }: Authorization,
  token: string,
): void {
  // A placeholder for a hidden value identifies nothing.
  if (isTokenValue(value) && value !== token) throw new TypeError("token is another one");
  const hash = readHash(hashed_token);
  if (hash !== null && hash !== hashOf(token)) throw new TypeError("hashed_token belongs to another token");
  // A server may show all eight characters of a short token, of which `lastEight` shows half.
  if (token_last_eight && ![token.slice(-8), lastEight(token)].includes(token_last_eight))
    throw new TypeError("token_last_eight belongs to another token");
}

/** Servers trim notes. */
export function isSameNote(shown: string | null | undefined, sent: string | null): boolean {
  return (shown ?? "").trim() === (sent ?? "").trim();
}

// ---- The hash of a token

/** The SHA-256 hash in an authorization, in lower-case hexadecimal digits; early servers send base64. Null if it is none. */
export function readHash(text: string | null | undefined): string | null {
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(text ?? "");
  const hex = isBase64 ? Buffer.from(text ?? "", "base64").toString("hex") : (text ?? "").toLowerCase();
  return /^[0-9a-f]{64}$/.test(hex) ? hex : null;
}

/** True if the authorization has this token's hash or, if it has no hash, the token's last eight characters. */
export function isTokenOf(
  { hashed_token, token_last_eight }: Pick<Authorization, "hashed_token" | "token_last_eight">,
  token: string,
): boolean {
  if (hashed_token) return readHash(hashed_token) === hashOf(token);
  return token.length > 8 && token_last_eight === lastEight(token);
}

// ---- The token and the ID in any response

/** The token in a response, even with blanks around it, or if the response was cut off after it; null if there is none. */
export function extractToken(text: string): string | null {
  const field = readTokenField(text);
  const value = typeof field === "string" ? field.trim() : field;
  return isTokenValue(value) ? value : null;
}

/** Like `extractToken`, for a base64 response as in records, if there is one. */
export function extractTokenFromBody(body: string | undefined): string | null {
  return body === undefined ? null : extractToken(Buffer.from(body, "base64").toString("utf8"));
}

function readTokenField(text: string): unknown {
  const response = parseOrNull(text);
  // Otherwise the response is cut off, or breaks the specification and has the token further inside: search the text.
  if (typeof response === "object" && response !== null && "token" in response) return response.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parseOrNull(literal);
}

/** The ID in a base64 response, even if the response was cut off after it; null if there is none. */
export function extractIdFromBody(body = ""): string | null {
  const bytes = Buffer.from(body, "base64");
  try {
    const response = readJson(bytes);
    const id = isObject(response) ? exactText(response["id"]) : null;
    return id !== null && /^\d+$/.test(id) ? id : null;
  } catch {
    return /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(bytes.toString("utf8"))?.[1] ?? null;
  }
}

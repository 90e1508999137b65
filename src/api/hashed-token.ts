// Matches tokens with listed authorizations without sending them, by their hash or their last eight characters.
import { createHash } from "node:crypto";
import { isTokenValue, lastEight } from "../token.ts";
import type { Authorization } from "./resources.ts";

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
  if (hasText(hashed_token)) {
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
  if (hasText(token_last_eight) && ![token.slice(-8), lastEight(token)].includes(token_last_eight))
    throw new TypeError("token_last_eight belongs to another token");
}

export function hasText(value: string | null | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, "");
}

// Recognises tokens, without sending them, by the hash or the last characters in the service's list.
import { createHash } from "node:crypto";
import { lastEight } from "../token-value.ts";
import type { Authorization } from "./resources.ts";

/** The forms in which a token's hash is listed: its SHA-256 in hexadecimal digits; early operators used base64. */
export function hashesOf(token: string): readonly string[] {
  const digest = createHash("sha256").update(token).digest();
  return [digest.toString("hex"), withoutPadding(digest.toString("base64")), digest.toString("base64url")];
}

/** The authorization's token among these, which are listed under their hashes; null for none. */
export function tokenAmong(
  { hashed_token }: Pick<Authorization, "hashed_token">,
  byHash: ReadonlyMap<string, string>,
): string | null {
  if (typeof hashed_token !== "string" || hashed_token === "") return null;
  return byHash.get(hashed_token.toLowerCase()) ?? byHash.get(withoutPadding(hashed_token)) ?? null;
}

/** Whether an authorization is of this token: by the hash, or without one by the last eight characters. */
export function isTokenOf(authorization: Authorization, token: string): boolean {
  const { hashed_token, token_last_eight } = authorization;
  if (typeof hashed_token === "string" && hashed_token !== "") {
    return tokenAmong(authorization, new Map(hashesOf(token).map((hash) => [hash, token]))) !== null;
  }
  return token.length > 8 && token_last_eight === lastEight(token);
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, "");
}

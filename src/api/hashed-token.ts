// Tokens recognised by what the service lists of them, without being sent.
import { createHash } from "node:crypto";
import { lastEight } from "./last-eight.ts";
import type { Authorization } from "./resources.ts";

/** The forms in which a token's hash is listed: its SHA-256 in hexadecimal digits; early operators used base64. */
export function hashesOf(token: string): readonly string[] {
  const digest = createHash("sha256").update(token).digest();
  return [digest.toString("hex"), withoutPadding(digest.toString("base64")), digest.toString("base64url")];
}

/** Whether the authorization's token has one of these hashes. */
export function isOneOf(
  { hashed_token }: Pick<Authorization, "hashed_token">,
  hashes: ReadonlySet<string>,
): boolean {
  if (typeof hashed_token !== "string" || hashed_token === "") return false;
  return hashes.has(hashed_token.toLowerCase()) || hashes.has(withoutPadding(hashed_token));
}

/** Whether it is this token, as far as the service tells: by the hash, or else by the last eight characters. */
export function isTokenOf(authorization: Authorization, token: string): boolean {
  const { hashed_token, token_last_eight } = authorization;
  if (typeof hashed_token === "string" && hashed_token !== "") {
    return isOneOf(authorization, new Set(hashesOf(token)));
  }
  return token.length > 8 && token_last_eight === lastEight(token);
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, "");
}

// Finds the token of an authorization by its SHA-256 hash, which servers send as hexadecimal digits, and early ones in
// base64.
import { hash } from "node:crypto";
import { lastEight } from "../token.ts";
import type { Authorization } from "./resources.ts";

/** In lower-case hexadecimal digits. Unsalted: a token is too random to be guessed from its hash. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

/** The hash in an authorization, in lower-case hexadecimal digits; null if it is no SHA-256 hash. */
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

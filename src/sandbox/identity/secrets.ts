// The secrets that the sandbox makes, their hashes, and their comparison.
//
// Tokens and client secrets are random and long, so a plain SHA-256 is sufficient, and the store contains nothing else
// of them. Passwords may be short, and are hashed in `passwords.ts`.
//
// Secrets of callers are compared by their hashes, in constant time: the time must not reveal where they differ.
import { hash, randomBytes, randomInt, randomUUID, timingSafeEqual } from "node:crypto";

/**
 * 40 lower-case hexadecimal characters: a token value, or a client secret. Made of UUIDs, because Node fetches the
 * randomness of many at once; fetching it for one token takes longer than all other work on it.
 */
export function createToken(): string {
  return (randomDigits() + randomDigits()).slice(0, 40);
}

/** 24 hexadecimal characters: those of a random UUID but for the two groups that hold its version and variant. */
function randomDigits(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24);
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A token in the current format: a prefix for its type, and 36 letters and digits. */
export function createPrefixedToken(prefix: string): string {
  const characters = Array.from({ length: 36 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]);
  return prefix + characters.join("");
}

/** 20 lower-case hexadecimal characters (the specification, 8.1). */
export function createClientId(): string {
  return randomBytes(10).toString("hex");
}

/** 32 characters that need no encoding anywhere, and hold no colon. */
export function createPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** Lower-case hexadecimal SHA-256, as in `hashed_token` of responses. */
export function hashToken(token: string): string {
  return hash("sha256", token);
}

/** Compares in constant time, so that the time does not show where the texts differ. */
export function isSameText(first: string, second: string): boolean {
  return timingSafeEqual(hash("sha256", first, "buffer"), hash("sha256", second, "buffer"));
}

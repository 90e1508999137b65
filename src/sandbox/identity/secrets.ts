// Creates, hashes and compares secrets.
//
// All secrets are random and long, so a plain SHA-256 is sufficient, and the store contains only their hashes.
//
// Secrets from callers are compared by their hashes, in constant time, so that the time does not reveal where they
// differ.
import { hash, randomBytes, randomInt, randomUUID, timingSafeEqual } from "node:crypto";

/**
 * A token or client secret: 40 lower-case hexadecimal characters. Derived from UUIDs, because Node caches randomness
 * for them; fetching it for a single token takes longer than all other work on the token.
 */
export function createToken(): string {
  return (randomHex24() + randomHex24()).slice(0, 40);
}

/** A random UUID without the two groups that contain its version and variant. */
function randomHex24(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24);
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A token in the current format: a prefix for its type, then 36 letters and digits. */
export function createPrefixedToken(prefix: string): string {
  const characters = Array.from({ length: 36 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]);
  return prefix + characters.join("");
}

/** 20 lower-case hexadecimal characters (the specification, 8.1). */
export function createClientId(): string {
  return randomBytes(10).toString("hex");
}

/** 32 characters that need no encoding in URLs, headers or shells, and include no colon. */
export function createUrlSafeSecret(): string {
  return randomBytes(24).toString("base64url");
}

/** Lower-case hexadecimal SHA-256, as in the field `hashed_token`. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}

export function equalsConstantTime(first: string, second: string): boolean {
  return timingSafeEqual(hash("sha256", first, "buffer"), hash("sha256", second, "buffer"));
}

// New tokens in a journal. An entry keeps the raw response, in base64. If the keychain has a key, only the sealed
// response is written to disk: AES-256-GCM, bound to the item. The token's last eight characters stay unsealed, so that
// a listing needs no key.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Failure } from "../errors/errors.ts";
import { parseOrNull } from "../json/exact-json.ts";
import { isTokenValue, lastEight } from "../token-value.ts";
import type { Contents, Entry } from "./entries.ts";

export interface Vault {
  /** Base64 of nonce, tag and sealed text. */
  seal(text: string, item: string): string;
  /** The text; null if it was sealed with another key, for another item, or was changed. */
  open(sealed: string, item: string): string | null;
}

/** Finds the vault of this run, or null if there is no key. */
export type FindVault = () => Promise<Vault | null>;

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** `key` has 32 bytes. */
export function createVault(key: Buffer): Vault {
  return {
    seal(text, item) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(item),
      );
      const sealed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString("base64");
    },
    open(sealed, item) {
      const bytes = Buffer.from(sealed, "base64");
      try {
        const nonce = bytes.subarray(0, nonceBytes);
        const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(item))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const text = opening.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([text, opening.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
  };
}

/** True if an entry has an undelivered, sealed response, which requires the key to be read. */
export function isSealed({ state, body, sealed }: Entry): boolean {
  return state === "answered" && body === undefined && sealed !== undefined;
}

/** An entry as it is written to disk: sealed if there is a vault. */
export function sealEntry(entry: Entry, vault: Vault | null): Entry {
  if (entry.body === undefined || vault === null) return entry;
  const { body, ...rest } = entry;
  const value = extractTokenFromBody(body);
  const plainFields = value === null ? {} : { new_last_eight: lastEight(value) };
  return { ...rest, ...plainFields, sealed: vault.seal(body, entry.item) };
}

/** The entries with their sealed responses opened. Throws an authentication failure if one cannot be opened. */
export function unsealEntries(items: Contents["items"], vault: Vault | null): Contents["items"] {
  return new Map(
    [...items].map(([item, entry]) => {
      const { sealed, new_last_eight: _, ...rest } = entry;
      if (sealed === undefined || entry.body !== undefined) return [item, rest];
      const body = vault?.open(sealed, item) ?? null;
      // A token that was already delivered: failing to open it is harmless.
      if (!isSealed(entry)) return [item, body === null || entry.state !== "done" ? rest : { ...rest, body }];
      if (body === null) {
        throw new Failure(
          "authentication",
          vault === null
            ? "a saved token value is encrypted, and its key in the keychain is not available"
            : "a saved token value is encrypted with another key than the one in the keychain",
          { hint: "Run `grantctl doctor` to check the keychain." },
        );
      }
      return [item, { ...rest, body }];
    }),
  );
}

/** The token in a response, even with blanks around it, or if the response was cut off after it; null if there is none. */
export function extractToken(text: string): string | null {
  const field = readTokenField(text);
  const value = typeof field === "string" ? field.trim() : field;
  return isTokenValue(value) ? value : null;
}

/** Like `extractToken`, for a base64 response as in journals, if there is one. */
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

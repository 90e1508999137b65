// Seals the answers in a journal with a key that is kept elsewhere: AES-256-GCM, bound to the item.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface Vault {
  /** Base64 of nonce, tag and sealed text. */
  seal(text: string, item: string): string;
  /** The text; null where it was sealed with another key, for another item, or was changed. */
  open(sealed: string, item: string): string | null;
}

/** Finds the vault of this run; null where there is no key. */
export type FindVault = () => Promise<Vault | null>;

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A vault with this key of 32 bytes. */
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

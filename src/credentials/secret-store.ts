// The interface of a store that keeps secrets between runs: the keychain, or a file.
import type { SecretKey } from "../config/configuration.ts";

export interface SecretStore {
  /** The secret; null where there is none. Throws an authentication failure where that cannot be known. */
  get(key: SecretKey): Promise<string | null>;
  /** Resolves when the secret is kept and was read back. Throws a usage failure when it is not. */
  set(key: SecretKey, secret: string): Promise<void>;
  /** Whether there was one; resolves when there is none any more. Throws a usage failure when it may still be there. */
  delete(key: SecretKey): Promise<boolean>;
}

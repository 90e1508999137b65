// The interface of a store that keeps secrets between runs: the keychain, or a file.
import type { SecretKind } from "../config/configuration.ts";

/** The owner of a secret, and the only origin that it may be sent to. */
export interface SecretKey {
  /** `https://host:port`. */
  readonly origin: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
}

export interface SecretStore {
  /** The secret; null where there is none. Throws an authentication failure where that cannot be known. */
  get(key: SecretKey): Promise<string | null>;
  /** Resolves when the secret is kept and was read back. Throws a usage failure when it is not. */
  set(key: SecretKey, secret: string): Promise<void>;
  /** Whether there was one; resolves when there is none any more. Throws a usage failure when it may still be there. */
  delete(key: SecretKey): Promise<boolean>;
}

/** Whether two keys name the same secret. */
export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return first.origin === second.origin && first.kind === second.kind && first.user === second.user;
}

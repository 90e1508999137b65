// The index of stored secrets: which store has the secret of a profile, and for whom. The secrets themselves are in the
// stores (src/credentials).
import { isObject } from "../json.ts";

export type SecretKind = "password" | "client-secret" | "token";

export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** Identifies a secret: its type, its owner, and the only profile and base URL that it may be used for. */
export interface SecretKey {
  readonly profile: string;
  /** With its path: one host may serve several tenants. */
  readonly base_url: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly name: string;
}

export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return (["profile", "base_url", "kind", "name"] as const).every((part) => first[part] === second[part]);
}

/** The index entry of a stored secret: its key and its store, not its value. */
export interface StoredSecret extends SecretKey {
  readonly store: SecretStoreName;
  /** When and how a server accepted it; null if none did. */
  readonly verified: string | null;
}

export function isStoredSecret(value: unknown): value is StoredSecret {
  if (!isObject(value)) return false;
  const { profile, base_url, kind, name, store, verified } = value;
  return (
    [profile, base_url, kind, name].every((text) => typeof text === "string") &&
    (verified === null || typeof verified === "string") &&
    secretStores.some((known) => known === store)
  );
}

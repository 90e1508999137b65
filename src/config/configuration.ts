// The contents of the configuration file, as the rest of the program sees them. There is no secret in it, only where
// one is stored.
import { join } from "node:path";
import type { ProfileValues } from "./profile-keys.ts";

export const secretKinds = ["password", "client-secret", "token"] as const;
export type SecretKind = (typeof secretKinds)[number];

export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** The owner of a secret, and the only origin that it may be sent to. */
export interface SecretKey {
  /** `https://host:port`. */
  readonly origin: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
}

/** Whether two keys name the same secret. */
export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return first.origin === second.origin && first.kind === second.kind && first.user === second.user;
}

/** A secret that is stored, and where; the secret itself is not here. */
export interface StoredSecret extends SecretKey {
  readonly store: SecretStoreName;
}

export interface Configuration {
  readonly path: string;
  /** The profile of a run that names none; null where the file does not say. */
  readonly defaultProfile: string | null;
  readonly profiles: ReadonlyMap<string, ProfileValues>;
  readonly storedSecrets: readonly StoredSecret[];
  /** Whether token values in journals are sealed with a key from the keychain. */
  readonly hasJournalKey: boolean;
}

/** The path of the file in its folder. */
export function configurationPath(folder: string): string {
  return join(folder, "config.json");
}

/** The configuration where there is no file at this path. */
export function emptyConfiguration(path: string): Configuration {
  return { path, defaultProfile: null, profiles: new Map(), storedSecrets: [], hasJournalKey: false };
}

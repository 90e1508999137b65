// The index of stored secrets in the configuration, for login and logout.
import type { SecretKind, StoredSecret } from "../../config/configuration.ts";
import type { Edit } from "../../config/edit-configuration.ts";

/** The edit that replaces the list of stored secrets; an empty list is removed from the file. */
export function storedSecretsEdit(stored: readonly StoredSecret[]): Edit {
  return { path: ["stored_secrets"], value: stored.length === 0 ? undefined : stored };
}

/** A type of secret in messages: `client secret`. */
export function secretLabel(kind: SecretKind): string {
  return kind.replace("-", " ");
}

/** The profile key that names a secret's user: for an application, its client ID. */
export function userKey(kind: SecretKind): "username" | "client_id" {
  return kind === "client-secret" ? "client_id" : "username";
}

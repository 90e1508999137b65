// The names of secrets, for login and logout.
import type { SecretKind } from "../../config/configuration.ts";

/** A type of secret in messages: `client secret`. */
export function secretLabel(kind: SecretKind): string {
  return kind.replace("-", " ");
}

/** The profile key that names a secret's user: for an application, its client ID. */
export function userKey(kind: SecretKind): "username" | "client_id" {
  return kind === "client-secret" ? "client_id" : "username";
}

/** The way to verify a client secret, the only kind that may be stored without. */
export const howToVerify =
  "run `grantctl auth login --app < active.txt` with one of the application's active tokens in that file";

// The kinds of stored secrets in the words of the auth commands.
import type { SecretKind } from "../../config/configuration.ts";

/** A kind of secret as a message names it: `client secret`. */
export function nameOfSecret(kind: SecretKind): string {
  return kind.replace("-", " ");
}

/** The profile key that names a secret's user: for an application, its client ID. */
export function userKeyOf(kind: SecretKind): "username" | "client_id" {
  return kind === "client-secret" ? "client_id" : "username";
}

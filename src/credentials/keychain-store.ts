// Secrets in the operating system's keychain, one entry for each scheme, host, port and user. Each kind of trouble has
// its own message, and none of them makes grantctl store the secret somewhere else.
import { Failure, type FailureKind } from "../errors/errors.ts";
import type { Keychain, KeychainResult } from "./keychain.ts";
import type { SecretKey } from "../config/configuration.ts";
import type { SecretStore } from "./secret-store.ts";

/** The names of a secret's entry: user names have no colon, so that the kinds never meet. */
function entryOf({ origin, kind, user }: SecretKey): { readonly service: string; readonly account: string } {
  return { service: `grantctl:${origin}`, account: kind === "password" ? user : `${kind}:${user}` };
}

/** The entry that shows whether the keychain works; it is never kept. */
const probeEntry = { service: "grantctl", account: "probe" };

/** A store over a keychain. Every method throws a failure that says what to do where the keychain does not work. */
export function createKeychainStore(keychain: Keychain): SecretStore {
  return {
    async get(key) {
      const secret = secretIn(await keychain.call({ call: "get", ...entryOf(key) }), "authentication");
      if (secret !== null) return secret;
      // A locked keychain claims to have no entry; the probe finds out, because nothing can be stored in it.
      secretIn(await probeKeychain(keychain), "authentication");
      return null;
    },
    async set(key, secret) {
      secretIn(await keychain.call({ call: "set", ...entryOf(key), secret }), "usage");
    },
    async delete(key) {
      if (secretIn(await keychain.call({ call: "delete", ...entryOf(key) }), "usage") !== null) return true;
      secretIn(await probeKeychain(keychain), "usage");
      return false;
    },
  };
}

/** Stores an entry, reads it and deletes it again. */
export function probeKeychain(keychain: Keychain): Promise<KeychainResult> {
  return keychain.call({ call: "probe", ...probeEntry });
}

/** The secret in a result; throws a failure of this kind for trouble. */
export function secretIn(result: KeychainResult, kind: FailureKind): string | null {
  if ("secret" in result) return result.secret;
  throw keychainFailure(result, kind);
}

/** The failure for trouble with the keychain, with a hint on what to do. */
export function keychainFailure(
  { trouble, reason }: Extract<KeychainResult, { trouble: unknown }>,
  kind: FailureKind,
): Failure {
  const message = {
    absent: `no keychain is available: ${reason}`,
    locked: `the keychain is locked: ${reason}`,
    "timed-out": `the keychain is there, but ${reason}`,
    failed: `the keychain does not work: ${reason}`,
  }[trouble];
  const hint = {
    absent:
      "grantctl auth login --store file keeps it in a file that only you can read; or name a command that prints it: grantctl config set password_command …",
    locked:
      "unlock it and try again; or keep the secret in a file that only you can read: grantctl auth login --store file",
    "timed-out": "if a window asks to unlock it, answer that and try again",
    failed: "keep the secret in a file that only you can read: grantctl auth login --store file",
  }[trouble];
  return new Failure(kind, message, { hint });
}

// The key with which tokens in journals are sealed. It is made once, and stored in the keychain.
import { randomBytes } from "node:crypto";
import type { Keychain } from "./keychain.ts";
import { keychainFailure, secretIn } from "./keychain-store.ts";

const entry = { service: "grantctl", account: "journal-key" };
const keyBytes = 32;

/** The key; null where the keychain does not give it, and then `onTrouble` is called with the reason. */
export async function readJournalKey(
  keychain: Keychain,
  onTrouble: (message: string) => void,
): Promise<Buffer | null> {
  const result = await keychain.call({ call: "get", ...entry });
  if ("trouble" in result) {
    onTrouble(keychainFailure(result, "authentication").message);
    return null;
  }
  const key = Buffer.from(result.secret ?? "", "base64");
  if (key.length === keyBytes) return key;
  onTrouble("the keychain is locked, or its key for kept values is gone");
  return null;
}

/** Makes the key, if there is none. Throws a usage failure where the keychain does not store it. */
export async function makeJournalKey(keychain: Keychain): Promise<void> {
  const found = secretIn(await keychain.call({ call: "get", ...entry }), "usage");
  if (Buffer.from(found ?? "", "base64").length === keyBytes) return;
  const secret = randomBytes(keyBytes).toString("base64");
  secretIn(await keychain.call({ call: "set", ...entry, secret }), "usage");
}

/** Deletes the key; resolves with whether it existed. Throws a usage failure where the keychain fails. */
export async function forgetJournalKey(keychain: Keychain): Promise<boolean> {
  const found = secretIn(await keychain.call({ call: "get", ...entry }), "usage");
  if (found === null) return false;
  secretIn(await keychain.call({ call: "delete", ...entry }), "usage");
  return true;
}

// The key that token values in journals are sealed with. It is made once, and is in the keychain.
import { randomBytes } from "node:crypto";
import type { Keychain } from "./keychain.ts";
import { keychainFailure, secretIn } from "./keychain-store.ts";

const entry = { service: "grantctl", account: "journal-key" };
const keyBytes = 32;

/** The key; null where it cannot be had, which `onTrouble` is told about. */
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

/** Makes the key, if there is none. Throws a usage failure where the keychain does not take it. */
export async function makeJournalKey(keychain: Keychain): Promise<void> {
  const found = secretIn(await keychain.call({ call: "get", ...entry }), "usage");
  if (Buffer.from(found ?? "", "base64").length === keyBytes) return;
  const secret = randomBytes(keyBytes).toString("base64");
  secretIn(await keychain.call({ call: "set", ...entry, secret }), "usage");
}

/** Takes the key away; whether it was there. Throws a usage failure where the keychain does not do it. */
export async function forgetJournalKey(keychain: Keychain): Promise<boolean> {
  const found = secretIn(await keychain.call({ call: "get", ...entry }), "usage");
  if (found === null) return false;
  secretIn(await keychain.call({ call: "delete", ...entry }), "usage");
  return true;
}

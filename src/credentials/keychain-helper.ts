// The keychain helper: a process for one call, and the only one that loads keytar, because a keychain call may hang
// forever, and with it the process. It reads one JSON request from standard input and prints one JSON object. It never
// lists entries, because that crashes on a locked keychain.
//
// A locked keychain looks empty. So whatever is not there is believed only after a throwaway entry was stored and read.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import type * as Keytar from "keytar";

export interface KeychainRequest {
  /** check stores, reads and deletes a throwaway entry. */
  readonly call: "get" | "set" | "delete" | "check";
  /** `service` and `account` together identify the entry. */
  readonly service: string;
  readonly account: string;
  readonly secret?: string;
}

export type KeychainResponse =
  /** For get, the secret; for delete, the deleted secret; null if there is none. */
  | { readonly secret: string | null }
  /** isAbsent: no keychain can be reached; otherwise there is one that does not work, or is locked. */
  | { readonly isAbsent: boolean; readonly reason: string };

/** The parent kills the helper after its time limit; this is for a helper that has lost its parent. */
const longestMs = 15_000;

// A normal exit would wait for a call that hangs.
const end = (): void => void process.kill(process.pid, "SIGKILL");

setTimeout(end, longestMs);
void text(process.stdin)
  .then((request) => respond(JSON.parse(request) as KeychainRequest))
  .then((response) => process.stdout.write(JSON.stringify(response), end));

async function respond(request: KeychainRequest): Promise<KeychainResponse> {
  // keytar is CommonJS: for an import, the bundler would add a wrapper in a separate chunk.
  const require = createRequire(import.meta.url);
  let keychain: typeof Keytar;
  try {
    keychain = require("keytar") as typeof Keytar;
  } catch {
    return {
      isAbsent: true,
      reason: "keytar is not installed, or cannot be loaded (on Linux, it requires libsecret)",
    };
  }
  try {
    return await carryOut(request, keychain);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The system's message is the only sign (libsecret, GLib's D-Bus). "Does not exist at path" means that the collection
    // was never unlocked and no user could be prompted.
    const isLocked = /locked|not allowed|user interaction|dismissed|does not exist at path/i.test(reason);
    const isUnreachable =
      /d-?bus|org\.freedesktop|connect|no such file|not provided|autolaunch|address/i.test(reason);
    return { isAbsent: isUnreachable && !isLocked, reason };
  }
}

async function carryOut({ call, service, account, secret }: KeychainRequest, keychain: typeof Keytar) {
  if (call === "set") return store(keychain, service, account, secret ?? "");
  const before = call === "check" ? null : await keychain.getPassword(service, account);
  if (before === null) return checkWorks(keychain);
  if (call === "get") return { secret: before };
  await keychain.deletePassword(service, account);
  return (await keychain.getPassword(service, account)) === null
    ? { secret: before }
    : { isAbsent: false, reason: "it still contains the deleted entry" };
}

async function store(keychain: typeof Keytar, service: string, account: string, secret: string) {
  await keychain.setPassword(service, account, secret);
  return (await keychain.getPassword(service, account)) === secret
    ? { secret: null }
    : { isAbsent: false, reason: "it does not contain the stored entry" };
}

async function checkWorks(keychain: typeof Keytar): Promise<KeychainResponse> {
  const account = `probe ${randomBytes(8).toString("hex")}`;
  const response = await store(keychain, "grantctl", account, randomBytes(16).toString("hex"));
  await keychain.deletePassword("grantctl", account);
  return response;
}

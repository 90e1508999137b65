// The stores of secrets: the operating system's keychain, with one entry per profile, base URL, kind and name, and with
// --store file a file that only its owner can read. Neither falls back to the other.
//
// Each call of the keychain is a helper process of its own (keychain-helper.ts), killed after a time limit.
import { join } from "node:path";
import { isSameKey, type SecretKey } from "../config/stored-secrets.ts";
import { Failure, usageFailure, type FailureKind } from "../errors/errors.ts";
import { isObject, parseOrNull } from "../json.ts";
import { withLock } from "../system/lock.ts";
import { runProgram } from "../system/programs.ts";
import { checkNoLink, replaceFile } from "../system/writes.ts";
import { checkPrivateFolder, preparePrivateFolder, readTrustedFile, type Trust } from "../system/trusted.ts";
import type { Host } from "../system/host.ts";
import type { KeychainRequest, KeychainResponse } from "./keychain-helper.ts";

export interface SecretStore {
  /** Throws a usage failure if nothing can be stored there. */
  check(): Promise<void>;
  /** The secret, or null. Throws an authentication failure if the keychain cannot be read, a usage failure for the file. */
  get(key: SecretKey): Promise<string | null>;
  /** Resolves when the secret is stored and was read back. Throws a usage failure otherwise. */
  set(key: SecretKey, secret: string): Promise<void>;
  /** Resolves when the secret is deleted; true if it existed. Throws a usage failure if it may still be stored. */
  delete(key: SecretKey): Promise<boolean>;
}

type Entry = SecretKey & { readonly secret: string };

/** The file of the configuration directory, for machines without a keychain. */
export function createFileStore(folder: string, trust: Trust): SecretStore {
  const path = join(folder, "credentials.json");
  const change = async (key: SecretKey, added: readonly Entry[]): Promise<void> => {
    await preparePrivateFolder(folder, trust);
    await withLock(path, "the stored credentials", async () => {
      const others = read(path, trust).filter((entry) => !isSameKey(entry, key));
      await replaceFile(path, `${JSON.stringify([...others, ...added], null, 2)}\n`);
    });
  };
  const find = (key: SecretKey): Entry | undefined =>
    read(path, trust).find((entry) => isSameKey(entry, key));
  return {
    async check() {
      await checkPrivateFolder(folder, trust);
      await checkNoLink(path);
      read(path, trust);
    },
    get: async (key) => find(key)?.secret ?? null,
    set: ({ profile, base_url, kind, name }, secret) => {
      const key = { profile, base_url, kind, name };
      return change(key, [{ ...key, secret }]);
    },
    async delete(key) {
      if (find(key) === undefined) return false;
      await change(key, []);
      return true;
    },
  };
}

function read(path: string, trust: Trust): readonly Entry[] {
  const bytes = readTrustedFile(path, trust, true);
  const entries = bytes === null ? [] : parseOrNull(bytes.toString());
  if (
    Array.isArray(entries) &&
    entries.every((entry) => isObject(entry) && typeof entry["secret"] === "string")
  )
    return entries as readonly Entry[];
  throw usageFailure(
    `${path} does not contain the data that grantctl stored there`,
    `Run \`rm ${path}\`, then log in again.`,
  );
}

/** Includes the time for a person to unlock the keychain. */
const limitMs = 10_000;

/** The failure for a machine without a keychain: the only one after which another store may be offered. */
export class NoKeychain extends Failure {}

type KeychainHost = Pick<Host, "keychainHelper" | "childEnvironment">;

/** Every method throws a failure with a hint if the keychain does not work. */
export function createKeychain(host: KeychainHost): SecretStore {
  return {
    get: (key) => callKeychain({ call: "get", ...entryOf(key) }, host, "authentication"),
    async set(key, secret) {
      await callKeychain({ call: "set", secret, ...entryOf(key) }, host);
    },
    delete: async (key) => (await callKeychain({ call: "delete", ...entryOf(key) }, host)) !== null,
    async check() {
      await callKeychain({ call: "check", service: "grantctl", account: "probe" }, host);
    },
  };
}

/** Names of profiles and kinds contain no colon, so different keys have different entries. */
function entryOf({ profile, base_url, kind, name }: SecretKey) {
  return { service: `grantctl:${profile}:${base_url}`, account: `${kind}:${name}` };
}

/** Runs the helper once; the secret is on its standard input and output. */
async function callKeychain(
  request: KeychainRequest,
  { keychainHelper, childEnvironment }: KeychainHost,
  kind: FailureKind = "usage",
): Promise<string | null> {
  const { output, problem } = await runProgram(keychainHelper, {
    environment: childEnvironment,
    timeoutMs: limitMs,
    input: { text: JSON.stringify(request) },
    errors: "ignore",
  });
  // The helper kills itself after its response, since the keychain's threads may hang.
  const response = (parseOrNull(output) as KeychainResponse | null) ?? {
    isAbsent: false,
    reason: `its helper ${problem ?? "did not respond"}`,
  };
  if ("secret" in response) return response.secret;
  const { isAbsent, reason } = response;
  if (isAbsent)
    throw new NoKeychain(kind, `no keychain is available: ${reason}`, {
      hint: `Run ${toFile}, or set password_command to a command that prints it.`,
    });
  throw new Failure(kind, `the keychain cannot be used: ${reason}`, {
    hint: `If it is locked, unlock it and try again, or run ${toFile}.`,
  });
}

const toFile = "`grantctl auth login --store file` to keep the secret in a file that only you can read";

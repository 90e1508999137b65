// Stores secrets in a file of the configuration directory that only its owner can read: for machines without a keychain,
// and only with --store file.
import { join } from "node:path";
import { isSameKey, type SecretKey } from "../config/configuration.ts";
import { usageFailure } from "../errors/errors.ts";
import { isObject, parseOrNull } from "../json.ts";
import { withLock } from "../system/lock.ts";
import { checkPlainFile, removeFile, replaceFile } from "../system/replace-file.ts";
import { checkPrivateFolder, preparePrivateFolder, readTrustedFile, type Trust } from "../system/trusted.ts";

export interface SecretStore {
  /** Throws a usage failure if nothing can be stored there. */
  check(): Promise<void>;
  /** The secret, or null. Throws an authentication failure if the store cannot be read. */
  get(key: SecretKey): Promise<string | null>;
  /** Resolves when the secret is stored and was read back. Throws a usage failure otherwise. */
  set(key: SecretKey, secret: string): Promise<void>;
  /** Resolves when the secret is deleted; true if it existed. Throws a usage failure if it may still be stored. */
  delete(key: SecretKey): Promise<boolean>;
}

type Entry = SecretKey & { readonly secret: string };

/** The file is created with the first secret and deleted with the last. */
export function createFileStore(folder: string, trust: Trust): SecretStore {
  const path = join(folder, "credentials.json");
  const change = async (key: SecretKey, added: readonly Entry[]): Promise<void> => {
    await preparePrivateFolder(folder, trust);
    await withLock(path, "the stored credentials", async () => {
      const others = read(path, trust).filter((entry) => !isSameKey(entry, key));
      const after = [...others, ...added];
      if (after.length > 0) await replaceFile(path, `${JSON.stringify(after, null, 2)}\n`);
      else await removeFile(path);
    });
  };
  const find = (key: SecretKey): Entry | undefined =>
    read(path, trust).find((entry) => isSameKey(entry, key));
  return {
    async check() {
      await checkPrivateFolder(folder, trust);
      await checkPlainFile(path);
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

// Stores secrets in a file of the configuration directory that only its owner can read: for machines without a keychain,
// and only with --store file.
import { isSameKey, type SecretKey } from "../config/configuration.ts";
import { fileStorePath } from "../config/folders.ts";
import { usageFailure } from "../errors/errors.ts";
import { withLock } from "../system/lock.ts";
import { checkPlainFile, removeFile, replaceFile } from "../system/replace-file.ts";
import { parseOrNull } from "../json.ts";
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

const largest = 256 * 1024 * 1024;

type Contents = readonly (SecretKey & { readonly secret: string })[];

/** The file is created with the first secret and deleted with the last. */
export function createFileStore(folder: string, trust: Trust): SecretStore {
  const path = fileStorePath(folder);

  const change = async (decide: (before: Contents) => Contents): Promise<void> => {
    await preparePrivateFolder(folder, "configuration directory", trust);
    await withLock(path, "the stored credentials", async () => {
      const after = decide(read(path, trust));
      if (after.length > 0) await replaceFile(path, `${JSON.stringify(after, null, 2)}\n`);
      else await removeFile(path);
    });
  };

  return {
    async check() {
      await checkPrivateFolder(folder, "configuration directory", trust);
      await checkPlainFile(path);
      read(path, trust);
    },
    async get(key) {
      return read(path, trust).find((entry) => isSameKey(entry, key))?.secret ?? null;
    },
    async set(key, secret) {
      const { profile, baseUrl, kind, name } = key;
      await change((before) => [
        ...before.filter((entry) => !isSameKey(entry, key)),
        { profile, baseUrl, kind, name, secret },
      ]);
    },
    async delete(key) {
      const isThere = read(path, trust).some((entry) => isSameKey(entry, key));
      if (isThere) await change((before) => before.filter((entry) => !isSameKey(entry, key)));
      return isThere;
    },
  };
}

function read(path: string, trust: Trust): Contents {
  let text: string;
  try {
    const bytes = readTrustedFile(path, trust, { maxBytes: largest, forbiddenMode: 0o077 });
    if (bytes === null) return [];
    text = bytes.toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : usageFailure(`cannot read ${path}: ${code}`);
  }
  const parsed = parseOrNull(text);
  if (Array.isArray(parsed) && parsed.every(isEntry)) return parsed;
  throw usageFailure(
    `${path} does not contain the data that grantctl stored there`,
    `Run \`rm ${path}\`, then log in again.`,
  );
}

function isEntry(value: unknown): value is Contents[number] {
  const entry = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  return ["profile", "baseUrl", "kind", "name", "secret"].every((key) => typeof entry[key] === "string");
}

// The configuration file as it is read: JSON with comments, checked as a whole before any of it is used. A mistake is
// a usage failure that names the line and the key, and never repeats a value. Holds no secret, only where one is.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { readPlainFile } from "../files/bounded-reads.ts";
import type { ProfileValues } from "./profile-keys.ts";

/** What a stored secret proves. */
export const secretKinds = ["password", "client-secret", "token"] as const;
export type SecretKind = (typeof secretKinds)[number];

/** Where a secret may be stored. */
export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** A secret that is stored, and for whom; the secret itself is not here. */
export interface StoredSecret {
  /** `https://host:port`: the only place it may be sent to. */
  readonly origin: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
  readonly store: SecretStoreName;
}

export interface Configuration {
  readonly path: string;
  /** The profile of a run that names none; null where the file does not say. */
  readonly defaultProfile: string | null;
  readonly profiles: ReadonlyMap<string, ProfileValues>;
  readonly storedSecrets: readonly StoredSecret[];
  /** Whether token values that wait for their output are sealed with a key that is in the keychain. */
  readonly hasJournalKey: boolean;
}

const largest = 1024 * 1024;

/** The file's path in the configuration folder. */
export function configurationPath(folder: string): string {
  return join(folder, "config.json");
}

/** What is configured where there is no file. */
export function emptyConfiguration(path: string): Configuration {
  return { path, defaultProfile: null, profiles: new Map(), storedSecrets: [], hasJournalKey: false };
}

/**
 * Reads the file; one that is not there is empty. `userId` is this process's, null where the platform has none.
 * Throws a usage failure for a file that others can change, or that is not a configuration.
 */
export async function readConfiguration(path: string, userId: number | null): Promise<Configuration> {
  const text = await readConfigurationText(path, userId);
  if (text === null) return emptyConfiguration(path);
  const { parseConfiguration } = await import("./parse-configuration.ts");
  return parseConfiguration(path, text);
}

/** The file's text; null where there is none. Throws as readConfiguration does. */
export async function readConfigurationText(path: string, userId: number | null): Promise<string | null> {
  try {
    const found = await stat(path);
    const { mode, uid, size } = found;
    // Reading from a pipe would wait for ever.
    if (!found.isFile()) throw usageFailure(`${foreign(path)} is not a file`);
    // Its commands are run: whoever can change it could run anything as this user.
    const isForeign = userId !== null && userId !== 0 && uid !== 0 && uid !== userId;
    if (userId !== null && (isForeign || (mode & 0o022) !== 0)) {
      throw usageFailure(
        `others can change ${foreign(path)}, whose commands would be run`,
        `make it yours alone: chmod 600 ${foreign(path)}`,
      );
    }
    if (size > largest) throw usageFailure(`${foreign(path)} is larger than 1 MiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await readPlainFile(path, largest));
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (name === "TypeError") throw usageFailure(`${foreign(path)} is not UTF-8 text`);
    throw code === undefined ? error : usageFailure(`cannot read ${foreign(path)}: ${code}`);
  }
}

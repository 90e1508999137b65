// The contents of the configuration file, and their reader. The file is JSON with comments, and is validated as a whole
// before use. A mistake is a usage failure that names the line and the key, but never a value. The file contains no
// secrets, only an index of the stores that have them.
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { inWords } from "../errors/system-codes.ts";
import { readTrustedFile } from "../files/trusted.ts";
import type { ProfileValues } from "./profile-keys.ts";

export const secretKinds = ["password", "client-secret", "token"] as const;
export type SecretKind = (typeof secretKinds)[number];

export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** Identifies a secret: its type, its owner and the only origin that it may be sent to. */
export interface SecretKey {
  /** `https://host:port`. */
  readonly origin: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
}

export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return first.origin === second.origin && first.kind === second.kind && first.user === second.user;
}

/** The index entry of a stored secret: its key and its store, not its value. */
export interface StoredSecret extends SecretKey {
  readonly store: SecretStoreName;
}

export interface Configuration {
  readonly path: string;
  /** The profile to use if none is named, or null. */
  readonly defaultProfile: string | null;
  readonly profiles: ReadonlyMap<string, ProfileValues>;
  readonly storedSecrets: readonly StoredSecret[];
}

export function configurationPath(folder: string): string {
  return join(folder, "config.json");
}

export function emptyConfiguration(path: string): Configuration {
  return { path, defaultProfile: null, profiles: new Map(), storedSecrets: [] };
}

const largest = 1024 * 1024;

/**
 * Reads the file; a missing one counts as empty. `userId` is the ID of this process's user; null if the platform has
 * none. Throws a usage failure for a file that others can change, or that is not a valid configuration.
 */
export async function readConfiguration(path: string, userId: number | null): Promise<Configuration> {
  const text = readConfigurationText(path, userId);
  if (text === null) return emptyConfiguration(path);
  const { parseConfiguration } = await import("./parse-configuration.ts");
  return parseConfiguration(path, text);
}

/** The file's text; null for a missing file. Throws as readConfiguration does. */
export function readConfigurationText(path: string, userId: number | null): string | null {
  try {
    const bytes = readTrustedFile(path, { userId, maxBytes: largest });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (name === "TypeError") throw usageFailure(`${foreign(path)} is not UTF-8 text`);
    throw code === undefined ? error : usageFailure(`cannot read ${foreign(path)}: ${inWords(code)}`);
  }
}

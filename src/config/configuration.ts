// The configuration file: plain JSON, read and checked as a whole before use. A mistake is a usage failure that names
// the file and the key, but never a value. The file contains no secrets, only an index of the stores that have them.
//
// Profiles are kept as grantctl uses them: each value is a text, and a list has one item a line. The file has a list of
// headers, and switches as true or false.
import { join } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { isObject, parseOrNull } from "../json.ts";
import { decodeText } from "../system/reads.ts";
import { readTrustedFile, type Trust } from "../system/trusted.ts";
import { checks, isProfileName, toSwitch } from "./setting-forms.ts";
import { problemOf, profileKeys, type ProfileValues } from "./settings.ts";

export type SecretKind = "password" | "client-secret" | "token";

export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** Identifies a secret: its type, its owner, and the only profile and base URL that it may be used for. */
export interface SecretKey {
  readonly profile: string;
  /** With its path: one host may serve several tenants. */
  readonly base_url: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly name: string;
}

export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return (["profile", "base_url", "kind", "name"] as const).every((part) => first[part] === second[part]);
}

/** The index entry of a stored secret: its key and its store, not its value. */
export interface StoredSecret extends SecretKey {
  readonly store: SecretStoreName;
  /** When and how a server accepted it; null if none did. */
  readonly verified: string | null;
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

/** The configuration with these values in a profile, which is created if it does not exist; undefined removes one. */
export function withProfileValues(
  configuration: Configuration,
  profile: string,
  values: Readonly<Record<string, string | undefined>>,
): Configuration {
  const merged = Object.entries({ ...configuration.profiles.get(profile), ...values });
  const left = merged.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const profiles = new Map(configuration.profiles).set(profile, Object.fromEntries(left));
  return { ...configuration, profiles };
}

/**
 * Reads the file; a missing one counts as empty. Throws a usage failure for a file that others can change, or that is not
 * a valid configuration.
 */
export function readConfiguration(path: string, trust: Trust): Configuration {
  const bytes = readTrustedFile(path, trust);
  if (bytes === null) return emptyConfiguration(path);
  const text = decodeText(bytes, (reason) => usageFailure(`cannot read ${path}: ${reason}`));
  return parseConfiguration(path, text);
}

/** The file's text. */
export function serialise({ defaultProfile, profiles, storedSecrets }: Configuration): string {
  const content = {
    default_profile: defaultProfile ?? undefined,
    profiles: Object.fromEntries([...profiles].map(([name, values]) => [name, inFileForm(values)])),
    stored_secrets: storedSecrets,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function inFileForm(values: ProfileValues) {
  const written = Object.entries(values).map(([key, value]) => {
    const { check } = profileKeys.get(key) ?? {};
    if (check === checks.headers) return [key, value.split("\n")] as const;
    return [key, check === checks.switch ? toSwitch(value) === "true" : value] as const;
  });
  return Object.fromEntries(written);
}

/** Throws a usage failure with the key of the first mistake. */
export function parseConfiguration(path: string, text: string): Configuration {
  const mistake = (what: string, hint?: string): Failure => usageFailure(`${path}: ${what}`, hint);
  const objectAt = (key: string, value: unknown): Readonly<Record<string, unknown>> => {
    if (isObject(value)) return value;
    throw mistake(`${key} must be an object`, "It must be JSON, without comments. Fix it in an editor.");
  };
  const readValue = (at: string, key: string, value: unknown): string => {
    const definition = profileKeys.get(key);
    if (definition === undefined) throw mistake(`${at}.${key} is not a setting`, settingsHint);
    const isList = definition.check === checks.headers && Array.isArray(value);
    const written: unknown = isList ? value.join("\n") : value;
    if (typeof written !== "string" && typeof written !== "boolean")
      throw mistake(`${at}.${key} must be text`);
    const problem = problemOf(definition, String(written));
    if (problem !== null) throw mistake(`${at}.${key} ${problem}`);
    return String(written);
  };
  const readProfile = (name: string, values: unknown): ProfileValues => {
    const at = `profiles.${name}`;
    if (!isProfileName(name)) throw mistake(`${at} is not a valid profile name`);
    const entries = Object.entries(objectAt(at, values));
    return Object.fromEntries(entries.map(([key, value]) => [key, readValue(at, key, value)]));
  };

  const content = objectAt("the configuration", text.trim() === "" ? {} : parseOrNull(text));
  const { default_profile: named = null, profiles = {}, stored_secrets: stored = [], ...others } = content;
  for (const key of Object.keys(others)) throw mistake(`${key} is not a setting`);
  if (named !== null && (typeof named !== "string" || !isProfileName(named)))
    throw mistake("default_profile is not a valid profile name");
  if (!Array.isArray(stored) || !stored.every(isStoredSecret))
    throw mistake("stored_secrets is not grantctl's", "Remove stored_secrets, and log in again.");
  const read = Object.entries(objectAt("profiles", profiles));
  return {
    path,
    defaultProfile: named,
    profiles: new Map(read.map(([name, values]) => [name, readProfile(name, values)])),
    storedSecrets: stored,
  };
}

/** What to do about a word that is not a setting. */
export const settingsHint = `The settings are ${[...profileKeys.keys()].join(", ")}. To store a secret, run \`grantctl auth login\`.`;

function isStoredSecret(value: unknown): value is StoredSecret {
  if (!isObject(value)) return false;
  const { profile, base_url, kind, name, store, verified } = value;
  return (
    [profile, base_url, kind, name].every((text) => typeof text === "string") &&
    (verified === null || typeof verified === "string") &&
    secretStores.some((known) => known === store)
  );
}

// The configuration file: plain JSON, read and checked as a whole before use. A mistake is a usage failure that names
// the file and the key, but never a value. The file contains no secrets, only an index of the stores that have them.
//
// Profiles are kept as grantctl uses them: each value is a text, and a list has one item a line. The file has a list of
// headers, and switches as true or false. A run uses the profile that is named by flag or environment, the file's default
// profile, or `default`.
import { join } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { mayBeToken, typedWord } from "../errors/words.ts";
import { isObject, parseOrNull } from "../json.ts";
import { decodeText } from "../system/reads.ts";
import { readTrustedFile, type Trust } from "../system/trusted.ts";
import { configurationFolder, trustOf, type OwnMachine } from "./folders.ts";
import { checks, isProfileName, toSwitch } from "./setting-forms.ts";
import { problemOf, profileKeys, type ProfileValues, type SettingSource } from "./settings.ts";

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

export interface RunConfiguration {
  readonly configuration: Configuration;
  readonly profile: {
    readonly name: string;
    readonly source: SettingSource;
    readonly exists: boolean;
    readonly values: ProfileValues;
  };
  /** The reason why the configuration could not be read, for commands that continue without it. */
  readonly failure: Failure | null;
}

/**
 * A command's use of the configuration. needed: a named profile must exist. new-profile: it may be new. tolerated: the
 * command does without one that is invalid.
 */
export type ConfigurationUse = "needed" | "new-profile" | "tolerated";

/** The default profile, unless the file names another one. */
export const usualProfile = "default";

/** Reads the configuration and chooses the profile. Throws a usage failure for a mistake, unless tolerated. */
export function readRunConfiguration(
  flag: string | undefined,
  machine: OwnMachine,
  use: ConfigurationUse,
): RunConfiguration {
  try {
    const path = join(configurationFolder(machine), "config.json");
    const configuration = readConfiguration(path, trustOf(machine));
    const chosen = chooseProfile(configuration, flag, machine.environment["GRANTCTL_PROFILE"]);
    const { name, source, exists } = chosen.profile;
    // The one called default need not exist.
    const isRequired = source === "profile" || (source !== "default" && name !== usualProfile);
    if (use !== "new-profile" && isRequired && !exists) throw noProfile(name, configuration);
    return chosen;
  } catch (error) {
    if (use !== "tolerated" || !(error instanceof Failure)) throw error;
    return { ...chooseProfile(parseConfiguration("", "")), failure: error };
  }
}

/** Throws a usage failure for an invalid profile name. */
function chooseProfile(configuration: Configuration, flag?: string, variable?: string): RunConfiguration {
  const { profiles, defaultProfile } = configuration;
  const places: readonly (readonly [SettingSource, name: string | null | undefined])[] = [
    ["flag", flag],
    ["environment", variable],
    ["profile", defaultProfile],
  ];
  const [source, name] = places.find(([, named]) => named) ?? ["default", usualProfile];
  if (typeof name !== "string" || !isProfileName(name))
    throw usageFailure("a profile's name may contain only letters, digits, dots, hyphens and underscores");
  const values = profiles.get(name);
  const profile = { name, source, exists: values !== undefined, values: values ?? {} };
  return { configuration, profile, failure: null };
}

export function noProfile(name: string, { profiles }: Configuration): Failure {
  const existing = profiles.size === 0 ? "" : `; existing profiles: ${[...profiles.keys()].join(", ")}`;
  return usageFailure(
    `there is no profile named ${typedWord(name)}${existing}`,
    `Run \`grantctl --profile ${mayBeToken(name) ? "NAME" : name} auth login\` to create it.`,
  );
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
  const bytes = readTrustedFile(path, trust) ?? Buffer.of();
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

/** What to do about a word that is not a setting. */
export const settingsHint = `The settings are ${[...profileKeys.keys()].join(", ")}. To store a secret, run \`grantctl auth login\`.`;

/** Throws a usage failure with the key of the first mistake. */
export function parseConfiguration(path: string, text: string): Configuration {
  const mistake = (what: string, hint?: string): Failure => usageFailure(`${path}: ${what}`, hint);
  const objectAt = (key: string, value: unknown): Readonly<Record<string, unknown>> => {
    if (isObject(value)) return value;
    throw mistake(`${key} must be an object`, "It must be JSON, without comments. Fix it in an editor.");
  };
  const readValue = (profile: string, key: string, value: unknown): string => {
    const at = `profiles.${profile}.${key}`;
    const definition = profileKeys.get(key);
    if (definition === undefined) throw mistake(`${at} is not a setting`, settingsHint);
    const isList = definition.check === checks.headers && Array.isArray(value);
    const written: unknown = isList ? value.join("\n") : value;
    if (typeof written !== "string" && typeof written !== "boolean") throw mistake(`${at} must be text`);
    const problem = problemOf(definition, String(written));
    if (problem !== null) throw mistake(`${at} ${problem}`);
    return String(written);
  };
  const readProfile = ([name, values]: readonly [string, unknown]) => {
    if (!isProfileName(name)) throw mistake(`profiles.${name} is not a valid profile name`);
    const entries = Object.entries(objectAt(`profiles.${name}`, values));
    return [
      name,
      Object.fromEntries(entries.map(([key, value]) => [key, readValue(name, key, value)])),
    ] as const;
  };

  const content = objectAt("the configuration", text.trim() === "" ? {} : parseOrNull(text));
  const { default_profile: named = null, profiles = {}, stored_secrets: stored = [], ...others } = content;
  for (const key of Object.keys(others)) throw mistake(`${key} is not a setting`);
  if (named !== null && (typeof named !== "string" || !isProfileName(named)))
    throw mistake("default_profile is not a valid profile name");
  if (!Array.isArray(stored) || !stored.every(isStoredSecret))
    throw mistake("stored_secrets is not grantctl's", "Remove stored_secrets, and log in again.");
  const read = Object.entries(objectAt("profiles", profiles)).map((entry) => readProfile(entry));
  return { path, defaultProfile: named, profiles: new Map(read), storedSecrets: stored };
}

function isStoredSecret(value: unknown): value is StoredSecret {
  if (!isObject(value)) return false;
  const { profile, base_url, kind, name, store, verified } = value;
  return (
    [profile, base_url, kind, name].every((text) => typeof text === "string") &&
    (verified === null || typeof verified === "string") &&
    secretStores.some((known) => known === store)
  );
}

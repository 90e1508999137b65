// The configuration file: plain JSON, read and checked as a whole before use. A mistake is a usage failure that names
// the file and the key, but never a value. The file contains no secrets, only an index of the stores that have them.
//
// Profiles are kept as grantctl uses them: each value is a text, and a list has one item a line. The file has a list of
// headers, and switches as true or false. A change rewrites the file as a whole, under a lock, after a check of the result.
import { dirname } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { isObject, parseOrNull } from "../json.ts";
import { decodeText } from "../system/reads.ts";
import { checkPrivateFolder, preparePrivateFolder, readTrustedFile, type Trust } from "../system/trusted.ts";
import { checkNoLink, replaceFile } from "../system/writes.ts";
import { trustOf, type OwnMachine } from "./folders.ts";
import { checks, isProfileName, toSwitch } from "./setting-forms.ts";
import { problemOf, profileKeys, type ProfileValues } from "./settings.ts";
import { isStoredSecret, type StoredSecret } from "./stored-secrets.ts";

export interface Configuration {
  readonly path: string;
  /** The profile to use if none is named, or null. */
  readonly defaultProfile: string | null;
  readonly profiles: ReadonlyMap<string, ProfileValues>;
  readonly storedSecrets: readonly StoredSecret[];
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

/** The run whose configuration file is changed. */
interface Editable {
  readonly host: OwnMachine;
  readonly configured: { readonly configuration: Pick<Configuration, "path"> };
}

/**
 * Writes the configuration that `change` makes of the current one. Throws a usage failure if either is invalid, or the
 * file cannot be written.
 */
export async function editConfiguration(
  { host, configured }: Editable,
  change: (configuration: Configuration) => Configuration,
): Promise<void> {
  const { path } = configured.configuration;
  const trust = trustOf(host);
  // Loaded on demand, because most runs only read.
  const { withLock } = await import("../system/lock.ts");
  await preparePrivateFolder(dirname(path), trust);
  await withLock(path, "the configuration", async () => {
    const before = readConfiguration(path, trust);
    const text = serialise(change(before));
    if (text === serialise(before)) return;
    parseConfiguration(path, text);
    await replaceFile(path, text);
  });
}

/** Throws the usage failures of editConfiguration that can be detected without writing. */
export async function checkEditable({ host, configured }: Editable): Promise<void> {
  const { path } = configured.configuration;
  await checkPrivateFolder(dirname(path), trustOf(host));
  await checkNoLink(path);
}

function serialise({ defaultProfile, profiles, storedSecrets }: Configuration): string {
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

export const settingsHint = `The settings are ${[...profileKeys.keys()].join(", ")}. To store a secret, run \`grantctl auth login\`.`;

/** Throws a usage failure with the key of the first mistake. An empty text is an empty configuration. */
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

// The configuration file: plain JSON, read and checked as a whole before use. A mistake is a usage failure that names
// the file and the key, but never a value. The file contains no secrets, only an index of the stores that have them.
//
// Profiles are kept as grantctl uses them: each value is a text, and a list has one item a line. `serialise` gives the
// file's form: a list of headers, and switches as true or false.
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { decodeText } from "../system/decode-text.ts";
import { readTrustedFile, type Trust } from "../system/trusted.ts";
import { isObject } from "../json.ts";
import { isProfileName, toSwitch } from "./setting-forms.ts";
import {
  isProfileKey,
  problemOf,
  profileKeyNames,
  profileKeys,
  type ProfileKey,
  type ProfileValues,
} from "./settings.ts";

export const secretKinds = ["password", "client-secret", "token"] as const;
export type SecretKind = (typeof secretKinds)[number];

export const secretStores = ["keychain", "file"] as const;
export type SecretStoreName = (typeof secretStores)[number];

/** Identifies a secret: its type, its owner, and the only profile and base URL that it may be used for. */
export interface SecretKey {
  readonly profile: string;
  /** With its path: one host may serve several tenants. */
  readonly baseUrl: string;
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly name: string;
}

export function isSameKey(first: SecretKey, second: SecretKey): boolean {
  return (
    first.profile === second.profile &&
    first.baseUrl === second.baseUrl &&
    first.kind === second.kind &&
    first.name === second.name
  );
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
  values: Readonly<Partial<Record<keyof ProfileValues, string | undefined>>>,
): Configuration {
  const merged = Object.entries({ ...configuration.profiles.get(profile), ...values });
  const left = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...configuration, profiles: new Map(configuration.profiles).set(profile, left) };
}

const largest = 1024 * 1024;

/**
 * Reads the file; a missing one counts as empty. Throws a usage failure for a file that others can change, or that is not
 * a valid configuration.
 */
export function readConfiguration(path: string, trust: Trust): Configuration {
  try {
    const bytes = readTrustedFile(path, trust, { maxBytes: largest });
    if (bytes === null) return emptyConfiguration(path);
    const text = decodeText(bytes, (reason) => usageFailure(`cannot read ${path}: ${reason}`));
    return parseConfiguration(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : usageFailure(`cannot read ${path}: ${inWords(code)}`);
  }
}

/** The file's text. */
export function serialise({ defaultProfile, profiles, storedSecrets }: Configuration): string {
  const content = {
    default_profile: defaultProfile ?? undefined,
    profiles: profiles.size === 0 ? undefined : Object.fromEntries([...profiles].map(inFileForm)),
    stored_secrets:
      storedSecrets.length === 0
        ? undefined
        : storedSecrets.map(({ baseUrl, verified, profile, ...more }) => ({
            profile,
            base_url: baseUrl,
            ...more,
            verified: verified ?? undefined,
          })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function inFileForm([name, values]: readonly [string, ProfileValues]) {
  const written = Object.entries(values).map(([key, value]) => {
    const form = profileKeys.get(key)?.form;
    return [key, form === "list" ? value.split("\n") : form === "switch" ? value === "true" : value];
  });
  return [name, Object.fromEntries(written)] as const;
}

/** Throws a usage failure with the key of the first mistake. */
export function parseConfiguration(path: string, text: string): Configuration {
  try {
    return readContent(path, parseJson(text));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw usageFailure(`${path}: ${error.message}`, error.hint);
  }
}

type Keys = readonly (string | number)[];

/** A mistake in the file: its key and what is wrong. */
class Mistake extends Error {
  readonly hint: string | undefined;
  constructor(keys: Keys, what: string, hint?: string) {
    super(`${keys.length === 0 ? "the configuration" : keys.join(".")} ${what}`);
    this.hint = hint;
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const withoutTexts = text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, "");
    throw /\/[/*]/.test(withoutTexts)
      ? new Mistake(
          [],
          "has comments, and is therefore not JSON",
          "Remove them: grantctl writes the file as plain JSON.",
        )
      : new Mistake([], "is not JSON", "Fix it in an editor.");
  }
}

function readContent(path: string, content: unknown): Configuration {
  const {
    default_profile: named = null,
    profiles = {},
    stored_secrets: stored = [],
    ...others
  } = objectAt(content, []);
  for (const key of Object.keys(others)) throw unknownKey([key]);
  if (named !== null && (typeof named !== "string" || !isProfileName(named)))
    throw new Mistake(["default_profile"], "is not a valid profile name");
  if (!Array.isArray(stored)) throw new Mistake(["stored_secrets"], "must be a list");
  const read = Object.entries(objectAt(profiles, ["profiles"])).map(
    ([name, values]) => [name, readProfile(name, values)] as const,
  );
  return {
    path,
    defaultProfile: named,
    profiles: new Map(read),
    storedSecrets: stored.map((entry, index) => readStoredSecret(entry, ["stored_secrets", index])),
  };
}

function objectAt(value: unknown, keys: Keys): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new Mistake(keys, "must be an object");
  return value;
}

function readProfile(name: string, content: unknown): ProfileValues {
  if (!isProfileName(name)) throw new Mistake(["profiles", name], "is not a valid profile name");
  const values: Partial<Record<ProfileKey, string>> = {};
  for (const [key, value] of Object.entries(objectAt(content, ["profiles", name]))) {
    const keys = ["profiles", name, key];
    if (!isProfileKey(key)) throw unknownKey(keys);
    const text = textOf(value, profileKeys.get(key)?.form);
    if (text === null) throw new Mistake(keys, "must be text");
    const problem = problemOf(key, text);
    if (problem !== null) throw new Mistake(keys, problem);
    values[key] = text;
  }
  return values;
}

/** The value as text; null if it has another type. */
function textOf(value: unknown, form?: string): string | null {
  if (form === "switch") return toSwitch(String(value));
  if (form === "list" && Array.isArray(value) && value.every((line) => typeof line === "string"))
    return value.join("\n");
  return typeof value === "string" ? value : null;
}

function readStoredSecret(entry: unknown, keys: Keys): StoredSecret {
  const { base_url: baseUrl, verified = null, ...more } = objectAt(entry, keys);
  const read = { ...more, baseUrl, verified };
  if (isStoredSecret(read)) return read;
  throw new Mistake(keys, "is not an entry of grantctl", "Remove stored_secrets, and log in again.");
}

function isStoredSecret(
  entry: Readonly<Record<string, unknown>>,
): entry is Record<string, unknown> & StoredSecret {
  const { profile, baseUrl, kind, name, store, verified, ...others } = entry;
  const texts = [profile, baseUrl, name, verified ?? "never"];
  return (
    texts.every((text) => typeof text === "string" && text !== "") &&
    secretKinds.some((known) => known === kind) &&
    secretStores.some((known) => known === store) &&
    Object.keys(others).length === 0
  );
}

const secretKeys = new Set(["password", "client_secret", "secret", "token", "otp", "totp_secret"]);

function unknownKey(keys: readonly string[]): Mistake {
  return secretKeys.has(keys.at(-1) ?? "")
    ? new Mistake(
        keys,
        "is not allowed: the configuration cannot contain secrets",
        "Run `grantctl auth login` to store a secret.",
      )
    : new Mistake(keys, "is not a setting", `A profile may contain ${profileKeyNames.join(", ")}.`);
}

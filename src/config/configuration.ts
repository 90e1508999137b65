// The configuration file: plain JSON, read and checked as a whole before use. A mistake is a usage failure that names
// the file and the key, but never a value. The file contains no secrets, only an index of the stores that have them.
//
// Profiles are kept as grantctl uses them: each value is a text, and a list has one item a line. `serialise` gives the
// file's form: a list of headers, and switches as true or false.
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { readTrustedFile, type Trust } from "../files/trusted.ts";
import { defaultServerType, findServerType } from "../server-types.ts";
import { isProfileName } from "./setting-forms.ts";
import { isProfileKey, problemOf, profileKeyNames, profileKeys, type ProfileValues } from "./settings.ts";

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
 * Reads the file; a missing one counts as empty. Throws a usage failure for a file that others can change, or that is not a valid configuration.
 */
export function readConfiguration(path: string, trust: Trust): Configuration {
  const text = readText(path, trust);
  return text === null ? emptyConfiguration(path) : parseConfiguration(path, text);
}

function readText(path: string, trust: Trust): string | null {
  try {
    const bytes = readTrustedFile(path, trust, { maxBytes: largest });
    return bytes === null ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (name === "TypeError") throw usageFailure(`${path} is not UTF-8 text`);
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
            ...(verified === null ? {} : { verified }),
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

/** A mistake in the file: its key and what is wrong. */
class Mistake extends Error {
  readonly hint: string | undefined;
  constructor(keys: readonly (string | number)[], what: string, hint?: string) {
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
    const hasComments = /\/[/*]/.test(withoutTexts);
    throw new Mistake(
      [],
      hasComments ? "has comments, and is therefore not JSON" : "is not JSON",
      hasComments
        ? "Remove them: grantctl writes the file as plain JSON."
        : "Fix it in an editor. Run `grantctl doctor` to see its path.",
    );
  }
}

type Keys = readonly (string | number)[];

function readContent(path: string, content: unknown): Configuration {
  const parts = objectAt(content, []);
  for (const key of Object.keys(parts))
    if (!["default_profile", "profiles", "stored_secrets"].includes(key)) throw unknownKey([key]);
  const { default_profile: named = null, profiles = {}, stored_secrets: stored = [] } = parts;
  if (named !== null && (typeof named !== "string" || !isProfileName(named)))
    throw new Mistake(["default_profile"], "is not a valid profile name");
  if (!Array.isArray(stored)) throw new Mistake(["stored_secrets"], "must be a list");
  return {
    path,
    defaultProfile: named,
    profiles: new Map(
      Object.entries(objectAt(profiles, ["profiles"])).map(([name, values]) => [
        name,
        readProfile(name, values),
      ]),
    ),
    storedSecrets: stored.map((entry, index) => readStoredSecret(entry, ["stored_secrets", index])),
  };
}

function objectAt(value: unknown, keys: Keys): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Mistake(keys, "must be an object");
  return value as Readonly<Record<string, unknown>>;
}

function readProfile(name: string, content: unknown): ProfileValues {
  if (!isProfileName(name)) throw new Mistake(["profiles", name], "is not a valid profile name");
  const values: Partial<Record<keyof ProfileValues, string>> = {};
  for (const [key, value] of Object.entries(objectAt(content, ["profiles", name]))) {
    if (!isProfileKey(key)) throw unknownKey(["profiles", name, key]);
    const text = textOf(value, profileKeys.get(key)?.form);
    const problem = text === null ? "must be text" : problemOf(key, text);
    if (text === null || problem !== null) throw new Mistake(["profiles", name, key], problem ?? "");
    values[key] = text;
  }
  const { clientIdLength } = findServerType(values.server_type ?? "") ?? defaultServerType;
  const { client_id: clientId } = values;
  if (clientId !== undefined && clientIdLength !== null && !/^[^ ]{20}$/.test(clientId))
    throw new Mistake(["profiles", name, "client_id"], "must have exactly 20 characters");
  return values;
}

/** The value as text; null if it has another type. */
function textOf(value: unknown, form?: string): string | null {
  if (form === "switch" && typeof value === "boolean") return String(value);
  if (form === "list" && Array.isArray(value) && value.every((line) => typeof line === "string"))
    return value.join("\n");
  return typeof value === "string" ? value : null;
}

function readStoredSecret(entry: unknown, keys: Keys): StoredSecret {
  const content = objectAt(entry, keys);
  for (const key of Object.keys(content))
    if (!storedSecretKeys.includes(key)) throw unknownKey([...keys, key]);
  const textAt = (key: string): string => {
    const value = content[key];
    if (typeof value !== "string" || value === "")
      throw new Mistake([...keys, key], "must be text", logInAgain);
    return value;
  };
  const wordAt = <Word extends string>(key: string, words: readonly Word[]): Word => {
    const found = words.find((word) => word === content[key]);
    if (found === undefined)
      throw new Mistake([...keys, key], `must be one of ${words.join(", ")}`, logInAgain);
    return found;
  };
  return {
    profile: textAt("profile"),
    baseUrl: textAt("base_url"),
    kind: wordAt("kind", secretKinds),
    name: textAt("name"),
    store: wordAt("store", secretStores),
    verified: content["verified"] === undefined ? null : textAt("verified"),
  };
}

const storedSecretKeys: readonly string[] = ["profile", "base_url", "kind", "name", "store", "verified"];

const logInAgain = "Remove stored_secrets from the file, and log in again.";

const secretKeys = new Set(["password", "client_secret", "secret", "token", "otp", "totp_secret"]);

function unknownKey(keys: Keys): Mistake {
  if (keys[0] === "stored_secrets" && keys.length > 1) return new Mistake(keys, "is not known", logInAgain);
  return secretKeys.has(String(keys.at(-1)))
    ? new Mistake(
        keys,
        "is not allowed: the configuration cannot contain secrets",
        "Run `grantctl auth login` to store a secret.",
      )
    : new Mistake(keys, "is not a setting", `A profile may contain ${profileKeyNames.join(", ")}.`);
}

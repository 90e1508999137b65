// The settings of a run. One table has the name of each, its flag, check, meaning and default; its key in a profile, its
// variable and its flag are that name in other spellings. Precedence, flags, the configuration file, `config`, `auth
// status`, help and completion are made from it.
//
// A value comes from a flag, the environment, the profile or a default, in this order. What identifies the profile's
// owner, opens its secrets, or says where they are sent is only for the profile's own server, and a command only for its
// own name there: for any other, the profile counts as having none. Values include secrets only from the environment;
// src/credentials obtains all others.
import { usageFailure } from "../errors/errors.ts";
import { isSameUrl, parseUrl } from "../http/urls.ts";
import { defaultServerType, findServerType, serverTypeNames, type ServerType } from "../server-types.ts";
import type { GlobalOptions } from "./global-options.ts";
import { checks, toBaseUrl, toSwitch, type Check } from "./setting-forms.ts";

/** The source of a value, in order of precedence. */
export type SettingSource = "flag" | "environment" | "profile" | "default";

interface Setting {
  readonly value: string;
  readonly source: SettingSource;
}

interface Row {
  /** What its flag takes, as in `<url>`. */
  readonly flag?: string;
  /** A secret has no key, and a command, but for that of one-time passwords, no variable. */
  readonly lacks?: "key" | "variable";
  readonly check?: Check;
  readonly choices?: readonly string[];
  readonly meaning: string;
  /** The profile's value is only for the profile's own host, its own base URL, or this name at that URL. */
  readonly belongsTo?: "host" | "baseUrl" | "username" | "clientId";
  readonly fallback?: (serverType: ServerType) => string | null;
}

const ofOauth = "an OAuth 2.0 server";

/** The table of settings, in display order. No flag or key holds a secret, except for a one-time password. */
const table = {
  baseUrl: {
    flag: "<url>",
    check: checks.url,
    meaning: "URL of the API, including any path prefix",
    fallback: ({ baseUrl }) => baseUrl,
  },
  serverType: {
    flag: "<type>",
    choices: serverTypeNames,
    meaning: "Server type",
    fallback: () => defaultServerType.name,
  },
  username: { flag: "<name>", check: checks.username, meaning: "The account's user name" },
  password: { lacks: "key", meaning: "The account's password" },
  passwordCommand: {
    lacks: "variable",
    check: checks.command,
    meaning: "Command that prints the account's password",
    belongsTo: "username",
  },
  otp: { flag: "<code>", lacks: "key", meaning: "One-time password" },
  otpCommand: {
    check: checks.command,
    meaning: "Command that prints a one-time password when the server requires one",
    belongsTo: "username",
  },
  clientId: { flag: "<id>", check: checks.clientId, meaning: "The application's client ID" },
  clientSecret: { lacks: "key", meaning: "The application's client secret" },
  clientSecretCommand: {
    lacks: "variable",
    check: checks.command,
    meaning: "Command that prints the application's client secret",
    belongsTo: "clientId",
  },
  token: { lacks: "key", meaning: "Token for `api`" },
  headerWord: {
    check: checks.headerWord,
    meaning: "Word in the headers X-<Word>-OTP and X-<Word>-SSO",
    fallback: ({ headerWord }) => headerWord,
  },
  clientAuth: {
    choices: ["basic", "post", "none"],
    meaning: `Client authentication method for ${ofOauth}`,
  },
  introspectionPath: {
    check: checks.endpointOrNone,
    meaning: `Path or https URL of ${ofOauth}'s introspection endpoint, or none`,
    belongsTo: "baseUrl",
  },
  revocationPath: {
    check: checks.endpoint,
    meaning: `Path or https URL of ${ofOauth}'s revocation endpoint`,
    belongsTo: "baseUrl",
  },
  userinfoPath: {
    check: checks.endpoint,
    meaning: `Path or https URL of ${ofOauth}'s UserInfo endpoint`,
    belongsTo: "baseUrl",
  },
  revokeInactive: {
    check: checks.switch,
    meaning: `If false, do not send inactive tokens to ${ofOauth}'s revocation endpoint`,
    fallback: ({ isOauth }) => (isOauth ? "true" : null),
  },
  caCert: {
    flag: "<file>",
    lacks: "variable",
    check: checks.path,
    meaning: "Trust only the certificate authorities in this PEM file",
  },
  clientCert: { check: checks.path, meaning: "PEM file with the client certificate", belongsTo: "host" },
  clientKey: {
    check: checks.path,
    meaning: "PEM file with the private key of the client certificate",
    belongsTo: "host",
  },
  allowHttp: {
    check: checks.switch,
    meaning: "If true, allow unencrypted HTTP to hosts other than this machine",
    belongsTo: "host",
  },
  headers: {
    check: checks.headers,
    meaning: "HTTP headers of every request, one 'Name: value' a line",
    belongsTo: "baseUrl",
  },
} as const satisfies Record<string, Row>;

type SettingName = keyof typeof table;

export type FlagValues = {
  readonly [Name in SettingName as (typeof table)[Name] extends { flag: string } ? Name : never]?: string;
};

interface Definition extends Omit<Row, "flag" | "lacks"> {
  readonly name: SettingName;
  /** As commander takes it: `--base-url <url>`. The parsed value has the setting's name. */
  readonly flag: string | undefined;
  readonly variable: string | undefined;
  readonly key: string | undefined;
}

export const settingTable = Object.fromEntries(
  Object.entries<Row>(table).map(([name, row]) => [name, define(name as SettingName, row)]),
) as Readonly<Record<SettingName, Definition>>;

export const settingList = Object.values(settingTable);

function define(name: SettingName, row: Row): Definition {
  const spell = (mark: string): string => name.replaceAll(/[A-Z]/g, (letter) => mark + letter.toLowerCase());
  const { lacks, ...more } = row;
  return {
    ...more,
    name,
    flag: row.flag === undefined ? undefined : `--${spell("-")} ${row.flag}`,
    variable: lacks === "variable" ? undefined : `GRANTCTL_${spell("_").toUpperCase()}`,
    key: lacks === "key" ? undefined : spell("_"),
  };
}

export const profileKeys: ReadonlyMap<string, Definition> = new Map(
  settingList.flatMap((setting) => (setting.key === undefined ? [] : [[setting.key, setting] as const])),
);

/** The values of a profile by their keys; a list has one item a line. */
export type ProfileValues = Readonly<Record<string, string>>;

/** What is wrong with a value, for the end of a message, or null. */
export function problemOf({ choices, check = checks.text }: Definition, value: string): string | null {
  if (value === "") return "is empty";
  if (choices === undefined) return check(value);
  return choices.includes(value) ? null : `must be one of ${choices.join(", ")}`;
}

/** A value for a list. A header may hold a secret, such as a gateway's key. */
export function listedValue(key: string, value: string): string {
  return key === "headers" ? value.replaceAll(/:.*/g, ": …") : value;
}

/** A value as it is used: a URL with its scheme, a switch as true or false. */
export function normalise({ check }: Definition, value: string, serverType: ServerType): string {
  if (check === checks.url) return toBaseUrl(value, serverType);
  return check === checks.switch ? toSwitch(value) : value;
}

export type Settings = Readonly<Partial<Record<SettingName, Setting>>>;

interface SettingSources {
  readonly options: Partial<GlobalOptions>;
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: ProfileValues;
}

/** Resolves every setting: flag, environment, profile, default. Throws a usage failure for a wrong flag or variable. */
export function resolveSettings(sources: SettingSources): Settings {
  const settings: Partial<Record<SettingName, Setting>> = {};
  // The server type decides what a base URL means; both decide which values of the profile count.
  for (const definition of [settingTable.serverType, ...settingList]) {
    const found = findValue(definition, sources, settings);
    if (found !== null) settings[definition.name] = found;
  }
  return settings;
}

function findValue(
  definition: Definition,
  { options, environment, profile }: SettingSources,
  settings: Settings,
): Setting | null {
  const { name, flag, variable, key, check, fallback } = definition;
  const serverType = serverTypeOf(settings);
  const places: readonly (readonly [SettingSource, label: string | undefined, value: unknown])[] = [
    ["flag", flag?.replace(/ .*/, ""), options[name as keyof GlobalOptions]],
    // Secrets in Kubernetes end with a line feed.
    ["environment", variable, environment[variable ?? ""]?.replace(/\r?\n$/, "")],
    ["profile", key, isOfProfile(definition, profile, settings) ? profile[key ?? ""] : undefined],
    ["default", "", fallback?.(serverType)],
  ];
  for (const [source, label, value] of places) {
    if (label === undefined || typeof value !== "string" || value === "") continue;
    // The file was checked as a whole. A path on the command line may be relative.
    const isChecked = source !== "profile" && source !== "default" && check !== checks.path;
    const problem = isChecked ? problemOf(definition, value) : null;
    if (problem !== null) throw usageFailure(`${label} ${problem}`);
    return { value: normalise(definition, value, serverType), source };
  }
  return null;
}

/**
 * The base URL of a profile's own server, as a run with this server type reads it: the one in the profile, or that of the
 * profile's server type; null if the profile is for any server.
 */
export function ownBaseUrl(
  { base_url: written, server_type: name }: ProfileValues,
  serverType: ServerType,
): string | null {
  return written === undefined
    ? (findServerType(name ?? "")?.baseUrl ?? null)
    : toBaseUrl(written, serverType);
}

/** True if a setting that belongs to one base URL belongs to the other one as well. */
export function isSameServer({ belongsTo }: Definition, one: string, other: string): boolean {
  return belongsTo === "host" ? parseUrl(one)?.origin === parseUrl(other)?.origin : isSameUrl(one, other);
}

/** True if the profile's value of a setting is for the server and the name of this run. */
function isOfProfile(definition: Definition, profile: ProfileValues, settings: Settings): boolean {
  const { belongsTo } = definition;
  if (belongsTo === undefined) return true;
  const used = settings.baseUrl?.value ?? "";
  const own = ownBaseUrl(profile, serverTypeOf(settings)) ?? used;
  if (!isSameServer(definition, used, own)) return false;
  if (belongsTo === "host" || belongsTo === "baseUrl") return true;
  const named = profile[settingTable[belongsTo].key ?? ""];
  return named === undefined || named === settings[belongsTo]?.value;
}

export function serverTypeOf({ serverType }: Settings): ServerType {
  return findServerType(serverType?.value ?? "") ?? defaultServerType;
}

/** True if a switch in the environment is set, and not off. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && toSwitch(value) !== "false";
}

/** Checks a client ID, which for most server types has exactly 20 characters: nothing else is sent in its place. */
export function checkClientId(clientId: string, settings: Settings): string {
  const { clientIdLength: length } = serverTypeOf(settings);
  const problem = checks.clientId(clientId);
  if (problem !== null) throw usageFailure(`a client ID ${problem}`);
  if (length === null || clientId.length === length) return clientId;
  throw usageFailure(
    `a client ID must have ${length} characters; this one has ${clientId.length}`,
    "For an OAuth 2.0 server, add --server-type oauth.",
  );
}

// The settings of a run. One table has the name of each, its flag, variable and key in a profile, its check and its
// meaning. Precedence, flags, the configuration file, `config`, `auth status`, help and completion are made from it.
//
// A value comes from a flag, the environment, the profile or a default, in this order. What identifies the profile's
// owner, or opens its secrets, is only for the profile's own server, and a command only for its own name there: for any
// other, the profile counts as having none. Values include secrets only from the environment; src/credentials obtains
// all others.
import { usageFailure } from "../errors/errors.ts";
import { parseUrl } from "../parse-url.ts";
import { defaultServerType, findServerType, serverTypeNames, type ServerType } from "../server-types.ts";
import type { GlobalOptions } from "./global-options.ts";
import { checks, isSameUrl, oneOf, toBaseUrl, toSwitch, type Check } from "./setting-forms.ts";

/** The source of a value, in order of precedence. */
export type Source = "flag" | "environment" | "profile" | "default";

export interface Setting {
  readonly value: string;
  readonly source: Source;
}

/** One source of a setting, with its value there; null if it is not set. */
export interface Candidate {
  readonly source: Source;
  /** As in `--base-url` or `GRANTCTL_BASE_URL`; empty for a default. */
  readonly name: string;
  readonly value: string | null;
}

interface Definition {
  /** As commander takes it: `--base-url <url>`. The parsed value has the setting's name. */
  readonly flag?: string;
  readonly variable?: string;
  /** Its name in a profile. */
  readonly key?: string;
  /** What is wrong with a value in a profile, or null. */
  readonly check?: Check;
  readonly choices?: readonly string[];
  /** The file holds a list as lines, and a switch as true or false; a path is made absolute when it is set. */
  readonly form?: "list" | "switch" | "path";
  readonly meaning: string;
  /** Used only for OAuth 2.0 servers. */
  readonly isForOauth?: true;
  /** The profile's value is only for the profile's own host, its own base URL, or this name at that URL. */
  readonly belongsTo?: "host" | "baseUrl" | "username" | "clientId";
  readonly fallback?: (serverType: () => ServerType) => string | null;
}

/** The table of settings, in display order. No flag or key holds a secret, except for a one-time password. */
const table = {
  baseUrl: {
    flag: "--base-url <url>",
    variable: "GRANTCTL_BASE_URL",
    key: "base_url",
    check: checks.url,
    meaning: "URL of the API, including any path prefix",
    fallback: (serverType) => serverType().baseUrl,
  },
  serverType: {
    flag: "--server-type <type>",
    variable: "GRANTCTL_SERVER_TYPE",
    key: "server_type",
    choices: serverTypeNames,
    meaning: "Server type",
    fallback: () => defaultServerType.name,
  },
  username: {
    flag: "--username <name>",
    variable: "GRANTCTL_USERNAME",
    key: "username",
    check: checks.username,
    meaning: "The account's user name",
  },
  password: { variable: "GRANTCTL_PASSWORD", meaning: "The account's password" },
  passwordCommand: {
    key: "password_command",
    check: checks.command,
    meaning: "Command that prints the account's password",
    belongsTo: "username",
  },
  otp: { flag: "--otp <code>", variable: "GRANTCTL_OTP", meaning: "One-time password" },
  otpCommand: {
    variable: "GRANTCTL_OTP_COMMAND",
    key: "otp_command",
    check: checks.command,
    meaning: "Command that prints a one-time password when the server requires one",
    belongsTo: "username",
  },
  clientId: {
    flag: "--client-id <id>",
    variable: "GRANTCTL_CLIENT_ID",
    key: "client_id",
    check: checks.clientId,
    meaning: "The application's client ID",
  },
  clientSecret: { variable: "GRANTCTL_CLIENT_SECRET", meaning: "The application's client secret" },
  clientSecretCommand: {
    key: "client_secret_command",
    check: checks.command,
    meaning: "Command that prints the application's client secret",
    belongsTo: "clientId",
  },
  token: { variable: "GRANTCTL_TOKEN", meaning: "Token for `api`" },
  headerWord: {
    variable: "GRANTCTL_HEADER_WORD",
    key: "header_word",
    check: checks.headerWord,
    meaning: "Word in the headers X-<Word>-OTP and X-<Word>-SSO",
    fallback: (serverType) => serverType().headerWord,
  },
  clientAuth: {
    variable: "GRANTCTL_CLIENT_AUTH",
    key: "client_auth",
    choices: ["basic", "post", "none"],
    meaning: "Client authentication method for an OAuth 2.0 server",
    isForOauth: true,
  },
  introspectionPath: {
    variable: "GRANTCTL_INTROSPECTION_PATH",
    key: "introspection_path",
    check: checks.endpointOrNone,
    meaning: "Path or https URL of an OAuth 2.0 server's introspection endpoint, or none",
    isForOauth: true,
    belongsTo: "baseUrl",
  },
  revocationPath: {
    variable: "GRANTCTL_REVOCATION_PATH",
    key: "revocation_path",
    check: checks.endpoint,
    meaning: "Path or https URL of an OAuth 2.0 server's revocation endpoint",
    isForOauth: true,
    belongsTo: "baseUrl",
  },
  userinfoPath: {
    variable: "GRANTCTL_USERINFO_PATH",
    key: "userinfo_path",
    check: checks.endpoint,
    meaning: "Path or https URL of an OAuth 2.0 server's UserInfo endpoint",
    isForOauth: true,
    belongsTo: "baseUrl",
  },
  revokeInactive: {
    variable: "GRANTCTL_REVOKE_INACTIVE",
    key: "revoke_inactive",
    check: checks.switch,
    form: "switch",
    meaning: "If false, do not send inactive tokens to an OAuth 2.0 server's revocation endpoint",
    isForOauth: true,
    fallback: () => "true",
  },
  caCert: {
    flag: "--ca-cert <file>",
    key: "ca_cert",
    check: checks.path,
    form: "path",
    meaning: "Trust only the certificate authorities in this PEM file",
  },
  clientCert: {
    variable: "GRANTCTL_CLIENT_CERT",
    key: "client_cert",
    check: checks.path,
    form: "path",
    meaning: "PEM file with the client certificate",
    belongsTo: "host",
  },
  clientKey: {
    variable: "GRANTCTL_CLIENT_KEY",
    key: "client_key",
    check: checks.path,
    form: "path",
    meaning: "PEM file with the private key of the client certificate",
    belongsTo: "host",
  },
  allowHttp: {
    variable: "GRANTCTL_ALLOW_HTTP",
    key: "allow_http",
    check: checks.switch,
    form: "switch",
    meaning: "If true, allow unencrypted HTTP to hosts other than this machine",
    belongsTo: "host",
  },
  headers: {
    variable: "GRANTCTL_HEADERS",
    key: "headers",
    check: checks.headers,
    form: "list",
    meaning: "HTTP headers of every request, one 'Name: value' a line",
    belongsTo: "host",
  },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof table;
/** All settings, in display order. */
export const settingNames = Object.keys(table) as readonly SettingName[];

export const settingTable: Readonly<Record<SettingName, Definition>> = table;

export type ProfileKey = Extract<(typeof table)[SettingName], { readonly key: string }>["key"];

/** The keys of a profile, with the rest of their definitions. */
export const profileKeys: ReadonlyMap<string, Definition> = new Map(
  Object.values(settingTable).flatMap((definition) =>
    definition.key === undefined ? [] : [[definition.key, definition] as const],
  ),
);

export const profileKeyNames = [...profileKeys.keys()] as readonly ProfileKey[];

export function isProfileKey(word: string): word is ProfileKey {
  return profileKeys.has(word);
}

/** The values of a profile; a list has one item a line. */
export type ProfileValues = Readonly<Partial<Record<ProfileKey, string>>>;

/** What is wrong with a profile's value, for the end of a message, or null. */
export function problemOf(key: ProfileKey, value: string): string | null {
  const { choices, check = choices === undefined ? checks.text : oneOf(choices) } =
    profileKeys.get(key) ?? {};
  return value === "" ? "is empty" : check(value);
}

export type Settings = Readonly<Partial<Record<SettingName, Setting>>>;

interface SettingSources {
  readonly options: Partial<GlobalOptions>;
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: ProfileValues;
}

/** All sources of a setting, in order of precedence: the first one with a value wins. An empty value counts as unset. */
export function candidatesOf(name: SettingName, sources: SettingSources): readonly Candidate[] {
  const { options, environment, profile } = sources;
  const { flag, variable, key, form, fallback } = settingTable[name];
  const candidates: Candidate[] = [];
  const add = (source: Source, label: string, given: unknown): void => {
    const text = typeof given === "string" && given !== "" ? given : null;
    const isUrl = text !== null && name === "baseUrl";
    candidates.push({ source, name: label, value: isUrl ? toBaseUrl(text, serverTypeIn(sources)) : text });
  };
  if (flag !== undefined) add("flag", flag.replace(/ .*/, ""), options[name as keyof GlobalOptions]);
  if (variable !== undefined) {
    const value = environment[variable];
    add("environment", variable, form === "switch" && value !== undefined ? toSwitch(value) : value);
  }
  if (key !== undefined)
    add("profile", key, isOfProfile(name, sources) ? profile[key as ProfileKey] : undefined);
  if (fallback !== undefined)
    add(
      "default",
      "",
      fallback(() => serverTypeIn(sources)),
    );
  return candidates;
}

/** True if the profile's value of a setting is for the server and the name of this run. */
function isOfProfile(name: SettingName, sources: SettingSources): boolean {
  const { belongsTo } = settingTable[name];
  const { base_url: own } = sources.profile;
  if (belongsTo === undefined) return true;
  const used = valueOf("baseUrl", sources) ?? "";
  const ofProfile = own === undefined ? used : toBaseUrl(own, serverTypeIn(sources));
  if (belongsTo === "host") return parseUrl(used)?.origin === parseUrl(ofProfile)?.origin;
  const named =
    belongsTo === "baseUrl" ? undefined : sources.profile[settingTable[belongsTo].key as ProfileKey];
  return isSameUrl(used, ofProfile) && (named === undefined || named === valueOf(belongsTo, sources));
}

function winnerOf(name: SettingName, sources: SettingSources): Candidate | undefined {
  return candidatesOf(name, sources).find(({ value }) => value !== null);
}

function valueOf(name: SettingName, sources: SettingSources): string | null {
  return winnerOf(name, sources)?.value ?? null;
}

/** The forms that nothing else checks if the value comes from the environment. */
const checkedInEnvironment: readonly SettingName[] = [
  "serverType",
  "headerWord",
  "clientAuth",
  "introspectionPath",
  "revocationPath",
  "userinfoPath",
  "revokeInactive",
  "allowHttp",
];

/** Resolves every setting: flag, then environment, then profile, then default. Throws a usage failure for a wrong variable. */
export function resolveSettings(sources: SettingSources): Settings {
  const settings: Partial<Record<SettingName, Setting>> = {};
  for (const name of settingNames) {
    const { source = "default", name: label, value = null } = winnerOf(name, sources) ?? {};
    if (value === null) continue;
    const { key } = settingTable[name];
    const isChecked = source === "environment" && checkedInEnvironment.includes(name);
    const problem = isChecked ? problemOf(key as ProfileKey, value) : null;
    if (problem !== null) throw usageFailure(`${label} ${problem}`);
    settings[name] = { value, source };
  }
  return settings;
}

/** The configured server type; the default one for an unknown name, which `resolveSettings` rejects. */
function serverTypeIn(sources: SettingSources): ServerType {
  return findServerType(valueOf("serverType", sources) ?? "") ?? defaultServerType;
}

/** The server type of a run. */
export function serverTypeOf({ serverType }: Settings): ServerType {
  return findServerType(serverType?.value ?? "") ?? defaultServerType;
}

/** True if a boolean variable is set, and not to `0`, `false`, `no` or `off`. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:0|false|no|off)$/i.test(value);
}

/** Checks a client ID: printable ASCII (RFC 6749, A.1), for most server types exactly 20 characters without spaces. */
export function checkClientId(clientId: string, settings: Settings): string {
  const { clientIdLength: length } = serverTypeOf(settings);
  const isRight =
    length === null
      ? /^[\x20-\x7e]+$/.test(clientId)
      : /^[\x21-\x7e]+$/.test(clientId) && clientId.length === length;
  if (isRight) return clientId;
  throw usageFailure(
    length === null
      ? "a client ID must be printable ASCII"
      : `a client ID must have ${length} characters; this one has ${clientId.length}`,
    settings.serverType?.source === "default"
      ? "For an OAuth 2.0 server, add --server-type oauth."
      : undefined,
  );
}

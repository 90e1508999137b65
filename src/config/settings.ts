// Resolves and checks the settings of a run from flags, environment, profile and defaults, in this order of precedence.
// They include secrets only from the environment; src/credentials obtains all others.
import { either } from "../errors/words.ts";
import { usageFailure } from "../errors/errors.ts";
import { defaultServerType, findServerType, serverTypeNames, type ServerType } from "../server-types.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { ProfileKey, ProfileValues } from "./profile-keys.ts";

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
  readonly flag?: keyof GlobalOptions;
  readonly variable?: string;
  readonly key?: ProfileKey;
  readonly fallback?: string;
  readonly fallbackOf?: (serverType: ServerType) => string | null;
}

const definitions = {
  serverType: {
    flag: "serverType",
    variable: "GRANTCTL_SERVER_TYPE",
    key: "server_type",
    fallback: defaultServerType.name,
  },
  baseUrl: {
    flag: "baseUrl",
    variable: "GRANTCTL_BASE_URL",
    key: "base_url",
    fallbackOf: ({ baseUrl }) => baseUrl,
  },
  username: { flag: "username", variable: "GRANTCTL_USERNAME", key: "username" },
  password: { variable: "GRANTCTL_PASSWORD" },
  passwordCommand: { key: "password_command" },
  token: { variable: "GRANTCTL_TOKEN" },
  otp: { flag: "otp", variable: "GRANTCTL_OTP" },
  otpCommand: { variable: "GRANTCTL_OTP_COMMAND", key: "otp_command" },
  clientId: { flag: "clientId", variable: "GRANTCTL_CLIENT_ID", key: "client_id" },
  clientSecret: { variable: "GRANTCTL_CLIENT_SECRET" },
  clientSecretCommand: { key: "client_secret_command" },
  headerWord: {
    variable: "GRANTCTL_HEADER_WORD",
    key: "header_word",
    fallbackOf: ({ headerWord }) => headerWord,
  },
  introspectionPath: { variable: "GRANTCTL_INTROSPECTION_PATH", key: "introspection_path" },
  revocationPath: { variable: "GRANTCTL_REVOCATION_PATH", key: "revocation_path" },
  clientAuth: { variable: "GRANTCTL_CLIENT_AUTH", key: "client_auth" },
  caCert: { flag: "caCert", key: "ca_cert" },
  clientCert: { variable: "GRANTCTL_CLIENT_CERT", key: "client_cert" },
  clientKey: { variable: "GRANTCTL_CLIENT_KEY", key: "client_key" },
  allowHttp: { variable: "GRANTCTL_ALLOW_HTTP", key: "allow_http" },
  headers: { variable: "GRANTCTL_HEADERS", key: "headers" },
} as const satisfies Record<string, Definition>;

/** A word that can be part of a header name. */
export const headerWordForm = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

export type SettingName = keyof typeof definitions;
/** All settings, in display order. */
export const settingNames = Object.keys(definitions) as readonly SettingName[];

export type Settings = Readonly<Partial<Record<SettingName, Setting>>>;

interface SettingSources {
  readonly options: Partial<GlobalOptions>;
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: ProfileValues;
}

/** All sources of a setting, in order of precedence: the first one with a value wins. */
export function candidatesOf(name: SettingName, sources: SettingSources): readonly Candidate[] {
  const { flag, variable, key, fallbackOf, fallback: fixed }: Definition = definitions[name];
  const flagValue = flag === undefined ? undefined : sources.options[flag];
  const fallback = fallbackOf?.(serverTypeIn(sources)) ?? fixed;
  return [
    ...(flag === undefined
      ? []
      : [candidate("flag", flagName(flag), typeof flagValue === "string" ? flagValue : undefined)]),
    ...(variable === undefined ? [] : [candidate("environment", variable, sources.environment[variable])]),
    ...(key === undefined ? [] : [candidate("profile", key, sources.profile[key])]),
    ...(fallback === undefined ? [] : [candidate("default", "", fallback)]),
  ];
}

/** Resolves every setting: flag, then environment, then profile, then default. An empty value counts as unset. */
export function resolveSettings(sources: SettingSources): Settings {
  const settings: Partial<Record<SettingName, Setting>> = {};
  for (const name of settingNames) {
    const winner = candidatesOf(name, sources).find(({ value }) => value !== null);
    if (winner !== undefined) settings[name] = { value: winner.value ?? "", source: winner.source };
  }
  return settings;
}

/** The configured server type; the default one for an unknown name, which `serverTypeOf` rejects later. */
function serverTypeIn(sources: SettingSources): ServerType {
  const winner = candidatesOf("serverType", sources).find(({ value }) => value !== null);
  return findServerType(winner?.value ?? "") ?? defaultServerType;
}

/** The server type of a run. Throws a usage failure for an unknown name. */
export function serverTypeOf({ serverType }: Settings): ServerType {
  const found = findServerType(serverType?.value ?? defaultServerType.name);
  if (found !== null) return found;
  // Flags and profiles were checked when they were parsed, so the name comes from the environment.
  throw usageFailure(
    `GRANTCTL_SERVER_TYPE is not a server type`,
    `Set GRANTCTL_SERVER_TYPE to ${either(serverTypeNames)}, or unset it.`,
  );
}

/** True if a flag, a variable or a profile names the server type. */
export function isServerTypeChosen({ serverType }: Settings): boolean {
  return serverType !== undefined && serverType.source !== "default";
}

/** The settings with another server type and, unless one was configured, its header word. */
export function withServerType(settings: Settings, serverType: ServerType): Settings {
  const isOwnWord = settings.headerWord !== undefined && settings.headerWord.source !== "default";
  return {
    ...settings,
    serverType: { value: serverType.name, source: settings.serverType?.source ?? "default" },
    ...(isOwnWord ? {} : { headerWord: { value: serverType.headerWord, source: "default" as const } }),
  };
}

/** True if a boolean variable is set, and not to `0`, `false`, `no` or `off`. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:0|false|no|off)$/i.test(value);
}

/** The header word. Throws a usage failure if it cannot be part of a header name (RFC 9110, 5.6.2). */
export function headerWordOf(settings: Settings): string {
  const word = settings.headerWord?.value ?? serverTypeOf(settings).headerWord;
  if (!headerWordForm.test(word)) {
    throw usageFailure(
      "the header word may contain only letters, digits and hyphens",
      "For example: GRANTCTL_HEADER_WORD=GitHub.",
    );
  }
  return word;
}

/** Checks a client ID: printable ASCII (RFC 6749, A.1), for most server types exactly 20 characters without spaces. */
export function checkClientId(clientId: string, settings: Settings): string {
  const { clientIdLength } = serverTypeOf(settings);
  const isRight =
    clientIdLength === null
      ? /^[\x20-\x7e]+$/.test(clientId)
      : /^[\x21-\x7e]+$/.test(clientId) && clientId.length === clientIdLength;
  if (isRight) return clientId;
  throw usageFailure(
    clientIdLength === null
      ? "a client ID must be printable ASCII"
      : `a client ID must have ${clientIdLength} characters; this one has ${clientId.length}`,
    isServerTypeChosen(settings) ? undefined : "For an OAuth 2.0 server, add --server-type oauth.",
  );
}

function candidate(source: Source, name: string, value: string | undefined): Candidate {
  return { source, name, value: value === undefined || value === "" ? null : value };
}

/** Converts a flag's property name: `baseUrl` to `--base-url`. */
function flagName(flag: string): string {
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

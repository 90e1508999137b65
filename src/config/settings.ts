// What a run is set to, from flags, environment and defaults, in that precedence: one table of names and one check
// of the values. Holds no account secret but what the environment gave; asking for missing ones is credentials'.
import { usageFailure } from "../errors/errors.ts";
import type { GlobalOptions } from "./global-options.ts";

/** Where a value came from; the earlier source wins. */
export type Source = "flag" | "environment" | "default";

export interface Setting {
  readonly value: string;
  readonly source: Source;
}

interface Definition {
  readonly flag?: keyof GlobalOptions;
  readonly variable?: string;
  readonly fallback?: string;
}

const definitions = {
  baseUrl: { flag: "baseUrl", variable: "GRANTCTL_BASE_URL" },
  username: { flag: "username", variable: "GRANTCTL_USERNAME" },
  password: { variable: "GRANTCTL_PASSWORD" },
  otp: { flag: "otp", variable: "GRANTCTL_OTP" },
  otpCommand: { flag: "otpCommand", variable: "GRANTCTL_OTP_COMMAND" },
  clientId: { flag: "clientId", variable: "GRANTCTL_CLIENT_ID" },
  clientSecret: { variable: "GRANTCTL_CLIENT_SECRET" },
  headerWord: { flag: "headerWord", variable: "GRANTCTL_HEADER_WORD", fallback: "Service" },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof definitions;
export type Settings = Readonly<Partial<Record<SettingName, Setting>>>;

/** Resolves every setting: flag, then environment, then default. An empty value counts as unset. */
export function resolveSettings(
  options: Partial<GlobalOptions>,
  environment: Readonly<Record<string, string>>,
): Settings {
  const settings: Partial<Record<SettingName, Setting>> = {};
  for (const [name, definition] of Object.entries(definitions) as [SettingName, Definition][]) {
    const flag = definition.flag === undefined ? undefined : options[definition.flag];
    const variable = definition.variable === undefined ? undefined : environment[definition.variable];
    if (typeof flag === "string" && flag !== "") settings[name] = { value: flag, source: "flag" };
    else if (variable !== undefined && variable !== "")
      settings[name] = { value: variable, source: "environment" };
    else if (definition.fallback !== undefined)
      settings[name] = { value: definition.fallback, source: "default" };
  }
  return settings;
}

/** The header word, checked to be one that may stand inside a header name (RFC 9110, 5.6.2). */
export function headerWordOf(settings: Settings): string {
  const word = settings.headerWord?.value ?? definitions.headerWord.fallback;
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/.test(word)) {
    throw usageFailure(
      "the header word may hold only letters, digits and hyphens",
      "grantctl --header-word GitHub …",
    );
  }
  return word;
}

/** Checks a client ID: 20 characters (the specification, section 8), of printable ASCII without spaces. */
export function checkClientId(clientId: string): string {
  if (!/^[\x21-\x7e]{20}$/.test(clientId)) {
    throw usageFailure(`a client ID has exactly 20 characters, this one has ${clientId.length}`);
  }
  return clientId;
}

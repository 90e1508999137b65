// The keys of a profile: one table of their names, meanings and types. No key holds a secret; some name a command that
// prints one.
import { operatorNames } from "../operators.ts";

export interface ProfileKeyDefinition {
  readonly means: string;
  /** command: a line, or a list of words. path: absolute. Else the words that may stand there. */
  readonly type:
    | "address"
    | "user"
    | "client ID"
    | "header word"
    | "command"
    | "path"
    | "endpoint"
    | readonly string[];
}

export const profileKeys = {
  base_url: { means: "URL of the API, including any path prefix", type: "address" },
  operator: { means: "Server type", type: operatorNames },
  username: { means: "The account's user name", type: "user" },
  client_id: { means: "The application's client ID", type: "client ID" },
  header_word: { means: "Word in the headers X-<Word>-OTP and X-<Word>-SSO", type: "header word" },
  otp_command: { means: "Command that prints a one-time password", type: "command" },
  password_command: { means: "Command that prints the account's password", type: "command" },
  client_secret_command: {
    means: "Command that prints the application's client secret",
    type: "command",
  },
  introspection_path: {
    means: "Path of the introspection endpoint, for --operator oauth",
    type: "endpoint",
  },
  revocation_path: { means: "Path of the revocation endpoint, for --operator oauth", type: "endpoint" },
  client_auth: {
    means: "Client authentication method, for --operator oauth",
    type: ["basic", "post"],
  },
  ca_cert: {
    means: "PEM file with the certificate authorities to trust instead of the default ones",
    type: "path",
  },
  client_cert: { means: "PEM file with the client certificate", type: "path" },
  client_key: { means: "PEM file with the private key of the client certificate", type: "path" },
  format: { means: "Output format for lists", type: ["table", "tsv", "csv", "json", "ndjson"] },
  color: { means: "Whether to use color in tables", type: ["auto", "always", "never"] },
} as const satisfies Record<string, ProfileKeyDefinition>;

export type ProfileKey = keyof typeof profileKeys;

/** The values of a profile; a command given as a list of words is one line here, quoted. */
export type ProfileValues = Readonly<Partial<Record<ProfileKey, string>>>;

export const profileKeyNames = Object.keys(profileKeys) as readonly ProfileKey[];

/** True if a word is the name of a setting that profiles have. */
export function isProfileKey(word: string): word is ProfileKey {
  return Object.hasOwn(profileKeys, word);
}

/** Names that every JavaScript object has already: setting them as keys would not store a value. */
export const namesOfObjects: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** True if a profile may have this name: a letter or digit, then up to 63 more, dots, hyphens and underscores. */
export function isProfileName(name: string): boolean {
  return !namesOfObjects.has(name) && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** The path and perhaps the query of an endpoint, on the origin of the base URL. */
export const endpointForm = /^\/(?!\/)(?!(?:[^?]*\/)?(?:\.|%2e){1,2}(?:[/?]|$))[\w.~!$&'()*+,;=:@/?%-]*$/i;

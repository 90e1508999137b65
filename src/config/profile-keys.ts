// The keys of a profile: one table of their names, meanings and types. No key holds a secret; some name a command that
// prints one.
import { serverTypeNames } from "../server-types.ts";

interface ProfileKeyDefinition {
  readonly means: string;
  /**
   * command: a line, or a list of words. path: an absolute path. switch: true or false. headers: lines, or a list of
   * them. A list: the allowed values.
   */
  readonly type:
    | "address"
    | "user"
    | "client ID"
    | "header word"
    | "command"
    | "path"
    | "endpoint"
    | "switch"
    | "headers"
    | readonly string[];
}

export const profileKeys = {
  base_url: { means: "URL of the API, including any path prefix", type: "address" },
  server_type: { means: "Server type", type: serverTypeNames },
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
    means: "Path of the introspection endpoint, for --server-type oauth",
    type: "endpoint",
  },
  revocation_path: { means: "Path of the revocation endpoint, for --server-type oauth", type: "endpoint" },
  client_auth: {
    means: "Client authentication method, for --server-type oauth",
    type: ["basic", "post"],
  },
  ca_cert: {
    means: "PEM file with the certificate authorities to trust instead of the default ones",
    type: "path",
  },
  client_cert: { means: "PEM file with the client certificate", type: "path" },
  client_key: { means: "PEM file with the private key of the client certificate", type: "path" },
  allow_http: { means: "Whether to allow unencrypted HTTP to hosts other than this machine", type: "switch" },
  headers: { means: "HTTP headers of every request, one 'Name: value' a line", type: "headers" },
  format: { means: "Output format for lists", type: ["table", "tsv", "csv", "json", "ndjson"] },
} as const satisfies Record<string, ProfileKeyDefinition>;

export type ProfileKey = keyof typeof profileKeys;

/**
 * The values of a profile; a command given as a list of words is one line here, quoted, and a list of headers has one a
 * line.
 */
export type ProfileValues = Readonly<Partial<Record<ProfileKey, string>>>;

export const profileKeyNames = Object.keys(profileKeys) as readonly ProfileKey[];

export function isProfileKey(word: string): word is ProfileKey {
  return Object.hasOwn(profileKeys, word);
}

/** Names that every JavaScript object inherits: assigning to them would not store an entry. */
export const namesOfObjects: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Valid names begin with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores. */
export function isProfileName(name: string): boolean {
  return !namesOfObjects.has(name) && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** A header of a request: a name, and printable ASCII. */
export const headerForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/;

/** The path of an endpoint on the origin of the base URL, optionally with a query; no dot segments. */
export const endpointForm = /^\/(?!\/)(?!(?:[^?]*\/)?(?:\.|%2e){1,2}(?:[/?]|$))[\w.~!$&'()*+,;=:@/?%-]*$/i;

// The server types: the types of servers that grantctl supports, with their differences in one table. Code that depends on
// the server type reads this table and never compares names.

/** Abilities that a server type may lack; commands that need one check before anything is sent. */
export type Ability = "accounts" | "resets" | "grantsOfTokens" | "userLogins";

/** Why a server type lacks something, and the closest thing that works. */
export interface Lack {
  readonly reason: string;
  readonly instead: string;
}

export interface ServerType {
  readonly name: ServerTypeName;
  /** The word in `X-<Word>-OTP` and `X-<Word>-SSO`, unless another one is set. */
  readonly headerWord: string;
  /** The default base URL; null for a server type without one. */
  readonly baseUrl: string | null;
  /** How an application's requests carry the token: in the path, in a JSON body, or in a form (RFC 7662, RFC 7009). */
  readonly tokenPlace: "path" | "body" | "form";
  /**
   * True for GitHub, whose servers identify themselves in `GET /meta`, whose tokens are recognised by their form, whose lists
   * can be limited to a client ID, and which takes reports of leaked tokens, whoever owns them.
   */
  readonly isGithub: boolean;
  /**
   * True if its servers publish their endpoints in metadata (RFC 8414), and clients authenticate as in OAuth 2.0 (RFC
   * 6749, 2.3.1).
   */
  readonly publishesMetadata: boolean;
  /** The scheme of a token in the header `Authorization`. */
  readonly tokenScheme: "token" | "Bearer";
  /** The status of a token that is proven not to be active. */
  readonly goneStatus: "not-found" | "inactive";
  readonly longestToken: number;
  /** Length of a client ID; null if it varies. */
  readonly clientIdLength: number | null;
  readonly lacks: Readonly<Partial<Record<Ability, Lack>>>;
}

export const serverTypeNames = ["service", "github", "oauth"] as const;
export type ServerTypeName = (typeof serverTypeNames)[number];

/** The service of the specification; the other server types are what differs from it. */
const service: ServerType = {
  name: "service",
  headerWord: "Service",
  baseUrl: null,
  tokenPlace: "path",
  isGithub: false,
  publishesMetadata: false,
  tokenScheme: "token",
  goneStatus: "not-found",
  longestToken: 8 * 1024,
  clientIdLength: 20,
  lacks: {},
};

export const github: ServerType = {
  ...service,
  name: "github",
  headerWord: "GitHub",
  baseUrl: "https://api.github.com",
  tokenPlace: "body",
  isGithub: true,
};

const serverTypes: Readonly<Record<ServerTypeName, ServerType>> = {
  service,
  github,
  oauth: {
    ...service,
    name: "oauth",
    tokenPlace: "form",
    publishesMetadata: true,
    tokenScheme: "Bearer",
    goneStatus: "inactive",
    longestToken: 128 * 1024,
    clientIdLength: null,
    lacks: {
      accounts: {
        reason: "OAuth 2.0 has no operations to list or change the grants and tokens of an account",
        instead:
          "Use `grantctl token check`, `token inspect` and `token revoke`, which work with every OAuth 2.0 server.",
      },
      resets: {
        reason: "OAuth 2.0 has no operation that replaces a token and ends the old one",
        instead: "Run `grantctl token revoke`, then let the application request a new token.",
      },
      grantsOfTokens: {
        reason: "OAuth 2.0 has no operation that revokes the grant behind a token",
        instead:
          "Run `grantctl token revoke` with the refresh token, which ends the sign-in at most servers.",
      },
      userLogins: {
        reason: "OAuth 2.0 servers do not accept a user name and password for their API",
        instead: "Run `grantctl auth login --app` with the client ID and secret of an application.",
      },
    },
  },
};

export const defaultServerType = service;

export function findServerType(name: string): ServerType | null {
  return serverTypeNames.includes(name as ServerTypeName) ? serverTypes[name as ServerTypeName] : null;
}

/** The name of a GitHub server for messages; only an Enterprise Server reports its version. */
export function serverName(version: string | null): string {
  return version === null ? "github.com or a similar server" : `GitHub Enterprise Server ${version}`;
}

// The types of servers that grantctl supports, with their differences in one table. Code that depends on
// the server type reads this table and never compares names.
import { usageFailure, type Failure } from "./errors/errors.ts";
import type { Origin } from "./http/urls.ts";

export interface ServerType {
  readonly name: ServerTypeName;
  /** The word in `X-<Word>-OTP` and `X-<Word>-SSO`, unless another one is set. */
  readonly headerWord: string;
  /** The default base URL; null for a server type without one. */
  readonly baseUrl: string | null;
  /**
   * True for GitHub, which gets tokens in a body and not in the path, identifies itself in `GET /meta`, recognises tokens by
   * their form, and takes reports of leaked tokens, whoever owns them.
   */
  readonly isGithub: boolean;
  /**
   * True for OAuth 2.0 servers, which publish their endpoints in metadata (RFC 8414), get tokens in forms (RFC 7662, RFC
   * 7009), and whose clients authenticate as in RFC 6749, 2.3.1. They have no operations for accounts, resets and grants.
   */
  readonly isOauth: boolean;
  /** The status of a token that is proven not to be active. */
  readonly goneStatus: "not-found" | "inactive";
  readonly longestToken: number;
  /** Length of a client ID; null if it varies. */
  readonly clientIdLength: number | null;
}

export const serverTypeNames = ["service", "github", "oauth"] as const;
export type ServerTypeName = (typeof serverTypeNames)[number];

/** The service of the specification; the other server types are what differs from it. */
const service: ServerType = {
  name: "service",
  headerWord: "Service",
  baseUrl: null,
  isGithub: false,
  isOauth: false,
  goneStatus: "not-found",
  longestToken: 8 * 1024,
  clientIdLength: 20,
};

export const github: ServerType = {
  ...service,
  name: "github",
  headerWord: "GitHub",
  baseUrl: "https://api.github.com",
  isGithub: true,
};

const serverTypes: Readonly<Record<ServerTypeName, ServerType>> = {
  service,
  github,
  oauth: {
    ...service,
    name: "oauth",
    isOauth: true,
    goneStatus: "inactive",
    longestToken: 128 * 1024,
    clientIdLength: null,
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

export function checkNotOauth({ name, isOauth }: ServerType): void {
  if (!isOauth) return;
  throw usageFailure(
    `OAuth 2.0 has no operations for accounts, resets and grants (--server-type ${name})`,
    "Run `grantctl auth login --app` as a client, and then `grantctl token check`, `token inspect` or `token revoke`. Revoking a refresh token ends the sign-in at most servers.",
  );
}

/** The API origins of github.com and Enterprise Cloud, which removed the account's operations in 2020. */
const withoutAccounts = /^https:\/\/api\.(?:github\.com|(?:[a-z0-9-]+\.)+ghe\.com)$/;

/** True if the server at this origin is known to have no operations for accounts. */
export function isWithoutAccounts({ isGithub }: ServerType, { root }: Pick<Origin, "root">): boolean {
  return isGithub && withoutAccounts.test(root);
}

/** The failure of an account command at a server without operations for accounts. */
export function noAccounts({ root }: Pick<Origin, "root">): Failure {
  const { host } = new URL(root);
  const pages = withoutAccounts.test(root) ? host.replace(/^api\./, "") : "github.com";
  return usageFailure(
    `${host} has no operations for grants and authorizations: github.com removed them in 2020`,
    `Review the account's grants at https://${pages}/settings/applications. As the owner of an application, run \`grantctl token --help\` for its tokens.`,
  );
}

// The operators that the sandbox can imitate.
//
// `Behaviour` has a property for each difference, and `behaviours` a row for each operator. Handlers read the behaviour
// and never compare operators, so a new operator is a new row, and a new difference is a property that every row sets.
//
// | operator   | server                                                                                  |
// | ---------- | --------------------------------------------------------------------------------------- |
// | service    | the specification's own service                                                         |
// | github     | a current Enterprise Server                                                             |
// | github.com | like `github`, but without operations for the account and with reports of leaked tokens |
// | oauth      | an OAuth 2.0 authorization server; none of the other operators' operations              |
import { createPrefixedToken, createToken } from "./identity/secrets.ts";

export type SandboxOperator = "service" | "github" | "github.com" | "oauth";

export type TokenKind = "personal" | "access" | "refresh";

/** The contents of an empty store. */
export interface SeedPlan {
  /** The number of personal tokens. */
  readonly personalTokens: number;
  /** The types of the first application's tokens, repeated cyclically; if empty, all are plain access tokens. */
  readonly firstApplicationTokens: readonly PlannedToken[];
  /** The scopes of all other tokens, repeated cyclically. */
  readonly scopes: readonly (readonly string[])[];
}

export interface PlannedToken {
  readonly kind: TokenKind | "jwt";
  readonly scopes: readonly string[];
}

export interface Behaviour {
  /** True if the only endpoints are metadata, introspection, revocation and UserInfo of the OAuth 2.0 standards. */
  readonly isAuthorizationServer: boolean;
  /**
   * True if tokens are in the body of an application's operations, representations have the fields that the
   * specification lacks (a token's expiry, a grant's user), lists support the filter `client_id`, requests select an
   * API version by date, and owners of an organization can list the credentials that were approved for it.
   */
  readonly isCurrent: boolean;
  /** True if accounts can manage their grants and authorizations. */
  readonly servesAccounts: boolean;
  /** The Enterprise Server version in every response's headers; null for any other server. */
  readonly enterpriseVersion: string | null;
  /** The response to `GET /meta`; null if the endpoint does not exist. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** True if leaked tokens can be reported, without authentication. */
  readonly acceptsReports: boolean;
  readonly makeToken: (kind: TokenKind) => string;
  readonly seed: SeedPlan;
}

const makePrefixedToken = (kind: TokenKind): string =>
  createPrefixedToken(kind === "personal" ? "ghp_" : "gho_");

const seed: SeedPlan = {
  personalTokens: 2,
  firstApplicationTokens: [],
  scopes: [
    ["repo"],
    ["user"],
    ["public_repo", "gist"],
    ["read:org", "user:email"],
    ["repo", "workflow", "write:packages"],
    [],
    ["notifications"],
    ["admin:repo_hook", "repo:status", "user"],
  ],
};

const signInScopes = ["openid", "profile", "email", "offline_access"];

const classic = {
  isAuthorizationServer: false,
  isCurrent: false,
  servesAccounts: true,
  acceptsReports: false,
  makeToken: () => createToken(),
  seed,
} as const;

const modern = {
  isAuthorizationServer: false,
  isCurrent: true,
  makeToken: makePrefixedToken,
  seed,
} as const;

const enterpriseVersion = "3.19.2";

export const behaviours: Readonly<Record<SandboxOperator, Behaviour>> = {
  service: { ...classic, enterpriseVersion: null, meta: null },
  github: {
    ...modern,
    servesAccounts: true,
    acceptsReports: false,
    enterpriseVersion,
    meta: { verifiable_password_authentication: true, installed_version: enterpriseVersion },
  },
  "github.com": {
    ...modern,
    servesAccounts: false,
    acceptsReports: true,
    enterpriseVersion: null,
    meta: { verifiable_password_authentication: false },
  },
  oauth: {
    ...classic,
    isAuthorizationServer: true,
    servesAccounts: false,
    enterpriseVersion: null,
    meta: null,
    makeToken: (kind) => createPrefixedToken(kind === "refresh" ? "rt_" : "at_"),
    seed: {
      personalTokens: 0,
      // UserInfo requires `openid`.
      firstApplicationTokens: [
        { kind: "access", scopes: signInScopes },
        { kind: "refresh", scopes: signInScopes },
        { kind: "jwt", scopes: ["reports:read", "offline_access"] },
        { kind: "refresh", scopes: ["reports:read", "offline_access"] },
      ],
      scopes: [signInScopes],
    },
  },
};

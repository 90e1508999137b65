// The operator whose service the sandbox behaves like.
//
// One table: a column of `Behaviour` for each difference, a row for each operator. Handlers read the behaviour and
// never compare operators, so a new operator is a row, and a new difference is a property that every row has.
//
// `service` is the specification's own service, and `github-classic` an Enterprise Server up to 2.19 with the same API.
// `github` is a present Enterprise Server; `github.com` differs from it in having no operations for the account, and in
// taking reports of leaked tokens. `oauth` is an authorization server of the OAuth 2.0 standards, which has none of the
// other operators' operations.
import { createPrefixedToken, createToken } from "./identity/secrets.ts";

/**
 * `github` is a present Enterprise Server, `github-classic` one up to 2.19, `github.com` is github.com, and `oauth` an
 * OAuth 2.0 authorization server.
 */
export type SandboxOperator = "service" | "github" | "github-classic" | "github.com" | "oauth";

/** A refresh token belongs to the access token that was issued with it. */
export type TokenKind = "personal" | "access" | "refresh";

/** The contents of an empty store. */
export interface SeedPlan {
  /** The number of the account's own tokens. */
  readonly personalTokens: number;
  /** The first application's tokens, in turn. If there are none, they are access tokens like all others. */
  readonly tokensOfFirst: readonly PlannedToken[];
  /** The scopes of other tokens, in turn. */
  readonly scopes: readonly (readonly string[])[];
}

export interface PlannedToken {
  readonly kind: TokenKind | "jwt";
  readonly scopes: readonly string[];
}

export interface Behaviour {
  /** True if it has introspection, revocation and UserInfo of the OAuth 2.0 standards, and nothing else. */
  readonly isAuthorizationServer: boolean;
  /** The place of the token in an application's operations. */
  readonly tokenPlace: "path" | "body";
  /** True if there are operations for the account: grants and authorizations. */
  readonly servesAccounts: boolean;
  /** The version of an Enterprise Server, which every response names; null for any other server. */
  readonly enterpriseVersion: string | null;
  /** The response to `GET /meta`; null if the endpoint does not exist. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** True if representations have the fields that came after the specification: a token's expiry, and its user. */
  readonly hasCurrentFields: boolean;
  /** True if lists can be filtered by application, with `client_id`. */
  readonly listsTakeClientId: boolean;
  /** True if an organization's owners can list the credentials that its members approved. */
  readonly announcesApprovals: boolean;
  /** True if anybody's leaked tokens can be reported without credentials. */
  readonly acceptsReports: boolean;
  /** A new token's value. */
  readonly makeToken: (kind: TokenKind) => string;
  readonly seed: SeedPlan;
}

const makePrefixedToken = (kind: TokenKind): string =>
  createPrefixedToken(kind === "personal" ? "ghp_" : "gho_");

const seed: SeedPlan = {
  personalTokens: 2,
  tokensOfFirst: [],
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
  tokenPlace: "path",
  servesAccounts: true,
  hasCurrentFields: false,
  listsTakeClientId: false,
  announcesApprovals: false,
  acceptsReports: false,
  makeToken: () => createToken(),
  seed,
} as const;

const ofToday = {
  isAuthorizationServer: false,
  tokenPlace: "body",
  hasCurrentFields: true,
  listsTakeClientId: true,
  announcesApprovals: true,
  makeToken: makePrefixedToken,
  seed,
} as const;

const enterpriseServer = (version: string): Pick<Behaviour, "enterpriseVersion" | "meta"> => ({
  enterpriseVersion: version,
  meta: { verifiable_password_authentication: true, installed_version: version },
});

export const behaviours: Readonly<Record<SandboxOperator, Behaviour>> = {
  service: { ...classic, enterpriseVersion: null, meta: null },
  "github-classic": { ...classic, ...enterpriseServer("2.19.0") },
  github: {
    ...ofToday,
    servesAccounts: true,
    acceptsReports: false,
    ...enterpriseServer("3.19.2"),
  },
  "github.com": {
    ...ofToday,
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
      tokensOfFirst: [
        { kind: "access", scopes: signInScopes },
        { kind: "refresh", scopes: signInScopes },
        { kind: "jwt", scopes: ["reports:read", "offline_access"] },
        { kind: "refresh", scopes: ["reports:read", "offline_access"] },
      ],
      scopes: [signInScopes],
    },
  },
};

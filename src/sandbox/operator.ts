// The operator whose service the sandbox behaves like.
//
// One table: a column of `Behaviour` for each difference, a row for each operator. Handlers read the behaviour and never
// compare operators, so a new operator is a row, and a new difference is a property that every row has.
//
// `service` is the specification's own service, and `github-classic` an Enterprise Server up to 2.19 with the same API.
// `github` is a present Enterprise Server; `github.com` differs from it in having no operations for the account, and in
// taking reports of leaked tokens.
import { createPrefixedToken, createToken } from "./identity/secrets.ts";

/** `github` is a present Enterprise Server, `github-classic` one up to 2.19, and `github.com` is github.com. */
export type SandboxOperator = "service" | "github" | "github-classic" | "github.com";

export interface Behaviour {
  /** Where an application's operations carry the token. */
  readonly tokenPlace: "path" | "body";
  /** Whether there are operations for the account: grants and authorizations. */
  readonly servesAccounts: boolean;
  /** The version of an Enterprise Server, which every answer names; null for any other server. */
  readonly enterpriseVersion: string | null;
  /** The answer to `GET /meta`; null where there is no such address. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** Whether representations have the fields that came after the specification: a token's expiry, and its user. */
  readonly isOfToday: boolean;
  /** Whether lists can be filtered by application, with `client_id`. */
  readonly listsTakeClientId: boolean;
  /** Whether an organization's owners can list the credentials that its members approved. */
  readonly tellsApprovals: boolean;
  /** Whether leaked tokens can be reported without credentials, whoever owns them. */
  readonly takesReports: boolean;
  /** A new token's value, for an application or for the account's own use. */
  readonly makeToken: (isPersonal: boolean) => string;
}

const makePrefixedToken = (isPersonal: boolean): string => createPrefixedToken(isPersonal ? "ghp_" : "gho_");

const classic = {
  tokenPlace: "path",
  servesAccounts: true,
  isOfToday: false,
  listsTakeClientId: false,
  tellsApprovals: false,
  takesReports: false,
  makeToken: createToken,
} as const;

const ofToday = {
  tokenPlace: "body",
  isOfToday: true,
  listsTakeClientId: true,
  tellsApprovals: true,
  makeToken: makePrefixedToken,
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
    takesReports: false,
    ...enterpriseServer("3.19.2"),
  },
  "github.com": {
    ...ofToday,
    servesAccounts: false,
    takesReports: true,
    enterpriseVersion: null,
    meta: { verifiable_password_authentication: false },
  },
};

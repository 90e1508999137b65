// Which kind of server the sandbox is, and what follows from it. One table: the handlers ask what it says, and never
// which operator it is.
import { createPrefixedToken, createToken } from "./identity/secrets.ts";

/** `github` is an Enterprise Server of today, `github-classic` one of the years before, `github.com` what its name says. */
export type SandboxOperator = "service" | "github" | "github-classic" | "github.com";

export interface Behaviour {
  /** Where the operations on an application's tokens look for the token. */
  readonly tokenPlace: "path" | "body";
  /** Whether there are operations for the account: grants and authorizations. */
  readonly servesAccounts: boolean;
  /** The version of an Enterprise Server, which every answer names; null for a server that is none. */
  readonly enterpriseVersion: string | null;
  /** What `GET /meta` tells everybody; null where there is no such address. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** Whether representations have the fields that came after the specification: when a token expires, and whose it is. */
  readonly isOfToday: boolean;
  /** Whether lists can be asked for one application's entries with `client_id`. */
  readonly listsTakeClientId: boolean;
  /** Whether an organization's owners are told which credentials its members approved. */
  readonly tellsApprovals: boolean;
  /** Whether anybody may report leaked tokens of anybody. */
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

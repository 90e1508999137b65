// The kinds of servers that speak this service: one table of what differs among them. Whatever depends on the operator
// asks here; nothing else compares their names.

/** Where the operations on an application's tokens have the token: in the address, or in the body. */
type TokenPlace = "path" | "body";

export interface Operator {
  readonly name: OperatorName;
  /** The word in `X-<Word>-OTP` and `X-<Word>-SSO`, unless another one is set. */
  readonly headerWord: string;
  /** The base URL where none is set; null for an operator that has none of its own. */
  readonly baseUrl: string | null;
  readonly tokenPlace: TokenPlace;
  /** Whether lists take the application as the query parameter `client_id`. */
  readonly listsTakeClientId: boolean;
  /** Whether an organization's credential authorizations can be listed, with their last use. */
  readonly tellsApprovals: boolean;
  /** Whether leaked tokens of anybody can be reported to it. */
  readonly takesReports: boolean;
  /** Whether a limit may also be a 403, and X-RateLimit-Reset may say when it ends. */
  readonly limitsWith403: boolean;
}

export const operatorNames = ["service", "github", "github-classic"] as const;
export type OperatorName = (typeof operatorNames)[number];

const operators: Readonly<Record<OperatorName, Operator>> = {
  service: {
    name: "service",
    headerWord: "Service",
    baseUrl: null,
    tokenPlace: "path",
    listsTakeClientId: false,
    tellsApprovals: false,
    takesReports: false,
    limitsWith403: false,
  },
  github: {
    name: "github",
    headerWord: "GitHub",
    baseUrl: "https://api.github.com",
    tokenPlace: "body",
    listsTakeClientId: true,
    tellsApprovals: true,
    takesReports: true,
    limitsWith403: true,
  },
  "github-classic": {
    name: "github-classic",
    headerWord: "GitHub",
    baseUrl: null,
    tokenPlace: "path",
    listsTakeClientId: false,
    tellsApprovals: false,
    takesReports: false,
    limitsWith403: true,
  },
};

/** The operator that is meant where nobody says which. */
export const defaultOperator = operators.service;

/** The operator of this name; null for a word that is none. */
export function findOperator(name: string): Operator | null {
  return operatorNames.includes(name as OperatorName) ? operators[name as OperatorName] : null;
}

/** What a person calls a server of GitHub's; only an Enterprise Server tells its version. */
export function serverName(version: string | null): string {
  return version === null ? "github.com, or like it" : `GitHub Enterprise Server ${version}`;
}

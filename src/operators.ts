// The operators, which are the kinds of servers that have this API: one table of the differences among them. Code that
// depends on the operator reads this table, and compares no names.

/** Where an application's operations carry the token: in the path, or in the body. */
type TokenPlace = "path" | "body";

export interface Operator {
  readonly name: OperatorName;
  /** The word in `X-<Word>-OTP` and `X-<Word>-SSO`, unless another one is set. */
  readonly headerWord: string;
  /** The default base URL; null for an operator without one. */
  readonly baseUrl: string | null;
  readonly tokenPlace: TokenPlace;
  /** The media type of the preview that some of its servers have the token in the body as; null for none. */
  readonly bodyPreview: string | null;
  /** Whether its tokens are told by their form: what a scanner found in another form is none of them. */
  readonly hasTokenForms: boolean;
  /** Whether findings of detectors that are known for secrets of another kind are left out of a report. */
  readonly skipsOtherKinds: boolean;
  /** Whether lists take the application as the query parameter `client_id`. */
  readonly listsTakeClientId: boolean;
  /** Whether an organization's credential authorizations can be listed, with their last use. */
  readonly tellsApprovals: boolean;
  /** Whether it accepts reports of leaked tokens, whoever owns them. */
  readonly takesReports: boolean;
  /** Whether its servers say in `GET /meta` which they are. */
  readonly answersMeta: boolean;
  /** Whether some of its servers have no operations for accounts any more. */
  readonly mayLackAccounts: boolean;
  /** Whether a rate limit may also be a 403, with its end in X-RateLimit-Reset. */
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
    bodyPreview: null,
    hasTokenForms: false,
    skipsOtherKinds: true,
    listsTakeClientId: false,
    tellsApprovals: false,
    takesReports: false,
    answersMeta: false,
    mayLackAccounts: false,
    limitsWith403: false,
  },
  github: {
    name: "github",
    headerWord: "GitHub",
    baseUrl: "https://api.github.com",
    tokenPlace: "body",
    // Enterprise Server 2.20 answers 415 without it; others ignore it.
    bodyPreview: "application/vnd.github.doctor-strange-preview+json",
    hasTokenForms: true,
    skipsOtherKinds: true,
    listsTakeClientId: true,
    tellsApprovals: true,
    takesReports: true,
    answersMeta: true,
    mayLackAccounts: true,
    limitsWith403: true,
  },
  "github-classic": {
    name: "github-classic",
    headerWord: "GitHub",
    baseUrl: null,
    tokenPlace: "path",
    bodyPreview: null,
    hasTokenForms: true,
    skipsOtherKinds: true,
    listsTakeClientId: false,
    tellsApprovals: false,
    takesReports: false,
    answersMeta: true,
    mayLackAccounts: false,
    limitsWith403: true,
  },
};

/** The operator of runs that choose none. */
export const defaultOperator = operators.service;

/** The operator of this name; null where there is none. */
export function findOperator(name: string): Operator | null {
  return operatorNames.includes(name as OperatorName) ? operators[name as OperatorName] : null;
}

/** The name of a GitHub server for messages; only an Enterprise Server tells its version. */
export function serverName(version: string | null): string {
  return version === null ? "github.com, or like it" : `GitHub Enterprise Server ${version}`;
}

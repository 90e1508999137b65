// Authenticates callers (the specification, 5).
//
// | caller           | authenticates with                                    | rejected with                     |
// | ---------------- | ----------------------------------------------------- | --------------------------------- |
// | an account       | Basic: its password, then a one-time password         | 404; 401 if only the code is wrong |
// | an application   | Basic: its client ID, which the path names, and secret | 404                              |
// | owner of a token | a token in a header, in Basic or in the query; or, if one-time passwords are off, the password | 401 |
//
// Missing credentials of the first two result in 404, never 401, and no response reveals which part was wrong.
import { failure, notFound, Refusal } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { ApplicationRecord, AuthorizationRecord } from "../store/access.ts";
import type { AccountRecord, Store } from "../store/store.ts";
import type { OneTimePasswords, PasswordVerifier } from "./passwords.ts";
import { hashToken, isSameText } from "./secrets.ts";

/** True if a token has expired. `at` is in seconds. */
export function hasExpired({ expiresAt }: Pick<AuthorizationRecord, "expiresAt">, at: number): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** The caller of a resource that takes tokens. `authorization` is the token's; null for a caller with a password. */
export interface TokenCaller {
  readonly account: AccountRecord;
  readonly authorization: AuthorizationRecord | null;
}

export type Authentication = ReturnType<typeof createAuthentication>;

interface AuthenticationOptions {
  readonly store: Store;
  readonly passwords: PasswordVerifier;
  readonly oneTimePasswords: OneTimePasswords;
  /** Whole seconds since the epoch. */
  readonly nowInSeconds: () => number;
  /** `X-Service-OTP`, in the case it is sent in. */
  readonly otpHeader: string;
}

/** Each method returns the caller or throws a Refusal. */
export function createAuthentication(options: AuthenticationOptions) {
  const { store, passwords, oneTimePasswords, nowInSeconds, otpHeader } = options;

  async function findByPassword(username: string, password: string): Promise<AccountRecord | null> {
    const account = store.accounts.findByLogin(username);
    return (await passwords.verify(account, password)) && account !== undefined ? account : null;
  }

  /** The token's owner; if the request names a user, it must be the same. */
  function findByToken(token: string, login: string | null): TokenCaller | null {
    const authorization = store.authorizations.findByTokenHash(hashToken(token));
    const account = authorization && store.accounts.find(authorization.accountId);
    if (authorization === undefined || account === undefined) return null;
    if (hasExpired(authorization, nowInSeconds())) return null;
    return login === null || login === account.login ? { account, authorization } : null;
  }

  return {
    authenticateAccount: async (request: SandboxRequest): Promise<AccountRecord> => {
      const credentials = readAuthorizationHeader(request.header("authorization"));
      if (credentials?.kind !== "basic") throw new Refusal(notFound());
      const account = await findByPassword(credentials.username, credentials.password);
      if (account === null) throw new Refusal(notFound());
      if (!oneTimePasswords.accepts(account.login, request.header(otpHeader.toLowerCase()))) {
        // Operators send a text message only for authorizations, and not for grants.
        if (request.segments[0] === "authorizations") {
          oneTimePasswords.challenge(account.login, request.method);
        }
        const challenge = { [otpHeader]: `required; ${oneTimePasswords.mode}` };
        throw new Refusal(failure(401, "Must specify two-factor authentication OTP code.", challenge));
      }
      return account;
    },

    authenticateApplication: (request: SandboxRequest): ApplicationRecord => {
      const credentials = readAuthorizationHeader(request.header("authorization"));
      if (credentials?.kind !== "basic") throw new Refusal(notFound());
      const application = store.applications.findByClientId(credentials.username);
      const isRight = isSameText(application?.clientSecretHash ?? "", hashToken(credentials.password));
      if (application === undefined || !isRight || request.segments[1] !== application.clientId) {
        throw new Refusal(notFound());
      }
      return application;
    },

    authenticateByToken: async (request: SandboxRequest): Promise<TokenCaller> => {
      // Old clients send the token in the query.
      const queried = new URLSearchParams(request.query).get("access_token");
      const header = request.header("authorization") ?? (queried === null ? undefined : `token ${queried}`);
      if (header === undefined) throw new Refusal(failure(401, "Requires authentication"));
      const credentials = readAuthorizationHeader(header);
      const caller =
        credentials?.kind === "token"
          ? findByToken(credentials.token, null)
          : credentials && findByBasicToken(credentials.username, credentials.password);
      if (caller !== null) return caller;
      const account =
        credentials?.kind === "basic"
          ? await findByPassword(credentials.username, credentials.password)
          : null;
      if (account === null) throw new Refusal(failure(401, "Bad credentials"));
      if (oneTimePasswords.mode !== "none") {
        throw new Refusal(
          failure(401, "With two-factor authentication on, a token must be used in place of the password."),
        );
      }
      return { account, authorization: null };
    },
  };

  function findByBasicToken(username: string, password: string): TokenCaller | null {
    return password === "" || password === "x-oauth-basic"
      ? findByToken(username, null)
      : findByToken(password, username);
  }
}

type Credentials =
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "token"; readonly token: string };

/** The credentials in the header, with a case-insensitive scheme; null if there are none of a supported type. */
function readAuthorizationHeader(value: string | undefined): Credentials | null {
  const [, scheme = "", rest = ""] = /^([a-z]+) +(\S+)\s*$/i.exec(value ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return readBasic(rest);
    case "token":
    case "bearer":
      return { kind: "token", token: rest };
    default:
      return null;
  }
}

function readBasic(encoded: string): Credentials | null {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon === -1) return null;
  return { kind: "basic", username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

// Authenticates callers (the specification, 5).
//
// | caller           | authenticates with                                                     | if rejected           |
// | ---------------- | ---------------------------------------------------------------------- | --------------------- |
// | an account       | Basic: the password, and a one-time password in a header of its own    | 404; 401 if only the  |
// |                  |                                                                        | code is wrong         |
// | an application   | Basic: the client ID, which the path must name, and the client secret  | 404                   |
// | a token's owner  | a token in a header, in Basic or in the query; the account's password  | 401                   |
// |                  | if one-time passwords are off                                          |                       |
//
// Accounts and applications without credentials get 404 as well, and no response reveals which part was wrong.
import { failure, notFound, orNotFound, Refusal } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { HandlerContext } from "../operations/operation.ts";
import type { ApplicationRecord, AuthorizationRecord } from "../store/access.ts";
import type { AccountRecord, Store } from "../store/store.ts";
import { hashSecret, equalsConstantTime } from "./secrets.ts";

/** The authorization of an active token; undefined for one that is unknown or has expired. */
export function findActiveToken(
  { store, nowInSeconds }: Pick<HandlerContext, "store" | "nowInSeconds">,
  token: string,
): AuthorizationRecord | undefined {
  const found = store.authorizations.findByTokenHash(hashSecret(token));
  if (found === undefined || found.expiresAt === null) return found;
  return found.expiresAt > nowInSeconds() ? found : undefined;
}

/** The application of these credentials; undefined if there is none, or the secret is wrong. */
export function findApplication(
  { applications }: Store,
  clientId: string,
  clientSecret: string,
): ApplicationRecord | undefined {
  const application = applications.findByClientId(clientId);
  // Also for an unknown client ID, so that the time does not reveal whether it exists.
  const isCorrect = equalsConstantTime(application?.clientSecretHash ?? "", hashSecret(clientSecret));
  return isCorrect ? application : undefined;
}

/** `authorization` is the token's; null for a caller with a password. */
export interface TokenCaller {
  readonly account: AccountRecord;
  readonly authorization: AuthorizationRecord | null;
}

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * Each method returns the caller, or throws a Refusal. `otpHeader` is a name as it is sent in responses, for example
 * `X-Service-OTP`.
 */
export function createAuthentication(context: HandlerContext, otpHeader: string) {
  const { store, behaviour, oneTimePasswords } = context;
  const acceptsPasswords = behaviour.meta?.["verifiable_password_authentication"] !== false;

  function findByPassword(username: string, password: string): AccountRecord | null {
    const account = store.accounts.findByLogin(username);
    // Also for an unknown user, so that the time does not reveal whether it exists.
    const isCorrect = equalsConstantTime(account?.passwordHash ?? "", hashSecret(password));
    return isCorrect && account !== undefined ? account : null;
  }

  /** Finds the owner of an active token; null if `login` is another user. */
  function findByToken(token: string, login: string | null): TokenCaller | null {
    const authorization = findActiveToken(context, token);
    if (authorization === undefined) return null;
    const account = store.accounts.get(authorization.accountId);
    return login === null || login === account.login ? { account, authorization } : null;
  }

  return {
    authenticateAccount: (request: SandboxRequest): AccountRecord => {
      const credentials = readAuthorizationHeader(request.header("authorization"));
      if (credentials?.kind !== "basic") throw new Refusal(notFound());
      const account = findByPassword(credentials.username, credentials.password);
      if (account === null) throw new Refusal(notFound());
      if (!oneTimePasswords.accepts(account.login, request.header(otpHeader.toLowerCase()))) {
        // Operators send text messages for authorizations, but not for grants.
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
      const application = findApplication(store, credentials.username, credentials.password);
      return orNotFound(application?.clientId === request.segments[1] ? application : undefined);
    },

    authenticateByToken: (request: SandboxRequest): TokenCaller => {
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
        acceptsPasswords && credentials?.kind === "basic"
          ? findByPassword(credentials.username, credentials.password)
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

/** Parses the header; null for an unsupported scheme. Schemes are case-insensitive. */
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

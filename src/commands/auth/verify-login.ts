// Reads the credentials of a login and tests them with a read, before anything is stored.
//
//   login               tested by
//   user name           a page of grants
//   --app               a check of one of the application's active tokens, if it is on standard input
//   --app, OAuth 2.0    the introspection of a made-up token (oauth-login.ts)
//   --with-token        the owner of the token
import type { SecretKind } from "../../config/configuration.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { encodeBasic, type BasicCredentials } from "../../http/authorization.ts";
import type { Context } from "../../run/context.ts";
import type { ServerAccess } from "../../run/server-access.ts";
import {
  checkLoginSupport,
  detectServer,
  refusedLogin,
  rejectionOf,
  type FoundServer,
  type RequestedServer,
} from "./find-server.ts";
import { proveClient, reportEndpoints, suggestOAuth, warnOfOAuth } from "./oauth-login.ts";

export interface Login {
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
  readonly secret: string;
  /** When and how the server accepted it, to be stored with it; null if it did not. */
  readonly verified: string | null;
  /** True if the server required a one-time password. */
  readonly requiredCode?: boolean;
}

/** As in `2026-11-28T07:30:00Z, by listing grants`. */
function verifiedBy(means: string, { host }: Context): string {
  return `${new Date(host.now()).toISOString().replace(/\.\d+Z$/, "Z")}, by ${means}`;
}

interface VerifiedLogin {
  readonly login: Login;
  readonly target: FoundServer;
}

/**
 * Reads the credentials and tests them as far as possible. Checks the format of a given secret first, so that no
 * request is sent for a malformed one. Throws the failure of the test.
 */
export async function verifyLogin(
  kind: SecretKind,
  typed: RequestedServer,
  context: Context,
): Promise<VerifiedLogin> {
  try {
    if (context.serverType.publishesMetadata) return await verifyClientLogin(typed, context);
    return await verifiers[kind](typed, context);
  } catch (error) {
    throw await suggestOAuth(refusedLogin(error, kind), typed.server, context);
  }
}

const verifiers = {
  password: verifyAccountLogin,
  "client-secret": verifyApplicationLogin,
  token: verifyTokenLogin,
} as const;

async function verifyTokenLogin(typed: RequestedServer, context: Context): Promise<VerifiedLogin> {
  const secret = await readLoginToken(typed.server, context);
  const target = await findServer(typed, "token", context);
  const user = await proveToken(secret, target.server);
  return {
    login: { kind: "token", user, secret, verified: verifiedBy("reading its user", context) },
    target,
  };
}

async function verifyAccountLogin(typed: RequestedServer, context: Context): Promise<VerifiedLogin> {
  const user = await typed.server.logins.username();
  // Do not prompt for a password until it is known that the server accepts passwords.
  const given = await givenSecret("password", user, typed, context);
  if (given !== null) encodeBasic({ username: user, password: given });
  const target = await findServer(typed, "password", context);
  const verify = async (secret: string, username: string): Promise<VerifiedLogin> => {
    const requiredCode = await proveAccount({ username, password: secret }, target.server);
    const verified = verifiedBy("listing grants", context);
    return { login: { kind: "password", user: username, secret, verified, requiredCode }, target };
  };
  return verifySecret({ kind: "password", user, given }, verify, typed, context);
}

/** The number of times that a user may type a password or client secret, as with `ssh` and `sudo`. */
const maxTries = 3;

/**
 * Verifies a secret: the given one, otherwise what the user types. If the server rejects a typed secret, warns and
 * prompts again, also for a typed user name, so that a typo does not end the login.
 */
async function verifySecret(
  { kind, user, given }: { readonly kind: SecretKind; readonly user: string; readonly given: string | null },
  verify: (secret: string, user: string) => Promise<VerifiedLogin>,
  { server: { logins } }: RequestedServer,
  { notices, settings }: Context,
): Promise<VerifiedLogin> {
  if (given !== null) return verify(given, user);
  let name = user;
  for (let tries = 1; ; tries += 1) {
    if (tries > 1 && kind === "password" && settings.username === undefined) name = await logins.username();
    const secret = await logins.newSecret(kind, name);
    try {
      return await verify(secret, name);
    } catch (error) {
      const rejection = tries === maxTries ? null : rejectionOf(error, kind);
      if (rejection === null) throw error;
      notices.warn(`${rejection}. Try again.`);
    }
  }
}

/**
 * The secret from a flag, the environment or a command; null if it is to be typed. Throws an authentication failure if
 * there is none, and no terminal to prompt on.
 */
async function givenSecret(
  kind: SecretKind,
  user: string,
  { server: { logins } }: RequestedServer,
  { prompter }: Context,
): Promise<string | null> {
  const isGiven = logins
    .secretSources(kind, user)
    .some(({ source, state }) => state === "set" && ["flag", "environment", "profile"].includes(source));
  if (isGiven) return logins.newSecret(kind, user);
  try {
    await prompter.check(() => new Error("nobody can be asked"));
    return null;
  } catch {
    return logins.newSecret(kind, user);
  }
}

async function verifyApplicationLogin(typed: RequestedServer, context: Context): Promise<VerifiedLogin> {
  const { logins } = typed.server;
  const user = await logins.applicationClientId();
  const secret = await logins.newSecret("client-secret", user);
  context.redactor.add(secret);
  encodeBasic({ username: user, password: secret });
  const token = await readActiveToken(context);
  const target = await findServer(typed, "client-secret", context);
  if (token !== null) {
    const { service } = await target.server.applicationService({ clientId: user, clientSecret: secret });
    const { checkToken } = await import("../../api/tokens.ts");
    await checkToken(service, user, token);
  } else if (target.serverType === null) await warnOfOAuth(target.server, context);
  const verified = token === null ? null : verifiedBy("checking an active token", context);
  return { login: { kind: "client-secret", user, secret, verified }, target };
}

async function verifyClientLogin(typed: RequestedServer, context: Context): Promise<VerifiedLogin> {
  const { server } = typed;
  const clientId = await server.logins.applicationClientId();
  const given = await givenSecret("client-secret", clientId, typed, context);
  const token = await readActiveToken(context);
  await reportEndpoints(server, context);
  const verify = async (clientSecret: string): Promise<VerifiedLogin> => {
    context.redactor.add(clientSecret);
    const application = await server.applicationService({ clientId, clientSecret });
    const isProven = await proveClient(application, token, context);
    return {
      login: {
        kind: "client-secret",
        user: clientId,
        secret: clientSecret,
        verified: isProven ? verifiedBy("introspection", context) : null,
      },
      target: { server, serverType: context.serverType.name },
    };
  };
  return verifySecret({ kind: "client-secret", user: clientId, given }, verify, typed, context);
}

async function findServer(typed: RequestedServer, kind: SecretKind, context: Context): Promise<FoundServer> {
  const { server, facts = null } =
    typed.facts === undefined ? await detectServer(typed.server, context) : typed;
  return checkLoginSupport(server, facts, kind, context);
}

/** Maximum wait for a token on standard input: a script that pipes one in sends it at once. */
const tokenLimitMs = 5000;

/**
 * Tests the credentials by reading a page of grants. Resolves with true if the server required a one-time password.
 * Throws the failure of the read.
 */
async function proveAccount(credentials: BasicCredentials, server: ServerAccess): Promise<boolean> {
  const { service, requiredCode } = await server.accountService(credentials);
  const { listGrants } = await import("../../api/grants.ts");
  await listGrants(service, { limit: 1, perPage: 1, concurrency: 1 }).next();
  return requiredCode();
}

/**
 * Reads an active token from standard input; without one, a client secret cannot be tested. Null if there is none.
 * Throws a usage failure if the text is not a token.
 */
async function readActiveToken(context: Context): Promise<string | null> {
  const { standardInput, options } = context;
  if (standardInput.isTerminal || options.clientSecretStdin === true) return null;
  const text = await standardInput.readSoon("a token", tokenLimitMs);
  if (text === null || text.trim() === "") return null;
  return readTheToken(text, "standard input must contain one token, to verify the client secret", context);
}

/** Reads the token from standard input, or prompts for it. Throws a usage failure unless there is exactly one. */
async function readLoginToken(server: ServerAccess, context: Context): Promise<string> {
  const { standardInput } = context;
  const text = standardInput.isTerminal
    ? await context.prompter.askSecret(`Token for ${server.origin().href}:`, () =>
        usageFailure("there is no token", "Pass it on standard input."),
      )
    : await standardInput.read("the token");
  return readTheToken(text, "standard input must contain exactly one token", context);
}

/** Parses the text as `token check` does. Throws a usage failure with the message `notOne` unless it has one token. */
async function readTheToken(
  text: string,
  notOne: string,
  { serverType, redactor }: Context,
): Promise<string> {
  const { readTokens } = await import("../../reports/read-tokens.ts");
  const { tokens } = readTokens(text, { allFindings: true, longestToken: serverType.longestToken });
  const [token, ...others] = tokens;
  if (token === undefined || others.length > 0) throw usageFailure(notOne);
  redactor.add(token);
  return token;
}

/**
 * Looks up the owner of a token, and resolves with the user name. Throws the failure of the read, and a protocol
 * failure for a name that Basic credentials, and so a profile, cannot hold (RFC 7617, section 2).
 */
async function proveToken(token: string, server: ServerAccess): Promise<string> {
  const { getUsername } = await import("../../api/inspection.ts");
  const name = await getUsername(await server.tokenService(token));
  if (/[:\p{Cc}]/u.test(name)) {
    throw new Failure("protocol", `the server returned ${foreign(name)}, which cannot be a user name`);
  }
  return name;
}

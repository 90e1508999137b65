// Takes credentials of one kind from flags, variables, standard input or questions, and tests them.
import type { Address } from "../../run/address.ts";
import type { SecretKind } from "../../config/configuration.ts";
import type { Context } from "../../run/context.ts";
import { encodeBasic } from "../../http/authorization.ts";
import type { ServerFacts } from "../../api/meta.ts";
import { askServer, judgeServer, type FoundServer } from "./find-server.ts";
import { proveAccount, proveApplication, proveToken, takeProof, takeToken } from "./prove.ts";
import { refusedLogin } from "./refused-login.ts";
import type { Login, LoginKind } from "./taken-login.ts";

export interface TypedServer {
  readonly address: Address;
  /** The server's answer on which operator it is; absent where it was not asked yet. */
  readonly facts?: ServerFacts | null;
}

/** Credentials that were taken, and the server that they are for. */
export interface TakenLogin {
  readonly login: Login;
  readonly server: FoundServer;
}

/**
 * The credentials, tested as far as possible. The form of a given secret is checked first, so that nothing is sent for a
 * bad one. Throws the failure of the test.
 */
export async function takeLogin(kind: LoginKind, typed: TypedServer, context: Context): Promise<TakenLogin> {
  try {
    if (kind.withToken === true) return await takeTokenLogin(typed, context);
    return await (kind.app === true ? takeApplicationLogin : takeAccountLogin)(typed, context);
  } catch (error) {
    throw refusedLogin(error, kind);
  }
}

async function takeTokenLogin(typed: TypedServer, context: Context): Promise<TakenLogin> {
  const secret = await takeToken(typed.address, context);
  const server = await findServer(typed, "token", context);
  const user = await proveToken(secret, server.address);
  return { login: { kind: "token", user, secret, isProven: true }, server };
}

async function takeAccountLogin(typed: TypedServer, context: Context): Promise<TakenLogin> {
  const { logins } = typed.address;
  const user = await logins.username();
  // The user is not asked for a password that cannot work.
  const isGiven = logins
    .secretSources("password", user)
    .some(({ source, state }) => state === "set" && isGivenBy(source));
  const given = isGiven || !(await canAsk(context)) ? await logins.newSecret("password", user) : null;
  if (given !== null) encodeBasic({ username: user, password: given });
  const server = await findServer(typed, "password", context);
  const secret = given ?? (await logins.newSecret("password", user));
  await proveAccount({ username: user, password: secret }, server.address);
  return { login: { kind: "password", user, secret, isProven: true }, server };
}

async function takeApplicationLogin(typed: TypedServer, context: Context): Promise<TakenLogin> {
  const { logins } = typed.address;
  const user = await logins.applicationClientId();
  const secret = await logins.newSecret("client-secret", user);
  context.redactor.add(secret);
  encodeBasic({ username: user, password: secret });
  const token = await takeProof(context);
  const server = await findServer(typed, "client-secret", context);
  const credentials = { clientId: user, clientSecret: secret };
  if (token !== null) await proveApplication(credentials, token, server.address);
  return { login: { kind: "client-secret", user, secret, isProven: token !== null }, server };
}

async function findServer(
  { address, facts }: TypedServer,
  kind: SecretKind,
  context: Context,
): Promise<FoundServer> {
  return judgeServer(
    address,
    facts === undefined ? await askServer(address, context.notices) : facts,
    kind,
    context,
  );
}

/** Whether the user can be asked for missing credentials. */
function canAsk({ prompter }: Context): Promise<boolean> {
  return prompter
    .check(() => new Error("nobody can be asked"))
    .then(
      () => true,
      () => false,
    );
}

function isGivenBy(source: string): boolean {
  return source === "flag" || source === "environment" || source === "profile";
}

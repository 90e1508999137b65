// Takes credentials of one kind, from wherever they are given, and proves them.
import type { Address } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { proveAccount, proveApplication, proveToken, takeToken } from "./prove.ts";
import type { Login } from "./store-login.ts";

/** What kind of credentials is meant; by default the account's user name and password. */
export interface LoginKind {
  readonly app?: true;
  readonly withToken?: true;
}

/** The credentials, proven as far as they can be. Throws what the service answers. */
export async function takeLogin(kind: LoginKind, address: Address, context: Context): Promise<Login> {
  try {
    return await prove(kind, address, context);
  } catch (error) {
    throw nothingStored(error, kind);
  }
}

async function prove({ app, withToken }: LoginKind, address: Address, context: Context): Promise<Login> {
  const { logins } = address;
  if (withToken === true) {
    const secret = await takeToken(address, context);
    return { kind: "token", user: await proveToken(secret, address), secret, isProven: true };
  }
  if (app !== true) {
    const user = await logins.username();
    const secret = await logins.newPassword(user);
    await proveAccount({ username: user, password: secret }, address);
    return { kind: "password", user, secret, isProven: true };
  }
  const user = await logins.applicationClientId();
  const secret = await logins.newClientSecret(user);
  context.redactor.add(secret);
  const isProven = await proveApplication({ clientId: user, clientSecret: secret }, address, context);
  return { kind: "client-secret", user, secret, isProven };
}

/** What is stored is not what was refused. What cannot be read because of wrong credentials is no list that is missing. */
function nothingStored(error: unknown, kind: LoginKind): unknown {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return error;
  const message =
    error.kind === "not-found" ? `${refusedLogin(kind)}, or there is no such API here` : error.marked;
  return new Failure(error.kind, message, { ...error.details, hint: "nothing was stored; log in again" });
}

/** What the service may mean by "not found". */
function refusedLogin({ app, withToken }: LoginKind): string {
  if (withToken === true) return "the token is wrong";
  return app === true
    ? "the client ID, the client secret or the token is wrong"
    : "the user name or the password is wrong";
}

// Finds out which server `auth login` talks to (`GET /meta`, without credentials), and explains a login that it rejects.
import type { ServerFacts } from "../../api/meta.ts";
import type { LoginKind } from "./login-edits.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure, usageFailure, Failure } from "../../errors/errors.ts";
import type { Origin } from "../../http/origin.ts";
import { serverName, type Operator, type OperatorName } from "../../operators.ts";
import type { Address } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { noAccounts } from "../../run/operator-hints.ts";

export interface FoundServer {
  /** The address, for the operator that was found. */
  readonly address: Address;
  /** The operator to write into the profile; null for none. */
  readonly operator: OperatorName | null;
}

/** A server, with its response to `GET /meta`: null if it is not GitHub's, or does not say. */
export interface AskedServer {
  readonly address: Address;
  readonly facts: ServerFacts | null;
}

/**
 * Adds https to a bare host such as `ghe.example.com`, port and path included. Any other text stays, and is checked as a
 * base URL.
 */
export function withScheme(typed: string): string {
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?(?:\/|$)/i.test(typed) ? `https://${typed}` : typed;
}

/**
 * Asks the server at an address which operator it is. A GitHub Enterprise host without a path gets `/api/v3`, if the
 * server responds there. Throws a usage failure for an address that is not the API's, and a network failure if there is no
 * server.
 */
export async function askServer(typed: Address, context: Context): Promise<AskedServer> {
  const origin = typed.origin();
  refuseSite(origin);
  const { askMeta } = await import("../../api/meta.ts");
  const service = await typed.tokenService(null);
  try {
    const facts = await askMeta(service);
    if (facts !== null || origin.prefix !== "") return { address: typed, facts };
    const factsBelow = await askMeta(service, enterprisePrefix);
    if (factsBelow === null) return { address: typed, facts };
    const address = context.addressAt(`${origin.href}${enterprisePrefix}`);
    context.notices.note(`the API is at ${address.origin().href}`);
    return { address, facts: factsBelow };
  } catch (error) {
    if (!isFailure(error, "network") || error.details.hasLeft !== true) throw error;
    // Only the operator stays unknown: the credentials are tested by another read.
    context.notices.warn(`${error.marked}; the operator is not looked up`);
    return { address: typed, facts: null };
  }
}

/** The path of the API on a GitHub Enterprise Server. */
const enterprisePrefix = "/api/v3";

/**
 * Judges whether a login of this kind can work at a server. Throws a usage failure for an account where the server has
 * no operations for accounts, and an authentication failure if no password can work.
 */
export function judgeServer(
  typed: Address,
  facts: ServerFacts | null,
  kind: SecretKind,
  context: Context,
): FoundServer {
  const origin = typed.origin();
  if (facts === null) return { address: typed, operator: context.options.operator ?? null };
  const operator = chooseOperator(facts.operator, serverName(facts.version), context);
  if (kind === "password" && operator.answersMeta) {
    if (facts.version === null) throw noAccounts(origin);
    if (!facts.takesPasswords) throw takesNoPassword(origin);
  }
  const isAsTyped = operator.name === context.operator.name;
  return {
    address: isAsTyped ? typed : context.addressAt(origin.href, operator),
    operator: operator.name,
  };
}

/** The operator that was chosen by flag or variable, otherwise the one that was found. Writes a note on it. */
function chooseOperator(found: Operator, server: string, { operator, settings, notices }: Context): Operator {
  const source = settings.operator?.source;
  const isChosen = source === "flag" || source === "environment";
  if (!isChosen) {
    notices.note(`this is ${server}: the operator is ${found.name}`);
    return found;
  }
  if (found.name !== operator.name) {
    notices.warn(
      `this is ${server}, whose operator is ${found.name}; ${operator.name} is used, as you asked`,
    );
  }
  return operator;
}

/** Refuses github.com itself, which is the web site: its API has another address. */
function refuseSite({ root }: Origin): void {
  const { hostname } = new URL(root);
  if (hostname !== "github.com" && hostname !== "www.github.com") return;
  throw usageFailure(
    `${hostname} is the web site; its API is at https://api.github.com, where grantctl works only for applications`,
    "Run `grantctl auth login --app --operator github --base-url https://api.github.com`. An account's grants are at https://github.com/settings/applications.",
  );
}

/** The failure for a refused login, which says that nothing was stored; an error of another kind unchanged. */
export function refusedLogin(error: unknown, kind: LoginKind): unknown {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return error;
  const message =
    error.kind === "not-found"
      ? `${wrongCredentials(kind)}, or this server does not have the API`
      : error.marked;
  return error.with(
    { hint: "Nothing was stored. Check the credentials and the path of the URL, and log in again." },
    message,
  );
}

/** The meaning of "not found" at a login. The server does not tell which part of the credentials is wrong. */
function wrongCredentials({ app, withToken }: LoginKind): string {
  if (withToken === true) return "the token is wrong";
  return app === true
    ? "the client ID, the client secret or the token is wrong"
    : "the user name or the password is wrong";
}

/** The failure if no password can work at the address. */
function takesNoPassword({ href }: Origin): Failure {
  return new Failure(
    "authentication",
    `no password can work at ${href}: accounts are authenticated elsewhere there, by SAML, CAS or LDAP`,
    {
      hint: "Run `grantctl auth login --app` or `grantctl auth login --with-token`: an application's credentials and a token still work.",
    },
  );
}

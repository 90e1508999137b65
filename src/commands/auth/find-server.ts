// Identifies the server of `auth login` (`GET /meta`, without credentials), and explains logins that it rejects.
import type { ServerFacts } from "../../api/meta.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure, usageFailure, Failure } from "../../errors/errors.ts";
import type { Origin } from "../../http/origin.ts";
import { github, serverName, type ServerType, type ServerTypeName } from "../../server-types.ts";
import type { ServerAccess } from "../../run/server-access.ts";
import type { Context } from "../../run/context.ts";
import { noAccounts } from "../../run/server-type-hints.ts";

export interface FoundServer {
  /** The server, configured for the detected server type. */
  readonly server: ServerAccess;
  /** The server type to write into the profile; null for none. */
  readonly serverType: ServerTypeName | null;
}

export interface RequestedServer {
  readonly server: ServerAccess;
  /** From `GET /meta`; null if it is not a GitHub server or does not report them, absent if not requested yet. */
  readonly facts?: ServerFacts | null;
}

/**
 * Adds https to a bare host such as `ghe.example.com`, with or without port and path. Returns any other text unchanged,
 * to be checked as a base URL.
 */
export function withScheme(typed: string): string {
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?(?:\/|$)/i.test(typed) ? `https://${typed}` : typed;
}

/**
 * Detects the server type of a server. Adds `/api/v3` to a GitHub Enterprise host without a path, if the server responds
 * there. Throws a usage failure for a URL that is not the API's, and a network failure if there is no server.
 */
export async function detectServer(typed: ServerAccess, context: Context): Promise<RequestedServer> {
  const origin = typed.origin();
  refuseSite(origin);
  const { fetchServerFacts } = await import("../../api/meta.ts");
  const service = await typed.tokenService(null);
  try {
    const facts = await fetchServerFacts(service);
    if (facts !== null || origin.prefix !== "") return { server: typed, facts };
    const factsBelow = await fetchServerFacts(service, enterprisePrefix);
    if (factsBelow === null) return { server: typed, facts };
    const server = context.serverAt(`${origin.href}${enterprisePrefix}`);
    context.notices.note(`the API is at ${server.origin().href}`);
    return { server, facts: factsBelow };
  } catch (error) {
    if (!isFailure(error, "network") || error.details.hasLeft !== true) throw error;
    // Only the server type remains unknown: another read tests the credentials.
    context.notices.warn(`${error.marked}; grantctl did not detect the server type`);
    return { server: typed, facts: null };
  }
}

const enterprisePrefix = "/api/v3";

/**
 * Checks that a server supports this type of login. Throws a usage failure for an account login if the server has no
 * account operations, and an authentication failure if it accepts no passwords.
 */
export function checkLoginSupport(
  typed: ServerAccess,
  facts: ServerFacts | null,
  kind: SecretKind,
  context: Context,
): FoundServer {
  const origin = typed.origin();
  if (facts === null) return { server: typed, serverType: context.options.serverType ?? null };
  const serverType = chooseServerType(serverName(facts.version), context);
  if (kind === "password" && serverType.supportsMeta) {
    if (facts.version === null) throw noAccounts(origin);
    if (!facts.acceptsPasswords)
      throw new Failure(
        "authentication",
        `${origin.href} does not accept passwords: it authenticates accounts with SAML, CAS or LDAP`,
        { hint: "Run `grantctl auth login --app` or `grantctl auth login --with-token` instead." },
      );
  }
  const isAsTyped = serverType.name === context.serverType.name;
  return {
    server: isAsTyped ? typed : context.serverAt(origin.href, serverType),
    serverType: serverType.name,
  };
}

/** The server type from the flag or environment variable, otherwise GitHub's. Prints a note about it. */
function chooseServerType(server: string, { serverType, settings, notices }: Context): ServerType {
  const source = settings.serverType?.source;
  const isChosen = source === "flag" || source === "environment";
  if (!isChosen) {
    notices.note(`this is ${server}: the server type is github`);
    return github;
  }
  if (serverType.name !== github.name) {
    notices.warn(
      `this is ${server}, whose server type is github; grantctl uses ${serverType.name}, as specified`,
    );
  }
  return serverType;
}

/** Rejects github.com, which is the web site: its API has a different URL. */
function refuseSite({ root }: Origin): void {
  const { hostname } = new URL(root);
  if (hostname !== "github.com" && hostname !== "www.github.com") return;
  throw usageFailure(
    `${hostname} is the website; its API is at https://api.github.com, where grantctl supports only applications`,
    "Run `grantctl auth login --app --server-type github --base-url https://api.github.com`. An account's grants are at https://github.com/settings/applications.",
  );
}

/** Adds to the failure of a rejected login that nothing was stored. Returns any other error unchanged. */
export function refusedLogin(error: unknown, kind: SecretKind): unknown {
  const rejection = rejectionOf(error, kind);
  if (rejection === null || !isFailure(error)) return error;
  return error.with(
    { hint: "Nothing was stored. Check the credentials and the path of the URL, and log in again." },
    rejection,
  );
}

/** The message if the server rejected the credentials of a login; null for any other error. */
export function rejectionOf(error: unknown, kind: SecretKind): string | null {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return null;
  return error.kind === "not-found"
    ? `${wrongCredentials[kind]}, or this server does not have the API`
    : error.marked;
}

/** The meaning of "not found" at a login. The server does not report which part of the credentials is wrong. */
const wrongCredentials: Readonly<Record<SecretKind, string>> = {
  password: "the user name or the password is wrong",
  "client-secret": "the client ID, the client secret or the token is wrong",
  token: "the token is wrong",
};

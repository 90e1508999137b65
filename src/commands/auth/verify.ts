// What `auth login` and `doctor` ask a server: whether it is the API and of which type, and whether it accepts a secret.
//
//   findServer          GET /meta, which only GitHub answers, for a host without a path also below /api/v3; at an OAuth
//                       2.0 server the metadata. Sends no credentials, and says what it changed
//   checkIsApi          a list of grants without credentials: an error of the API is an answer, too
//   verifyPassword      lists grants
//   verifyToken         reads the token's user
//   verifyApplication   checks an active token; at an OAuth 2.0 server, introspects a made-up token, then the active one
import { randomBytes } from "node:crypto";
import { isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { fetchServerFacts, type ServerFacts } from "../../api/meta.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { toBaseUrl } from "../../config/setting-forms.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { isWebPage } from "../../errors/not-found.ts";
import type { RawResponse } from "../../http/request.ts";
import { isObject, parseOrNull } from "../../json.ts";
import type { Context } from "../../run/context.ts";
import type { AccountService, ApplicationService, ServerAccess } from "../../run/server-access.ts";
import { noAccounts } from "../../run/server-type-hints.ts";
import { github, serverName, type ServerTypeName } from "../../server-types.ts";

export interface FoundServer {
  /** With the type that it was found to have. */
  readonly server: ServerAccess;
  /** The type to write into the profile; null to leave it as it is. */
  readonly serverType: ServerTypeName | null;
  /** True if the server has shown that it is the API. */
  readonly isKnown: boolean;
}

/** Throws a failure for a server that is not the API, or does not take this kind of login. */
export async function findServer(url: string, kind: SecretKind, context: Context): Promise<FoundServer> {
  const server = context.serverAt(url);
  if (context.serverType.publishesMetadata) return findAuthorizationServer(server, context);
  const { href, prefix } = server.origin();
  const places = new Set([href, toBaseUrl(href, github), ...(prefix === "" ? [`${href}/api/v3`] : [])]);
  for (const place of places) {
    const facts = await fetchServerFacts(await context.serverAt(place).tokenService(null));
    if (facts === null) continue;
    if (place !== href) context.notices.note(`the API is at ${place}`);
    return findGithub(place, facts, kind, context);
  }
  return { server, serverType: context.options.serverType ?? null, isKnown: false };
}

function findGithub(url: string, facts: ServerFacts, kind: SecretKind, context: Context): FoundServer {
  const { notices, settings } = context;
  const isChosen = ["flag", "environment"].includes(settings.serverType?.source ?? "");
  const serverType = isChosen ? context.serverType : github;
  const server = context.serverAt(url, serverType);
  const name = serverName(facts.version);
  if (!isChosen) notices.note(`this is ${name}: the server type is github`);
  else if (!serverType.isGithub)
    notices.warn(`this is ${name}, but you chose the server type ${serverType.name}`);
  if (kind === "password" && serverType.isGithub) {
    if (facts.version === null) throw noAccounts(server.origin());
    if (!facts.acceptsPasswords)
      throw new Failure("authentication", `${url} ${acceptsNoPasswords}`, { hint: insteadOfPasswords });
  }
  return { server, serverType: serverType.name, isKnown: true };
}

export const acceptsNoPasswords =
  "does not accept passwords: it authenticates accounts with SAML, CAS or LDAP";
export const insteadOfPasswords =
  "Run `grantctl auth login --app` or `grantctl auth login --with-token` instead.";

async function findAuthorizationServer(server: ServerAccess, context: Context): Promise<FoundServer> {
  const { settings, serverType, notices } = context;
  const hasPath = settings.introspectionPath !== undefined;
  const found = { server, serverType: serverType.name };
  let why = "";
  try {
    if (hasEndpoint(await server.metadata())) return { ...found, isKnown: true };
  } catch (error) {
    if (!isUnusableMetadata(error)) throw error;
    if (hasPath) notices.warn(`${error.message}; grantctl uses the configured paths`);
    why = ` (${error.message})`;
  }
  // Introspection at the configured path can still show what this is.
  if (hasPath) return { ...found, isKnown: false };
  throw new Failure(
    "protocol",
    `${server.origin().href} publishes no metadata with an endpoint for tokens${why}, so nothing was stored`,
    { hint: "Set --base-url to the issuer, including its path, such as that of a realm or tenant." },
  );
}

function hasEndpoint(metadata: ServerMetadata): boolean {
  return Object.values(metadata.endpoints).some((url) => url !== null);
}

/** Throws a failure that says what was found, unless the server answers a request without credentials as the API does. */
export async function checkIsApi(server: ServerAccess): Promise<void> {
  const response = await server.connections.sendProbe();
  const { href } = server.origin();
  if (response.status >= 500)
    throw new Failure("network", `${href} is unavailable (status ${response.status}), so nothing was stored`);
  const sign = signOfOtherServer(response);
  if (sign === null) return;
  throw new Failure("protocol", `${href} is not the API: ${sign}. Nothing was stored`, {
    hint: (await hintAtOAuth(server)) ?? "Set --base-url to the URL of the API, including its path.",
  });
}

/** A hint for a login that another server type would take; null if this is no OAuth 2.0 server. */
export async function hintAtOAuth({ metadata, origin }: ServerAccess): Promise<string | null> {
  const isOAuth = await metadata().then(hasEndpoint, () => false);
  return isOAuth
    ? `This is an OAuth 2.0 server. Run \`grantctl auth login --app --server-type oauth --base-url ${origin().href}\`.`
    : null;
}

/** What shows that a response to the list of grants is not the API's; null for a list, and for an error in JSON. */
export function signOfOtherServer(response: RawResponse): string | null {
  const { status, body } = response;
  if (status >= 300 && status < 400) return `it redirects elsewhere (status ${status})`;
  if (isWebPage(response)) return `its answer is a web page (status ${status})`;
  const content = parseOrNull(body.toString("utf8"));
  const isOurs =
    status === 200
      ? Array.isArray(content)
      : status < 500 && isObject(content) && typeof content["message"] === "string";
  return isOurs ? null : `its answer is neither a list nor an error of the API (status ${status})`;
}

export async function verifyPassword({ service }: AccountService): Promise<void> {
  const { listGrants } = await import("../../api/grants.ts");
  await listGrants(service, { limit: 1, perPage: 1, concurrency: 1 }).next();
}

/** The user name of the token's owner. */
export async function verifyToken(server: ServerAccess, token: string): Promise<string> {
  const { getUsername } = await import("../../api/inspection.ts");
  const name = await getUsername(await server.tokenService(token));
  // Basic credentials, and so a profile, cannot hold it (RFC 7617, section 2).
  if (/[:\p{Cc}]/u.test(name))
    throw new Failure("protocol", `the server returned ${name}, which cannot be a user name`);
  return name;
}

interface VerifiedApplication {
  /** How the server accepted the client secret; null if it cannot be tested. */
  readonly means: string | null;
  /** Why an OAuth 2.0 server does not let the client introspect, or does not show it its active token. */
  readonly refusal: Failure | null;
}

/** Throws the failure of the request if the server rejects the credentials, or does not find the active token. */
export async function verifyApplication(
  { service, clientId }: ApplicationService,
  activeToken: string | null,
): Promise<VerifiedApplication> {
  const untested = { means: null, refusal: null };
  if (!service.serverType.publishesMetadata) {
    if (activeToken === null) return untested;
    const { checkToken } = await import("../../api/tokens.ts");
    await checkToken(service, clientId, activeToken);
    return { means: "checking an active token", refusal: null };
  }
  const { introspectToken, verifyClient } = await import("../../api/standard-tokens.ts");
  try {
    // A token that no server has issued.
    await verifyClient(service, clientId, `grantctl-${randomBytes(24).toString("base64url")}`);
  } catch (error) {
    if (!isFailure(error, "usage", "not-found", "refused", "protocol", "rate-limited")) throw error;
    // Throws if this client cannot revoke tokens either.
    if (error.kind === "usage") await service.endpoints?.pathOf("revocation");
    return { means: null, refusal: error };
  }
  try {
    if (activeToken !== null) await introspectToken(service, clientId, activeToken);
    return { means: "introspection", refusal: null };
  } catch (error) {
    if (!isFailure(error, "not-found", "refused", "incomplete")) throw error;
    return { means: "introspection", refusal: error };
  }
}

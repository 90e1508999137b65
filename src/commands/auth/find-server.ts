// The server of a login: whether it is the API at all, and of which type. Sends no credentials, and says what it changed.
//
//   OAuth 2.0   the metadata, with an endpoint, unless the paths are configured
//   others      GET /meta, which only GitHub answers; for a host without a path also below /api/v3
//
// If neither shows the API, the credentials' own request does, or an answer to the list of grants without credentials.
import { isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { fetchServerFacts, type ServerFacts } from "../../api/meta.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { toBaseUrl } from "../../config/setting-forms.ts";
import { Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { isWebPage } from "../../errors/not-found.ts";
import type { RawResponse } from "../../http/request.ts";
import { isObject, parseOrNull } from "../../json/exact-json.ts";
import type { Context } from "../../run/context.ts";
import type { ServerAccess } from "../../run/server-access.ts";
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
  const { serverType, options } = context;
  const server = context.serverAt(url);
  const { href, prefix } = server.origin();
  if (serverType.publishesMetadata) return findAuthorizationServer(server, context);
  const places = new Set([href, toBaseUrl(href, github), ...(prefix === "" ? [`${href}/api/v3`] : [])]);
  for (const place of places) {
    const facts = await fetchServerFacts(await context.serverAt(place).tokenService(null));
    if (facts === null) continue;
    if (place !== href) context.notices.note(`the API is at ${place}`);
    return githubServer(place, facts, kind, context);
  }
  return { server, serverType: options.serverType ?? null, isKnown: false };
}

function githubServer(url: string, facts: ServerFacts, kind: SecretKind, context: Context): FoundServer {
  const { notices, settings } = context;
  const name = serverName(facts.version);
  const source = settings.serverType?.source;
  const isChosen = source === "flag" || source === "environment";
  const serverType = isChosen ? context.serverType : github;
  const server = context.serverAt(url, serverType);
  if (!isChosen) notices.note(`this is ${name}: the server type is github`);
  else if (!serverType.supportsMeta)
    notices.warn(
      `this is ${name}, whose server type is github; grantctl uses ${serverType.name}, as specified`,
    );
  if (kind === "password" && serverType.supportsMeta) {
    if (facts.version === null) throw noAccounts(server.origin());
    if (!facts.acceptsPasswords)
      throw new Failure(
        "authentication",
        `${server.origin().href} does not accept passwords: it authenticates accounts with SAML, CAS or LDAP`,
        { hint: "Run `grantctl auth login --app` or `grantctl auth login --with-token` instead." },
      );
  }
  return { server, serverType: serverType.name, isKnown: true };
}

async function findAuthorizationServer(server: ServerAccess, context: Context): Promise<FoundServer> {
  const found = { server, serverType: context.serverType.name };
  const { introspectionPath } = context.settings;
  try {
    const metadata = await server.metadata();
    if (metadata !== null) for (const line of metadataLines(metadata)) context.notices.note(line);
    if (hasEndpoint(metadata)) return { ...found, isKnown: true };
  } catch (error) {
    if (introspectionPath === undefined || !isUnusableMetadata(error)) throw error;
    context.notices.warn(`${error.marked}; grantctl uses the configured paths`);
  }
  if (introspectionPath !== undefined) return { ...found, isKnown: false };
  throw new Failure(
    "protocol",
    `${server.origin().href} publishes no metadata with an endpoint for tokens, so nothing was stored`,
    { hint: "Set --base-url to the issuer, including its path, such as that of a realm or tenant." },
  );
}

function hasEndpoint(metadata: ServerMetadata | null): boolean {
  return metadata !== null && Object.values(metadata.endpoints).some((url) => url !== null);
}

export function metadataLines({ endpoints, methods }: ServerMetadata): readonly string[] {
  return (["introspection", "revocation", "userinfo"] as const).map((name) => {
    const offered = methods[name] ?? [];
    const how = offered.length === 0 ? "" : ` (${foreign(offered.join(", "))})`;
    return `${name} endpoint: ${endpoints[name] === null ? "none" : foreign(endpoints[name])}${how}`;
  });
}

/** Throws a failure that says what was found, unless the server answers a request without credentials as the API does. */
export async function checkIsApi(server: ServerAccess): Promise<void> {
  const response = await server.connections.sendProbe(null);
  if (response.status >= 500)
    throw new Failure(
      "network",
      `${server.origin().href} is unavailable (status ${response.status}), so nothing was stored`,
    );
  const sign = signOfOtherServer(response);
  if (sign === null) return;
  throw new Failure("protocol", `${server.origin().href} is not the API: ${sign}. Nothing was stored`, {
    hint: (await hintAtOAuth(server)) ?? "Set --base-url to the URL of the API, including its path.",
  });
}

/** A hint for a login that another server type would take; null if this is no OAuth 2.0 server. */
export async function hintAtOAuth({ metadata, origin }: ServerAccess): Promise<string | null> {
  return hasEndpoint(await metadata().catch(() => null))
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

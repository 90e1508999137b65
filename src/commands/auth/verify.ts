// What `auth login` and `doctor` ask a server: whether it is the API and of which type, and whether it accepts a secret.
//
//   findServer          GET /meta, which only GitHub responds to, for a host without a path also below /api/v3; otherwise a
//                       list of grants, for which an error of the API is a response, too; at an OAuth 2.0 server the
//                       metadata. Sends no credentials, and says what it changed
//   verifyPassword      lists grants
//   verifyApplication   checks an active token; at an OAuth 2.0 server, introspects a made-up token, then the active one
//   verifyLogin         one of these, or reads a token's user
import { randomBytes } from "node:crypto";
import { endpointsIn, isWithoutMetadata } from "../../api/oauth-server.ts";
import { fetchVersion, getUsername } from "../../api/inspection.ts";
import type { SecretKind } from "../../config/stored-secrets.ts";
import { toBaseUrl } from "../../config/setting-forms.ts";
import { Failure, failureOf, isFailure, type Received } from "../../errors/errors.ts";
import { joinSentences } from "../../errors/hints.ts";
import { isoTime } from "../../errors/words.ts";
import { isItemNotFound } from "../../http/responses.ts";
import { responseTo } from "../../http/service.ts";
import { isObject, parseOrNull } from "../../json.ts";
import type { Context } from "../../command-line/command.ts";
import type { AccountService, ApplicationService, ServerAccess } from "../../run/server-access.ts";
import { noAccounts, github, serverName } from "../../server-types.ts";
import type { LoginCredentials } from "./login.ts";

interface FoundServer {
  /** With the type that it was found to have. */
  readonly server: ServerAccess;
  /** True if the server has shown that it is the API. */
  readonly isKnown: boolean;
}

/** Throws a failure for a server that is not the API, or does not take this kind of login. */
export async function findServer(
  server: ServerAccess,
  kind: SecretKind,
  context: Context,
): Promise<FoundServer> {
  if (context.serverType.isOauth) {
    const endpoints = await findEndpoints(server, context);
    const isKnown = !(endpoints instanceof Failure);
    // Introspection at the configured path can still show what this is.
    if (!isKnown) context.notices.warn(`${endpoints.message}; grantctl uses the configured paths`);
    return { server, isKnown };
  }
  const { href, prefix } = server.origin();
  const places = new Set([href, toBaseUrl(href, github), ...(prefix === "" ? [`${href}/api/v3`] : [])]);
  for (const place of places) {
    const version = await fetchVersion(await context.serverAt(place).tokenService(null));
    if (version === undefined) continue;
    if (place !== href) context.notices.note(`the API is at ${place}`);
    return findGithub(place, version, kind, context);
  }
  const response = await responseTo(await server.tokenService(null), listOfGrants);
  if (response.status >= 500)
    throw new Failure("network", `${href} is unavailable (status ${response.status}), so nothing was stored`);
  return { server, isKnown: checkIsApi(href, response) };
}

/** A request that the API responds to with and without credentials. */
export const listOfGrants = {
  method: "GET",
  template: "/applications/grants",
  subject: "the list of grants",
} as const;

/** True if this response to `listOfGrants` shows that the server is the API. Throws if it shows that it is not. */
export function checkIsApi(url: string, { status, body }: Received): boolean {
  const content = parseOrNull(body.toString("utf8"));
  const isError = status >= 400 && isObject(content) && typeof content["message"] === "string";
  const isKnown = isError || (status === 200 && Array.isArray(content));
  // A gateway in front of the API may respond in its own words to a request without credentials.
  if (!isKnown && status !== 401 && status !== 403 && status < 500) throw isNotTheApi(url);
  return isKnown;
}

function isNotTheApi(url: string): Failure {
  return new Failure("protocol", `nothing shows that ${url} is the API`, {
    hint: "Set --base-url to the URL of the API, including its path, or add --server-type oauth for an OAuth 2.0 server.",
  });
}

function findGithub(url: string, version: string | null, kind: SecretKind, context: Context): FoundServer {
  const { notices, settings } = context;
  const isChosen = ["flag", "environment"].includes(settings.serverType?.source ?? "");
  const server = context.serverAt(url, isChosen ? context.serverType : github);
  const { name, isGithub } = server.serverType;
  notices.note(
    `this is ${serverName(version)}: the server type is ${name}${isChosen ? ", as you chose" : ""}`,
  );
  if (kind === "password" && isGithub && version === null) throw noAccounts(server.origin());
  return { server, isKnown: true };
}

/** The endpoints of an OAuth 2.0 server; or why its metadata cannot be used, if endpoints are configured instead. */
export async function findEndpoints(server: ServerAccess, { settings }: Context) {
  try {
    const endpoints = endpointsIn(await server.metadata());
    if (Object.values(endpoints).some((url) => url !== null)) return endpoints;
    throw new Failure("protocol", `the metadata of ${server.origin().href} has no endpoint for tokens`, {
      hint: "Set --base-url to the issuer, including its path, such as that of a realm or tenant.",
    });
  } catch (error) {
    if (!isWithoutMetadata(error) || settings.introspectionPath === undefined) throw error;
    return error;
  }
}

/**
 * The name of the secret's owner, and when and how the server accepted the secret; null if it did not. Throws a failure if
 * the server rejects the secret, or nothing shows that it is the API.
 */
export async function verifyLogin(
  { kind, ...credentials }: LoginCredentials,
  { server, isKnown, proofToken }: FoundServer & { readonly proofToken: string | null },
  context: Context,
): Promise<{ readonly name: string; readonly verified: string | null }> {
  const now = isoTime(context.host.now());
  try {
    if (kind === "password") {
      await verifyPassword(await server.accountServiceOf(credentials));
      return { name: credentials.name, verified: `${now}, by listing grants` };
    }
    if (kind === "token") {
      const owner = await getUsername(await server.tokenService(credentials.secret));
      return { name: owner, verified: `${now}, by reading its user` };
    }
    const application = await server.applicationServiceOf(credentials);
    const { means, refusal } = await verifyApplication(application, proofToken);
    if (!isKnown && means === null) throw refusal ?? isNotTheApi(server.origin().href);
    if (refusal !== null)
      context.notices.warn(
        `${means === null ? "" : "the server accepts the credentials, but: "}${joinSentences([`${refusal.message}.`, refusal.details.hint])}`,
      );
    return { name: credentials.name, verified: means === null ? null : `${now}, by ${means}` };
  } catch (error) {
    if (!isFailure(error, "authentication", "not-found", "protocol") || server.serverType.isOauth)
      throw error;
    throw error.with({
      hint: "Nothing was stored. Check the credentials and the path of the URL, and log in again.",
    });
  }
}

export async function verifyPassword({ service }: AccountService): Promise<void> {
  const { listGrants } = await import("../../api/grants.ts");
  await listGrants(service, { limit: 1, concurrency: 1, query: { per_page: "1" } }).next();
}

/**
 * `means`: how the server accepted the client secret; null if that cannot be tested. `refusal`: why an OAuth 2.0 server does
 * not let the client introspect, or does not show it its active token. Throws the failure of the request if the server
 * rejects the credentials, or does not find the active token.
 */
export async function verifyApplication(
  { service, clientId }: ApplicationService,
  activeToken: string | null,
): Promise<{ readonly means: string | null; readonly refusal: Failure | null }> {
  let means: string | null = null;
  if (!service.serverType.isOauth) {
    if (activeToken === null) return { means, refusal: null };
    const { checkToken } = await import("../../api/tokens.ts");
    await checkToken(service, clientId, activeToken).catch((error: unknown) => {
      if (!isFailure(error, "not-found")) throw error;
      const message = "the proof token is not active, or the credentials are wrong";
      throw new Failure("authentication", message, error.details);
    });
    return { means: "checking an active token", refusal: null };
  }
  const { introspectToken } = await import("../../api/oauth-tokens.ts");
  try {
    // Only the right credentials are told that a token which no server has issued is inactive.
    const madeUp = introspectToken(service, clientId, `grantctl-${randomBytes(24).toString("base64url")}`);
    const failure = await failureOf(madeUp);
    if (failure === null) throw new Failure("protocol", "the server reports even a made-up token as active");
    if (!isItemNotFound(failure)) throw failure;
    means = "introspection";
    if (activeToken !== null) await introspectToken(service, clientId, activeToken);
    return { means, refusal: null };
  } catch (error) {
    if (!isFailure(error, "usage", "not-found", "refused", "protocol", "rate-limited", "incomplete"))
      throw error;
    // Throws if this client cannot revoke tokens either.
    if (error.kind === "usage") await service.endpoints?.pathOf("revocation");
    // A login has no items that could be unproven.
    const refusal =
      error.kind === "incomplete" ? new Failure("refused", error.message, error.details) : error;
    return { means, refusal };
  }
}

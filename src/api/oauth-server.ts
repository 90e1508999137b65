// The metadata of an OAuth 2.0 server (its endpoints, and how clients authenticate), and requests to those endpoints.
//
// RFC 8414 inserts the well-known path before the issuer's path, OpenID Connect Discovery appends it. Whatever is not a
// document of the configured issuer at one place is not the place: servers respond there with anything. The document is
// requested once per run, without credentials. An endpoint counts if it is on the issuer's origin, and only its path and
// query are used.
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { isSameUrl, parseUrl, type Origin } from "../http/urls.ts";
import type { EndpointName } from "../http/request.ts";
import { sendForJson, type Call, type Service } from "../http/service.ts";
import { isObject, objectIn, textOf } from "../json.ts";

/** The document, with the issuer that was asked for. */
export type ServerMetadata = Readonly<Record<string, unknown>>;

/** The URL of each endpoint, unchanged; null if the server names none. */
export function endpointsIn(metadata: ServerMetadata): Readonly<Record<EndpointName, string | null>> {
  const urlOf = (name: EndpointName): string | null => textOf(metadata[`${name}_endpoint`]);
  return {
    introspection: urlOf("introspection"),
    revocation: urlOf("revocation"),
    userinfo: urlOf("userinfo"),
  };
}

/** How clients authenticate at an endpoint, by default as at the token endpoint; null if the server does not say. */
export function offeredMethods(
  metadata: ServerMetadata,
  name: EndpointName | "token",
): readonly string[] | null {
  const methods = metadata[`${name}_endpoint_auth_methods_supported`];
  if (Array.isArray(methods)) return methods.filter((method) => typeof method === "string");
  return name === "token" ? null : offeredMethods(metadata, "token");
}

/**
 * Reads the metadata. Throws a failure that names both places: a network failure if the server fails at one of them with a
 * 5xx, otherwise a protocol failure. `service` must have no credentials.
 */
export async function readMetadata(service: Service, origin: Origin): Promise<ServerMetadata> {
  // The URL of the document itself is as good as the issuer's.
  const path = origin.prefix.replace(
    /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/,
    "",
  );
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  const found: string[] = [];
  let worst = 0;
  for (const target of places) {
    try {
      return await readDocument(service, target, `${origin.root}${path}`);
    } catch (error) {
      if (!isFailure(error) || error.kind === "network" || error.kind === "rate-limited") throw error;
      const { status = 0, cause } = error.details;
      const problem = cause instanceof TypeError ? cause.message : "not JSON";
      found.push(`${origin.root}${target} (${status === 0 ? problem : `status ${status}`})`);
      worst = Math.max(worst, status);
    }
  }
  if (worst >= 500)
    throw new Failure("network", `the server's metadata is unavailable: ${found.join(", ")}`, {
      status: worst,
    });
  throw new Failure("protocol", `the server publishes no metadata at ${found.join(" or ")}`, {
    hint: "Set --base-url to the issuer, with its path, or introspection_path and revocation_path to the paths of the endpoints.",
  });
}

function readDocument(service: Service, target: string, issuer: string): Promise<ServerMetadata> {
  const call = { method: "GET", template: target, target, subject: "the server's metadata" } as const;
  return sendForJson(service, call, (body) => {
    if (!isObject(body)) throw new TypeError("not an object");
    const { issuer: named } = body;
    if (typeof named !== "string") throw new TypeError("no issuer");
    if (!isSameUrl(named, issuer)) throw new TypeError(`another issuer, ${named}`);
    return body;
  });
}

/** True if a server responds without metadata, so that paths set by hand must do. */
export function isWithoutMetadata(error: unknown): error is Failure {
  return isFailure(error, "protocol") || (isFailure(error, "network") && error.details.status !== undefined);
}

/** The path and query of an endpoint; null if the metadata does not name it. Throws a usage failure for another origin. */
export function endpointPath(metadata: ServerMetadata, name: EndpointName, { root }: Origin): string | null {
  const written = endpointsIn(metadata)[name];
  if (written === null) return null;
  const url = parseUrl(written);
  if (url?.origin === root) return url.pathname + url.search;
  throw usageFailure(
    `the server's metadata puts its ${name} endpoint at ${written}, but grantctl sends requests only to ${root}`,
    `If you trust that server, run \`grantctl config set ${name}_path URL\` with this URL.`,
  );
}

export function formCall(
  endpoint: EndpointName,
  subject: string,
  target: string,
  form: Readonly<Record<string, string>>,
): Call {
  return { method: "POST", template: stripQuery(target), target, form, subject, endpoint };
}

export function stripQuery(target: string): string {
  return target.replace(/\?.*$/s, "");
}

/**
 * The failure of a request to an endpoint. A 404 is about the endpoint and says nothing about the token; wrong client
 * credentials may be a 400, too.
 */
export function endpointFailure(error: unknown, name: EndpointName, { endpoints }: Service): Failure {
  if (!isFailure(error)) throw error;
  const { details, kind } = error;
  if (kind === "not-found" && details.status === 404) {
    const message = `the server has nothing at the path of its ${name} endpoint (status 404)`;
    return new Failure("protocol", message, {
      ...details,
      hint: `Set ${name}_path to the path of the endpoint.`,
    });
  }
  const isClient =
    kind === "refused" &&
    details.status === 400 &&
    objectIn(details.received?.body)["error"] === "invalid_client";
  if (name !== "userinfo" && (isClient || (kind === "authentication" && details.status === 401)))
    return new Failure("authentication", error.message, { ...details, hint: endpoints?.clientHint?.(name) });
  return error;
}

// The metadata of an OAuth 2.0 server: its endpoints and client authentication methods. RFC 8414 inserts the well-known
// path before the issuer's path, OpenID Connect Discovery appends it; both are in use.
//
// The document is requested once per run, without credentials, and must name the configured issuer. Endpoints must be
// on the issuer's origin, and only their path and query are used. For servers without metadata, or with endpoints on
// another host, the paths must be configured.
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import type { Origin } from "../http/origin.ts";
import type { EndpointName } from "../http/request.ts";
import { readResponse, type Call, type Service } from "../http/service.ts";
import { isObject } from "../json/exact-json.ts";
import { parseUrl } from "../parse-url.ts";

export interface ServerMetadata {
  /** The URL of each endpoint, unchanged; null if the server names none. */
  readonly endpoints: Readonly<Record<EndpointName, string | null>>;
  /** The authentication methods for clients at each endpoint; null if the server names none. */
  readonly methods: Readonly<Record<EndpointName, readonly string[] | null>>;
}

/** True for the failure of metadata that a server sends wrongly or not at all: paths set by hand can do without it. */
export function isUnusableMetadata(error: unknown): error is Failure {
  return isFailure(error, "protocol", "refused", "authentication");
}

/** More than any server publishes. */
const mostBytes = 256 * 1024;

/**
 * Reads the metadata; null if the server has none. Throws a protocol failure if the document is invalid, too large, or
 * for another issuer. `service` must have no credentials.
 */
export async function readMetadata(service: Service, origin: Origin): Promise<ServerMetadata | null> {
  const wellKnown = "/.well-known/oauth-authorization-server";
  const openid = "/.well-known/openid-configuration";
  return (
    (await readDocument(service, origin, { template: wellKnown, target: wellKnown + origin.prefix })) ??
    (await readDocument(service, origin, { template: openid, target: origin.prefix + openid }))
  );
}

async function readDocument(
  service: Service,
  { href }: Origin,
  place: Pick<Call, "template" | "target">,
): Promise<ServerMetadata | null> {
  const subject = "the server's metadata";
  try {
    const exchange = await service.exchange({ method: "GET", subject, ...place });
    const { issuer, metadata } = readResponse(exchange, [200], (body) => {
      if (exchange.response.body.length > mostBytes) throw new TypeError("it is too large");
      return readFields(body);
    });
    // Base URLs have no trailing slash, so ignore one in the issuer.
    if (issuer.replace(/\/$/, "") === href) return metadata;
    throw new Failure("protocol", `${subject} names another issuer, ${issuer}, so grantctl does not use it`, {
      hint: "If that is the right server, set --base-url to its issuer.",
    });
  } catch (error) {
    if (isFailure(error, "not-found") && error.details.status === 404) return null;
    throw error;
  }
}

function readFields(body: unknown): { readonly issuer: string; readonly metadata: ServerMetadata } {
  if (!isObject(body)) throw new TypeError("it is not an object");
  const { issuer } = body;
  if (typeof issuer !== "string") throw new TypeError("issuer is not a string");
  const urlOf = (name: EndpointName): string | null => {
    const url = body[`${name}_endpoint`] ?? null;
    if (url === null || typeof url === "string") return url;
    throw new TypeError(`${name}_endpoint is not a string`);
  };
  const methodsOf = (name: EndpointName): readonly string[] | null => {
    const methods = body[`${name}_endpoint_auth_methods_supported`];
    return Array.isArray(methods) ? methods.filter((method) => typeof method === "string") : null;
  };
  return { issuer, metadata: { endpoints: mapEndpoints(urlOf), methods: mapEndpoints(methodsOf) } };
}

function mapEndpoints<T>(valueOf: (name: EndpointName) => T): Record<EndpointName, T> {
  return {
    introspection: valueOf("introspection"),
    revocation: valueOf("revocation"),
    userinfo: valueOf("userinfo"),
  };
}

/**
 * The path and query of an endpoint; null if the metadata does not name it. Throws a usage failure for a URL on another
 * origin, or with credentials, a fragment or dot segments.
 */
export function endpointPath(
  { endpoints }: ServerMetadata,
  name: EndpointName,
  { root }: Origin,
): string | null {
  const written = endpoints[name];
  if (written === null) return null;
  const url = parseUrl(written);
  const isPlain =
    url !== null &&
    url.origin === root &&
    url.username === "" &&
    url.password === "" &&
    !written.includes("#") &&
    // The parser drops tabs and line breaks, and resolves dot segments and backslashes.
    /^[\x21-\x5b\x5d-\x7e]+$/.test(written) &&
    !/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(written);
  if (isPlain) return url.pathname + url.search;
  throw usageFailure(
    `the server's metadata puts its ${name} endpoint at ${written}, but grantctl sends requests only to ${root}`,
    name === "userinfo"
      ? hints.tokenCheck
      : `If you trust that server, set --base-url to it, and ${name}_path to the path of the endpoint.`,
  );
}

export type ClientAuth = "basic" | "post";

const authOf: ReadonlyMap<string, ClientAuth> = new Map([
  ["client_secret_basic", "basic"],
  ["client_secret_post", "post"],
]);

/**
 * The authentication method of the client at an endpoint: `basic`, which is the default (RFC 8414, 2), or `post` if the
 * endpoint offers only that. Throws a usage failure for an endpoint that offers neither.
 */
export function offeredAuth({ methods }: ServerMetadata, name: EndpointName): ClientAuth {
  const offered = methods[name];
  if (offered === null) return "basic";
  const known = offered.map((method) => authOf.get(method));
  for (const auth of ["basic", "post"] as const) if (known.includes(auth)) return auth;
  throw usageFailure(
    `the server's ${name} endpoint offers no client authentication that grantctl supports (${[...new Set(offered)].join(", ")})`,
    "grantctl supports client_secret_basic and client_secret_post. To try one of them, run `grantctl config set client_auth METHOD` with basic or post.",
  );
}

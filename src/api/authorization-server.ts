// The metadata of an OAuth 2.0 server: where its endpoints are and how clients authenticate there. RFC 8414 puts the
// document between host and path of the issuer, OpenID Connect Discovery behind the path; both are in use. It is
// requested without credentials, once per run, and never followed anywhere: the document must be of the configured issuer,
// and of an endpoint only path and query are used, and only if it is on the issuer's own origin. Servers without metadata,
// or with endpoints on another host, need the paths by hand.
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { hints } from "../errors/hints.ts";
import type { Origin } from "../http/origin.ts";
import type { EndpointName } from "../http/request.ts";
import { readResponse, type Call, type Service } from "../http/service.ts";
import { isObject } from "../json/exact-json.ts";
import { parseUrl } from "../parse-url.ts";

export interface ServerMetadata {
  /** The URL of each endpoint, as the server writes it; null for none. */
  readonly endpoints: Readonly<Record<EndpointName, string | null>>;
  /** The authentication methods for clients at each endpoint; null if the server names none. */
  readonly methods: Readonly<Record<EndpointName, readonly string[] | null>>;
}

/** True for the failure of metadata that a server sends wrongly or not at all: paths set by hand can do without it. */
export function isUnusable(error: unknown): error is Failure {
  return isFailure(error, "protocol", "refused", "authentication");
}

/** More than any server publishes. */
const mostBytes = 256 * 1024;

/**
 * The metadata; null for a server without any. Throws a protocol failure for a document that is broken, too large, or of
 * another issuer. `service` must have no credentials.
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
    // One slash at the end is no difference, because base URLs have none.
    if (issuer.replace(/\/$/, "") === href) return metadata;
    throw new Failure(
      "protocol",
      `${subject} is for another issuer, ${foreign(issuer)}, so grantctl does not use it`,
      { hint: "If that is the right server, set --base-url to its issuer." },
    );
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
  return { issuer, metadata: { endpoints: all(urlOf), methods: all(methodsOf) } };
}

function all<T>(valueOf: (name: EndpointName) => T): Record<EndpointName, T> {
  return {
    introspection: valueOf("introspection"),
    revocation: valueOf("revocation"),
    userinfo: valueOf("userinfo"),
  };
}

/**
 * The path and query of an endpoint in the metadata; null for none. Throws a usage failure for an endpoint on another
 * origin, or with an address that cannot be used.
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
    `the server's metadata has its ${name} endpoint at ${foreign(written)}, and grantctl sends requests only to ${root}`,
    name === "userinfo"
      ? hints.tokenCheck
      : `If you trust that server, set --base-url to it, and --${name}-path to the path of the endpoint.`,
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
    `the server's ${name} endpoint offers no client authentication that grantctl supports (${foreign([...new Set(offered)].join(", "))})`,
    "grantctl supports client_secret_basic and client_secret_post. To try one of them, set --client-auth.",
  );
}

// The configured origin of a run, the proxy in front of it, and the parser of all URLs. Builds targets from the base URL and
// a path template; OAuth 2.0 endpoints and further pages of `grantctl api` bring targets of their own.
import { usageFailure } from "../errors/errors.ts";

/** The configured `{base_url}`: scheme, host and port, and the path prefix in front of every operation. */
export interface Origin {
  /** `https://host:port`, without a path. */
  readonly root: string;
  /** Empty, or begins with a slash and does not end with one. */
  readonly prefix: string;
  /** Root and prefix, for messages. */
  readonly href: string;
}

/** The request target and its template. Only the template may be shown, because the path may contain a token. */
export interface Target {
  readonly path: string;
  readonly template: string;
  /** Another origin, of an endpoint that the user has configured. */
  readonly root?: string;
}

/** Not `\p{Cc}`, which V8 would take milliseconds to build when it loads the file. */
export const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** True for an http or https URL of scheme, host, port and path alone. */
export function isBaseUrl(text: string): boolean {
  const url = parseUrl(text);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) && !controlCharacter.test(text);
}

/**
 * Splits a base URL, whose form the settings have checked. Throws a usage failure for plain http to a host that is not
 * loopback, unless `allowHttp` is set.
 */
export function parseOrigin(baseUrl: string, allowHttp: boolean): Origin {
  const url = new URL(baseUrl);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    throw usageFailure(
      `http would send the credentials unencrypted to ${url.host}`,
      "Use an https URL, or set GRANTCTL_ALLOW_HTTP=1 if you trust the network.",
    );
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  return { root: url.origin, prefix, href: `${url.origin}${prefix}` };
}

/** True if a host name is this machine's own: localhost, 127.0.0.0/8 or ::1 (RFC 6761, RFC 1122). */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

export type Proxy = NonNullable<ReturnType<typeof proxyFor>>;

/**
 * The proxy for an origin such as `https://host:port`, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY; null for none. Lower-case
 * names take precedence, as with curl. This machine is never reached through a proxy: plain http is allowed to it because
 * it does not leave the machine, and a proxy would connect to its own loopback. Throws a usage failure for an invalid URL,
 * without repeating it.
 */
export function proxyFor(root: string, environment: Readonly<Record<string, string>>) {
  const { protocol, hostname } = new URL(root);
  const read = (name: string): string =>
    environment[name.toLowerCase()]?.trim() || environment[name]?.trim() || "";
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = read(variable);
  if (value === "" || isLoopback(hostname)) return null;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
    const name = decodeURIComponent(url.username);
    const secret = decodeURIComponent(url.password);
    const credentials = name === "" && secret === "" ? null : { name, secret };
    // A password with an unescaped slash, question mark or number sign would otherwise become a host with a path.
    if (/^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/")
      return {
        /** `http://host:port`, without credentials, so it may be shown. */
        url: url.origin,
        credentials,
        /** The hosts that are reached without it. */
        exempt: read("NO_PROXY"),
        hint: `Check ${variable}=http://USER:PASSWORD@HOST:PORT, or set NO_PROXY=${hostname} to connect without the proxy.`,
      };
  } catch {
    // Neither a URL nor percent-encoded.
  }
  throw usageFailure(
    `${variable} is not the URL of a proxy: a scheme (http or https), percent-encoded credentials, a host and a port`,
    `Set ${variable} to a URL such as http://proxy.example.com:3128, or unset it.`,
  );
}

/**
 * Fills in a template such as `/applications/:client_id/tokens/:access_token` and prepends the prefix. Throws a usage
 * failure for a segment that a URL parser would drop (empty, `.`, `..`), or that cannot be sent (with control
 * characters or lone surrogates).
 */
export function buildTarget(
  origin: Origin,
  template: string,
  parameters: Readonly<Record<string, string>> = {},
  query?: Readonly<Record<string, string>>,
): Target {
  const path = template.replaceAll(/:([a-z_]+)/g, (_, name: string) =>
    encodeSegment(name, parameters[name] ?? ""),
  );
  const search = String(new URLSearchParams(query));
  return { path: `${origin.prefix}${path}${search === "" ? "" : `?${search}`}`, template };
}

/**
 * The target for a path from the user, or for a URL below the base URL, as a URL parser reads it. Throws a usage failure
 * for any other URL.
 */
export function buildPathTarget(
  origin: Origin,
  written: string,
  query: readonly (readonly [name: string, value: string])[],
): Target {
  const isUrl = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(written);
  // GitHub Enterprise Server has GraphQL beside its REST API, at /api/graphql.
  const isGraphql = /^\/?graphql$/.test(written);
  const prefix = isGraphql ? origin.prefix.replace(/\/api\/v3$/, "/api") : origin.prefix;
  const url = parseUrl(isUrl ? written : `${origin.root}${prefix}/${written.replace(/^\/+/, "")}`);
  if (url?.origin !== origin.root || !`${url.pathname}/`.startsWith(`${prefix}/`)) {
    throw usageFailure(
      `requests go only to ${origin.href}`,
      "Use a path such as /user, and set the server with --base-url.",
    );
  }
  const parts = [url.search.slice(1), String(new URLSearchParams(query.map(([...pair]) => pair)))];
  const search = parts.filter((part) => part !== "").join("&");
  const template = url.pathname
    .slice(prefix.length)
    .split("/")
    .map((segment, at, all) => (longWord.test(segment) || all[at - 1] === "tokens" ? ":value" : segment))
    .join("/");
  return { path: `${url.pathname}${search === "" ? "" : `?${search}`}`, template };
}

/** A segment that may be a token, which messages must not show. */
const longWord = /[A-Za-z0-9_-]{20,}/;

function encodeSegment(name: string, value: string): string {
  const label = name.replaceAll("_", " ");
  if (value === "") throw usageFailure(`the ${label} is empty`);
  // The value may be a token, so no message repeats it.
  if (/^\.{1,2}$|[\ud800-\udfff]/u.test(value) || controlCharacter.test(value))
    throw usageFailure(`the ${label} is a dot segment, or contains a control character`);
  return encodeURIComponent(value);
}

/**
 * Parses a URL, relative to `base` if given; null if it is invalid. Does not use `URL.canParse`: on Node 20 and 22, it
 * rejects every non-ASCII text once V8 has optimised its caller (nodejs/node, fast calls).
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Default ports and slashes at the end do not count. */
export function isSameUrl(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parseUrl(text)?.href.replace(/\/+$/, "") ?? text);
  return first === second;
}

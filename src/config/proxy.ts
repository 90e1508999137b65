// Selects the proxy from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Lower-case names take precedence, as with curl. Messages
// show the scheme, host and port of a proxy, never its credentials.
import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { usageFailure } from "../errors/errors.ts";
import { parseUrl } from "../parse-url.ts";

export interface Proxy {
  /** `http://host:port`, without credentials, so it may be shown. */
  readonly url: string;
  /** The variable that sets it, in the case used in the environment. */
  readonly variable: string;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Loopback hosts, which plain http never reaches through a proxy. It is allowed without a warning only because it does
 * not leave this machine, and a proxy would connect to its own loopback.
 */
const plainHttpStaysHere = "localhost,127.0.0.0/8,[::1]";

/**
 * The proxy for an origin such as `https://host:port`, or null. An empty variable counts as unset. Throws a usage
 * failure for an invalid proxy URL, without repeating it.
 */
export function proxyFor(root: string, environment: Environment): Proxy | null {
  const found = findProxy(root, environment);
  return found === null ? null : { url: found.url.origin, variable: found.variable };
}

/** The percent-decoded credentials in the proxy's URL; null if it has none. Throws as proxyFor does. */
export function proxyCredentialsFor(root: string, environment: Environment) {
  const found = findProxy(root, environment);
  if (found === null || (found.url.username === "" && found.url.password === "")) return null;
  const { url, variable } = found;
  const username = decodeUserInfo(url.username, variable);
  const password = decodeUserInfo(url.password, variable);
  if (username.includes(":")) throw proxyFailure(variable, "has a colon in its user name");
  return { username, password };
}

function findProxy(root: string, environment: Environment) {
  const { protocol, hostname, port } = new URL(root);
  const isTls = protocol === "https:";
  const named = readVariable(environment, isTls ? "https_proxy" : "http_proxy");
  if (named === null) return null;
  const place = { host: bareHost(hostname), port: port === "" ? (isTls ? "443" : "80") : port };
  const exempt = readVariable(environment, "no_proxy")?.value ?? "";
  if (isExempt(place, exempt) || (!isTls && isExempt(place, plainHttpStaysHere))) return null;
  return { url: parseProxy(named.value, named.variable), variable: named.variable };
}

function readVariable(environment: Environment, name: string) {
  for (const variable of [name, name.toUpperCase()]) {
    const value = environment[variable]?.trim() ?? "";
    if (value !== "") return { value, variable };
  }
  return null;
}

function parseProxy(value: string, variable: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (/^socks/i.test(text)) {
    throw proxyFailure(variable, "is a SOCKS proxy, which grantctl does not support");
  }
  const url = parseUrl(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw proxyFailure(variable, "is not an http or https URL");
  }
  // A password with an unescaped slash, question mark or number sign would otherwise become a host with a path.
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw proxyFailure(variable, "contains more than a scheme, credentials, a host and a port");
  }
  return url;
}

function decodeUserInfo(text: string, variable: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw proxyFailure(variable, "has credentials that are not percent-encoded");
  }
  if (/[\u0000-\u001f\u007f]/.test(decoded)) {
    throw proxyFailure(variable, "has a control character in its credentials");
  }
  return decoded;
}

function proxyFailure(variable: string, problem: string): Error {
  return usageFailure(
    `the proxy URL in ${variable} ${problem}`,
    `Set ${variable} to a URL such as http://proxy.example.com:3128, or unset it.`,
  );
}

interface HostAndPort {
  /** In lower case, without brackets and without a trailing dot. */
  readonly host: string;
  readonly port: string;
}

/**
 * True if NO_PROXY exempts a host and port. Its entries are separated by commas or spaces: `*`, a host or domain (which
 * includes subdomains; a leading dot is optional), an IP address, or a network such as `10.0.0.0/8`. Hosts and
 * addresses may have a `:port`.
 */
function isExempt(target: HostAndPort, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => entry !== "" && matchesEntry(target, entry));
}

function matchesEntry({ host, port }: HostAndPort, entry: string): boolean {
  if (entry === "*") return true;
  const network = /^\[?([^\]/]+)\]?\/(\d{1,3})$/.exec(entry);
  if (network !== null) return isWithin(host, network[1] ?? "", Number(network[2]));
  // Several colons without brackets mean an IPv6 address without a port.
  const [, name = entry, wantedPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = bareHost(name);
  if (isIP(host) !== 0 || isIP(wanted) !== 0) return isWithin(host, wanted, isIP(wanted) === 6 ? 128 : 32);
  const domain = domainToASCII(wanted.replace(/^\*?\./, ""));
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

function isWithin(host: string, address: string, bits: number): boolean {
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || bits > (family === 6 ? 128 : 32)) return false;
  const name = family === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(address, bits, name);
  return list.check(host, name);
}

function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

// The proxy of a run, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Lower-case names take precedence, as with curl, and an
// empty variable counts as unset. This machine is never reached through a proxy: plain http is allowed to it because it
// does not leave the machine, and a proxy would connect to its own loopback.
import { usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import { isLoopback } from "../http/origin.ts";
import { parseUrl } from "../parse-url.ts";

export interface Proxy {
  /** `http://host:port`, without credentials, so it may be shown. */
  readonly url: string;
  readonly credentials: BasicCredentials | null;
  /** The variable that sets it, in the case used in the environment. */
  readonly variable: string;
  /** The hosts in NO_PROXY, which are reached without it. */
  readonly exempt: string;
}

type Environment = Readonly<Record<string, string>>;

/**
 * The proxy for an origin such as `https://host:port`; null for none. Throws a usage failure for an invalid URL, without
 * repeating it.
 */
export function proxyFor(root: string, environment: Environment): Proxy | null {
  const { protocol, hostname } = new URL(root);
  const found = readVariable(environment, protocol === "https:" ? "https_proxy" : "http_proxy");
  if (found === null || isLoopback(hostname)) return null;
  const { value, variable } = found;
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  const exempt = readVariable(environment, "no_proxy")?.value ?? "";
  // A password with an unescaped slash, question mark or number sign would otherwise become a host with a path.
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/";
  const credentials = isPlain ? credentialsIn(url) : undefined;
  if (isPlain && credentials !== undefined) return { url: url.origin, credentials, variable, exempt };
  throw usageFailure(
    `${variable} is not the URL of a proxy: a scheme (http or https), percent-encoded credentials, a host and a port`,
    `Set ${variable} to a URL such as http://proxy.example.com:3128, or unset it.`,
  );
}

function readVariable(environment: Environment, name: string) {
  for (const variable of [name, name.toUpperCase()]) {
    const value = environment[variable]?.trim() ?? "";
    if (value !== "") return { value, variable };
  }
  return null;
}

/** Undefined if they are not percent-encoded. */
function credentialsIn({ username, password }: URL): BasicCredentials | null | undefined {
  if (username === "" && password === "") return null;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

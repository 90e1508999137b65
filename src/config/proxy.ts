// The proxy of a run, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Lower-case names take precedence, as with curl, and an
// empty variable counts as unset. This machine is never reached through a proxy: plain http is allowed to it because it
// does not leave the machine, and a proxy would connect to its own loopback.
import { usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import { isLoopback } from "../http/origin.ts";

export interface Proxy {
  /** `http://host:port`, without credentials, so it may be shown. */
  readonly url: string;
  readonly credentials: BasicCredentials | null;
  /** The variable that sets it, in the case used in the environment. */
  readonly variable: string;
  /** The hosts in NO_PROXY, which are reached without it. */
  readonly exempt: string;
}

/**
 * The proxy for an origin such as `https://host:port`; null for none. Throws a usage failure for an invalid URL, without
 * repeating it.
 */
export function proxyFor(root: string, environment: Readonly<Record<string, string>>): Proxy | null {
  const { protocol, hostname } = new URL(root);
  const read = (name: string) =>
    [name, name.toUpperCase()]
      .map((variable) => ({ variable, value: environment[variable]?.trim() ?? "" }))
      .find(({ value }) => value !== "");
  const found = read(protocol === "https:" ? "https_proxy" : "http_proxy");
  if (found === undefined || isLoopback(hostname)) return null;
  const { variable, value } = found;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
    const username = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    const credentials = username === "" && password === "" ? null : { username, password };
    // A password with an unescaped slash, question mark or number sign would otherwise become a host with a path.
    if (/^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/")
      return { url: url.origin, credentials, variable, exempt: read("no_proxy")?.value ?? "" };
  } catch {
    // Neither a URL nor percent-encoded.
  }
  throw usageFailure(
    `${variable} is not the URL of a proxy: a scheme (http or https), percent-encoded credentials, a host and a port`,
    `Set ${variable} to a URL such as http://proxy.example.com:3128, or unset it.`,
  );
}

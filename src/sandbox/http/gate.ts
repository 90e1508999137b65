// Decides who may send requests to the sandbox at all. Keeps foreign web pages out: a page in the user's browser can
// reach loopback, but it sends its `Origin`, and DNS rebinding shows in `Host`. The sandbox's own pages may send their
// forms only to the address that they came from.
import { failure, type Answer } from "./answer.ts";
import type { SandboxRequest } from "./sandbox-request.ts";

/**
 * The answer to a request that must not pass, or null. Looks at the socket, `Origin` and `Host`, in this order.
 * `pageOrigin` is the origin that the sandbox's pages have, where one of them is asked for, and null elsewhere.
 */
export function checkGate(
  request: SandboxRequest,
  remoteAddress: string | undefined,
  allowHosts: readonly string[],
  pageOrigin: string | null,
): Answer | null {
  if (!isLoopbackAddress(remoteAddress ?? "")) {
    return failure(403, "The sandbox answers to this machine alone.");
  }
  const origin = request.header("origin");
  if (origin !== undefined && origin !== pageOrigin) {
    return failure(403, "The sandbox does not answer to web pages: the request has an Origin header.");
  }
  const host = request.header("host");
  // RFC 9112, 3.2: a request with two Host headers is refused.
  if (host?.includes(",") === true) return failure(400, "The request has more than one Host.");
  if (host !== undefined && !isAllowedHost(host, allowHosts)) {
    return failure(
      403,
      "The sandbox does not know the name in the Host header. Start it with --allow-host NAME to allow one.",
    );
  }
  return null;
}

/** The answer to a client without a User-Agent, or null. */
export function checkUserAgent(request: SandboxRequest): Answer | null {
  if ((request.header("user-agent") ?? "").trim() !== "") return null;
  return failure(
    403,
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
  );
}

/** Whether a `Host` value, with or without a port, names this machine or one of the allowed names. */
function isAllowedHost(host: string, allowHosts: readonly string[]): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return (
    name === "localhost" ||
    name === "[::1]" ||
    isLoopbackAddress(name) ||
    allowHosts.some((allowed) => allowed.toLowerCase() === name)
  );
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address);
}

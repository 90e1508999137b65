// A request as handlers see it: method, path segments, query, headers. Reads the request target as leniently as real
// operators do. Leaves the body to `request-body.ts`.
import type { IncomingMessage } from "node:http";

export interface SandboxRequest {
  /** The method; GET for HEAD. */
  readonly method: string;
  /** The path below the service's base address, as it was sent. */
  readonly path: string;
  /** The path's segments, decoded; null where the encoding is broken, which nothing matches. */
  readonly segments: readonly (string | null)[];
  /** The query as it was sent, without its question mark. */
  readonly query: string;
  /** A header's value by its lower-case name; an empty one counts as sent. All values of `host`, joined with commas. */
  header(name: string): string | undefined;
}

/** Reads method, target and headers of a request. Never throws. */
export function readRequest(message: IncomingMessage): SandboxRequest {
  const { path, query } = splitTarget(message.url ?? "/");
  return {
    method: message.method === "HEAD" ? "GET" : (message.method ?? "GET"),
    path,
    segments: path.slice(1).split("/").map(decodeSegment),
    query,
    header: (name) => {
      const value = name === "host" ? hostsOf(message) : message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/** Every `Host`; Node's `headers` has only the first. */
function hostsOf({ rawHeaders }: IncomingMessage): string | undefined {
  let hosts: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1] ?? "";
    if (rawHeaders[index]?.toLowerCase() === "host")
      hosts = hosts === undefined ? value : `${hosts}, ${value}`;
  }
  return hosts;
}

/** Path and query of a request target in origin or absolute form (RFC 9112, 3.2). */
function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  const mark = local.indexOf("?");
  const path = mark === -1 ? local : local.slice(0, mark);
  return { path: withoutPrefix(path), query: mark === -1 ? "" : local.slice(mark + 1) };
}

/**
 * Clients of enterprise installations put `/api/v3` before every path; some join a base address that ends in a slash.
 */
function withoutPrefix(path: string): string {
  const single = path.replace(/^\/*/, "/");
  return single === "/api/v3" || single.startsWith("/api/v3/")
    ? single.slice("/api/v3".length).replace(/^\/*/, "/")
    : single;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

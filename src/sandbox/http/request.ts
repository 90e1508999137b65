// A request as handlers see it: method, path segments, query, headers, and a body on demand.
//
// The target is parsed as leniently as by real operators: in origin or absolute form, with or without `/api/v3`, and
// with any number of leading slashes. HEAD is treated as GET, and the body is not sent.
//
// A body is a JSON object, whatever its content type, or a page's form. It is limited to 1 MiB. If the client
// disconnects, reading the body rejects.
import type { IncomingMessage } from "node:http";
import { failure, Refusal } from "./response.ts";

export interface SandboxRequest {
  /** GET for HEAD. */
  readonly method: string;
  /** The path below the base URL, as sent. */
  readonly path: string;
  /** The decoded segments of the path; null, which matches no route, for an invalid encoding. */
  readonly segments: readonly (string | null)[];
  /** The query as sent, without the question mark. */
  readonly query: string;
  /** A header's value by its lower-case name; undefined if not sent. Several `Host` headers are joined with commas. */
  header(name: string): string | undefined;
}

/** A request whose body is read from `message` only if its route requires it. */
export interface IncomingRequest {
  readonly request: SandboxRequest;
  readonly message: IncomingMessage;
}

/** Never throws. */
export function readRequest(message: IncomingMessage): SandboxRequest {
  const { path, query } = splitTarget(message.url ?? "/");
  return {
    method: message.method === "HEAD" ? "GET" : (message.method ?? "GET"),
    path,
    segments: path.slice(1).split("/").map(decodeSegment),
    query,
    header: (name) => {
      // Node's `headers` has only the first `Host`.
      const value = name === "host" ? message.headersDistinct["host"] : message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/** Splits a request target in origin or absolute form (RFC 9112, 3.2). */
function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  const mark = local.indexOf("?");
  const path = mark === -1 ? local : local.slice(0, mark);
  return { path: withoutPrefix(path), query: mark === -1 ? "" : local.slice(mark + 1) };
}

/** Enterprise clients prefix every path with `/api/v3`; some append paths to a base URL that ends in a slash. */
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

export type JsonObject = Readonly<Record<string, unknown>>;

const maxBodyBytes = 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns {} for an empty body. Rejects with a Refusal if the body is too large or is not a JSON object. */
export async function readJsonObject(message: IncomingMessage): Promise<JsonObject> {
  const bytes = await readBytes(message);
  if (bytes.length === 0) return {};
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(failure(400, "Body should be a JSON object"));
  }
  return value as JsonObject;
}

/** Reads a browser's form; the last of several fields with one name wins. */
export async function readForm(message: IncomingMessage): Promise<JsonObject> {
  return Object.fromEntries(new URLSearchParams((await readBytes(message)).toString("utf8")));
}

/**
 * Reads a body. One that is too large is read to its end before the promise rejects with a Refusal, because a client
 * that is still sending does not read the response. Rejects if the client disconnects.
 */
export function readBytes(message: IncomingMessage): Promise<Buffer> {
  // Events instead of an async iterator, which takes longer than all other work on a short body.
  return new Promise((resolve, reject) => {
    const onClose = (): void => {
      if (!message.readableEnded) reject(new Error("the client went away"));
    };
    // If the client disconnected while its password was verified, no more events follow.
    if (message.destroyed) onClose();
    const chunks: Buffer[] = [];
    let length = 0;
    message
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= maxBodyBytes) chunks.push(chunk);
        else chunks.length = 0;
      })
      .once("end", () => {
        if (length <= maxBodyBytes) resolve(Buffer.concat(chunks));
        else reject(new Refusal(failure(413, "Request body is too large")));
      })
      .once("error", reject)
      .once("close", onClose);
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) {
      throw new Refusal(failure(400, "Problems parsing JSON"));
    }
    throw error;
  }
}

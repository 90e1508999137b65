// A request as handlers see it: method, path segments, query, headers, and a body on demand.
//
// The target is parsed as leniently as by real operators: in origin or absolute form, with or without `/api/v3`, and
// with any number of leading slashes. A HEAD is a GET whose body is not sent.
//
// A body is a JSON object, whatever its content type, or the form of a page, of at most 1 MiB; anything else is
// rejected. If the client disconnects, waiting for its body ends.
import type { IncomingMessage } from "node:http";
import { failure, Refusal } from "./response.ts";

export interface SandboxRequest {
  /** The method; GET for HEAD. */
  readonly method: string;
  /** The path below the base URL, as sent. */
  readonly path: string;
  /** The path's segments, decoded; null if the encoding is broken, which nothing matches. */
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
 * Clients of enterprise installations put `/api/v3` before every path; some append paths to a base URL with a slash.
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

export type JsonObject = Readonly<Record<string, unknown>>;

const maximumBytes = 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The body as an object; an empty body is an empty one. Throws a Refusal for one that is too large, is not JSON or
 * is not an object; rejects when the client goes away.
 */
export async function readJsonObject(message: IncomingMessage): Promise<JsonObject> {
  const bytes = await readBytes(message);
  if (bytes.length === 0) return {};
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(failure(400, "Body should be a JSON object"));
  }
  return value as JsonObject;
}

/** The fields of a browser's form; of several with one name the last. Throws and rejects like `readJsonObject`. */
export async function readForm(message: IncomingMessage): Promise<JsonObject> {
  return Object.fromEntries(new URLSearchParams((await readBytes(message)).toString("utf8")));
}

/**
 * The bytes of a body. Beyond the limit it still reads to the end, because a client that is sending reads no response,
 * and then throws a Refusal. Rejects when the client goes away.
 */
export function readBytes(message: IncomingMessage): Promise<Buffer> {
  // Events, because an async iterator takes longer than all other work on a short body.
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      if (!message.readableEnded) reject(new Error("the client went away"));
    };
    // The client may have disconnected while the password was checked: then no more events follow.
    if (message.destroyed) giveUp();
    const chunks: Buffer[] = [];
    let length = 0;
    message
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= maximumBytes) chunks.push(chunk);
        else chunks.length = 0;
      })
      .once("end", () => {
        if (length <= maximumBytes) resolve(Buffer.concat(chunks));
        else reject(new Refusal(failure(413, "Request body is too large")));
      })
      .once("error", reject)
      .once("close", giveUp);
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

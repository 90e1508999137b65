// The HTTP server on loopback: passes Node's messages to the service, and writes its responses.
//
// It owns the headers of every response (names keep their case, for clients that use grep), JSON as text, entity tags,
// delays, truncation, malformed requests, and an orderly shutdown.
//
// - Requests of one connection are processed in order, because a client that pipelines requests may rely on it (RFC
//   9112, 9.3.2), even if a later request would take less time.
// - JSON has one field per line and a space after each colon, for shell scripts that extract the token with grep and
//   cut.
// - An entity tag depends only on the body's bytes, so equal bodies have equal tags (RFC 9110, 8.8.3).
// - Malformed bytes and proxy requests get an error, and the connection is closed. Complete requests before them get
//   their responses first, so that their changes are not reported as a malformed request.
// - `close` lets requests in flight finish, within a time limit.
import { hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { SandboxUnavailable } from "../sandbox-unavailable.ts";
import { type ServiceResponse, type Cut, failure } from "./response.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A rejection becomes a 500, unless the client has disconnected. */
type Responder = (message: IncomingMessage) => Promise<ServiceResponse>;

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** Starts to respond. Must be called before anything else is awaited, or requests are lost. */
  serve(responder: Responder): void;
  /** Lets requests in flight finish, within a time limit. */
  close(): Promise<void>;
}

interface ServerOptions {
  readonly port: number;
  /** Part of the operator's header names; null for a server without such headers and without a rate limit. */
  readonly headerWord: string | null;
  readonly rateLimit: RateLimit;
  /** Sent in every response's headers, unless null. */
  readonly enterpriseVersion: string | null;
  /** The time of the header `Date`. */
  readonly now: () => number;
}

/** The time limit of `close` for requests in flight. */
const closeTimeoutMs = 2000;

/** Listens on 127.0.0.1. Throws SandboxUnavailable if the port is not available. */
export async function startServer(options: ServerOptions): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  const inFlight = new Map<IncomingMessage, Promise<void>>();
  server.on("clientError", (error, socket) => void rejectMalformedRequest(inFlight, error, socket));
  server.on("connect", (_, socket) => void rejectTunnel(inFlight, socket));
  const port = await listen(server, options.port);
  let isClosing = false;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    serve: (responder) => {
      const respond = createRespond(options, responder, () => isClosing);
      server.on("request", (message, response) => {
        const work = respond(message, response)
          .catch(() => void response.destroy())
          .finally(() => inFlight.delete(message));
        inFlight.set(message, work);
      });
    },
    close: async () => {
      isClosing = true;
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeIdleConnections();
      const timeout = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      await closed;
      clearTimeout(timeout);
      await Promise.all(inFlight.values());
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "EADDRINUSE" ? "is taken" : `cannot be used: ${error.message}`;
      reject(new SandboxUnavailable(`port ${port} ${reason}`, { cause: error }));
    });
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function createRespond(
  { headerWord, enterpriseVersion, rateLimit, now }: ServerOptions,
  responder: Responder,
  isClosing: () => boolean,
): (message: IncomingMessage, response: ServerResponse) => Promise<void> {
  const runQueued = createConnectionQueues();
  // For all responses except pages.
  const commonHeaders: Readonly<Record<string, string>> = {
    "X-Content-Type-Options": "nosniff",
    ...(headerWord === null
      ? {}
      : { [`X-${headerWord}-Media-Type`]: `${headerWord.toLowerCase()}.v3; format=json` }),
    ...(enterpriseVersion === null ? {} : { [`X-${headerWord}-Enterprise-Version`]: enterpriseVersion }),
  };
  const requestIdHeader = headerWord === null ? "X-Request-Id" : `X-${headerWord}-Request-Id`;
  const vary = `Accept, Authorization, Cookie, X-${headerWord}-OTP`;

  return async (message, response) => {
    const result = await runQueued(message, () => responder(message)).catch(() =>
      failure(500, "Server Error"),
    );
    const content = serializeContent(result);
    const tag = result.isCacheable === true && content !== null ? createEntityTag(content.body) : null;
    const isNotModified = tag !== null && matchesEntityTag(message.headers["if-none-match"], tag);
    const status = isNotModified ? 304 : result.status;
    const limits = headerWord === null ? null : rateLimit.count(isNotModified);
    const { delayMs, cut } = result.delivery ?? { delayMs: 0, cut: null };
    if (delayMs > 0) await wait(delayMs, response);
    if (response.destroyed) return;
    // Otherwise a busy connection would stay open until its keep-alive timeout.
    if (isClosing()) response.shouldKeepAlive = false;
    // The oldest clients read the status from this header.
    const headers: Record<string, string> = { Status: `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd() };
    if (content !== null && !isNotModified) {
      headers["Content-Type"] = content.type;
      headers["Content-Length"] = String(Buffer.byteLength(content.body));
    }
    if (tag !== null) {
      headers["Cache-Control"] = "private, max-age=60, s-maxage=60";
      headers["Vary"] = vary;
      headers["ETag"] = tag;
    }
    // The response's own headers last: a resource with its own rate limit sets those of the limit.
    Object.assign(headers, result.html === undefined ? commonHeaders : null, limits, result.headers);
    headers[requestIdHeader] = randomUUID();
    headers["Date"] = new Date(now()).toUTCString();
    const body = message.method === "HEAD" || isNotModified ? undefined : content?.body;
    if (cut !== null) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      await sendTruncated(response, { status, headers, body: bytes }, cut);
    } else response.writeHead(status, headers).end(body);
  };
}

/**
 * Longer texts are encoded once, for the entity tag, the content length and the socket. Node sends a shorter one, as a
 * string, in one write with the headers.
 */
const bufferedTextLength = 4096;

interface Content {
  readonly type: string;
  readonly body: string | Buffer;
}

function serializeContent({ body, html }: ServiceResponse): Content | null {
  if (html !== undefined) return { type: "text/html; charset=utf-8", body: html };
  const type = "application/json; charset=utf-8";
  if (body === undefined) return null;
  const text = `${JSON.stringify(body, null, 2)}\n`;
  return { type, body: text.length < bufferedTextLength ? text : Buffer.from(text) };
}

/** Rejects if the client disconnects, so that `close` does not wait for its response. */
async function wait(milliseconds: number, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  await delay(milliseconds, undefined, { signal: gone.signal });
}

interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** A response without a body is truncated in its headers instead. */
async function sendTruncated(response: ServerResponse, result: RawResponse, cut: Cut): Promise<void> {
  const { socket: connection } = response.req;
  // The responses to earlier requests on this connection must be sent first.
  if (response.socket === null && !connection.destroyed) {
    await Promise.race([once(response, "socket"), once(connection, "close")]);
  }
  connection.end(firstBytes(result, cut), () => connection.destroy());
}

function firstBytes({ status, headers, body }: RawResponse, { within, share }: Cut): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`,
    "latin1",
  );
  if (within === "nothing") return Buffer.alloc(0);
  if (within === "headers" || body === undefined || body.length === 0) {
    return head.subarray(0, 1 + Math.floor(share * (head.length - 1)));
  }
  return Buffer.concat([head, body.subarray(0, Math.floor(share * body.length))]);
}

/** Calls `work` after the work on the connection's earlier requests has settled. */
type RunQueued = <Result>(message: IncomingMessage, work: () => Promise<Result>) => Promise<Result>;

function createConnectionQueues(): RunQueued {
  const last = new WeakMap<object, Promise<unknown>>();
  return ({ socket }, work) => {
    const result = (last.get(socket) ?? Promise.resolve()).then(work, work);
    last.set(socket, result);
    return result;
  };
}

/** Each promise resolves when the response has been passed to the socket. */
type InFlight = ReadonlyMap<IncomingMessage, Promise<void>>;

/** Handles the server's event `clientError`. */
async function rejectMalformedRequest(
  inFlight: InFlight,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): Promise<void> {
  // Bytes after a request with `Connection: close` are ignored: the request still gets its response.
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  if (await isClosedAfterResponses(inFlight, socket)) return;
  sendParseError(error, socket);
}

/** Handles the server's event `connect`: a client uses the sandbox as its proxy. */
async function rejectTunnel(inFlight: InFlight, socket: Duplex): Promise<void> {
  // The server no longer handles this socket's errors.
  socket.on("error", () => void socket.destroy());
  socket.once("finish", () => void socket.destroy());
  if (await isClosedAfterResponses(inFlight, socket)) return;
  const body =
    "The sandbox is not a proxy. Unset HTTP_PROXY and HTTPS_PROXY, and use the sandbox's URL as the base URL.\n";
  socket.end(
    `HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Waits for the responses to complete requests on this connection; true if one of them closed it. */
async function isClosedAfterResponses(inFlight: InFlight, socket: Duplex): Promise<boolean> {
  // A request with an incomplete body is left out: the malformed bytes are part of it.
  const complete = [...inFlight].filter(([message]) => message.socket === socket && message.complete);
  await Promise.all(complete.map(([, work]) => work));
  return complete.length > 0 && !socket.writable;
}

function sendParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = {
    HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
    ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  }[error.code ?? ""];
  socket.end(`HTTP/1.1 ${status ?? "400 Bad Request"}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Weak, like the tags of operators. */
function createEntityTag(body: string | Buffer): string {
  return `W/"${hash("sha256", body).slice(0, 32)}"`;
}

/** Weak comparison: `W/"x"` and `"x"` match (RFC 9110, 13.1.2). */
function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"|\*/g) ?? [];
  return tags.includes("*") || tags.includes(tag.slice("W/".length));
}

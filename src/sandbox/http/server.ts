// The listening socket on loopback: turns Node's messages into requests and responses into bytes.
//
// It owns the headers that every response has (names keep their case, for clients that grep), JSON as text, entity
// tags, the wait before a response, responses that break off, bytes that are no request, and an orderly end.
//
// Rules:
// - Requests of one connection are carried out one after the other: a client that pipelines requests may rely on their
//   order (RFC 9112, 9.3.2), even if a later one needs less time.
// - JSON has one field per line and a space after each colon: shell scripts cut the token out with grep and cut.
// - An entity tag follows from the body's bytes alone, so equal bodies have equal tags (RFC 9110, 8.8.3).
// - Bytes that are not HTTP, and proxy requests, get an error, after which the connection closes. Complete requests
//   before them get their responses first, so that their changes are not reported as malformed requests.
// - `close` lets requests in flight finish, but waits for them only a short while.
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

/** Responds to a message. A rejection becomes a 500, unless the client has disconnected. */
type Responder = (message: IncomingMessage) => Promise<ServiceResponse>;

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** Starts to respond; to be called before anything else is awaited. */
  serve(responder: Responder): void;
  /** Stops the server; waits for requests in flight, but only a short while. */
  close(): Promise<void>;
}

interface ServerOptions {
  readonly port: number;
  /** The operator's word in header names; null for a server without headers of its own, and without a rate limit. */
  readonly headerWord: string | null;
  readonly latencyMs: number;
  readonly rateLimit: RateLimit;
  /** Named in every response; null to name none. */
  readonly enterpriseVersion: string | null;
}

/** How long `close` waits for requests in flight. */
const closingPatienceMs = 2000;

/** Listens on 127.0.0.1. Throws SandboxUnavailable if the port is not available. */
export async function startServer(options: ServerOptions): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  const inFlight = new Map<IncomingMessage, Promise<void>>();
  server.on("clientError", (error, socket) => void rejectUnparsable(inFlight, error, socket));
  server.on("connect", (_, socket) => void refuseTunnel(inFlight, socket));
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
      const impatience = setTimeout(() => server.closeAllConnections(), closingPatienceMs);
      await closed;
      clearTimeout(impatience);
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

/** Responds to requests, in order within each connection. */
function createRespond(
  { headerWord, enterpriseVersion, latencyMs, rateLimit }: ServerOptions,
  responder: Responder,
  isClosing: () => boolean,
): (message: IncomingMessage, response: ServerResponse) => Promise<void> {
  const inTurn = createTurns();
  // The headers of all responses except pages.
  const usual: Readonly<Record<string, string>> = {
    "X-Content-Type-Options": "nosniff",
    ...(headerWord === null
      ? {}
      : { [`X-${headerWord}-Media-Type`]: `${headerWord.toLowerCase()}.v3; format=json` }),
    ...(enterpriseVersion === null ? {} : { [`X-${headerWord}-Enterprise-Version`]: enterpriseVersion }),
  };
  const requestIdHeader = headerWord === null ? "X-Request-Id" : `X-${headerWord}-Request-Id`;
  const vary = `Accept, Authorization, Cookie, X-${headerWord}-OTP`;

  return async (message, response) => {
    const result = await inTurn(message, () => responder(message)).catch(() => failure(500, "Server Error"));
    const content = readContent(result);
    const tag = result.isKeepable === true && content !== null ? createEntityTag(content.body) : null;
    const isKnown = tag !== null && isKnownTag(message.headers["if-none-match"], tag);
    const status = isKnown ? 304 : result.status;
    const limits = headerWord === null ? null : rateLimit.count(isKnown);
    const { delayMs, cut } = result.delivery ?? { delayMs: 0, cut: null };
    if (latencyMs + delayMs > 0) await wait(latencyMs + delayMs, response);
    if (response.destroyed) return;
    // A connection that is busy while the server closes would otherwise stay open until it times out.
    if (isClosing()) response.shouldKeepAlive = false;
    // The oldest clients read the status from this header.
    const headers: Record<string, string> = { Status: `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd() };
    if (content !== null && !isKnown) {
      headers["Content-Type"] = content.type;
      headers["Content-Length"] = String(Buffer.byteLength(content.body));
    }
    if (tag !== null) {
      headers["Cache-Control"] = "private, max-age=60, s-maxage=60";
      headers["Vary"] = vary;
      headers["ETag"] = tag;
    }
    // A resource with a rate limit of its own has set the headers of the limit.
    Object.assign(headers, result.html === undefined ? usual : null, limits, result.headers);
    headers[requestIdHeader] = randomUUID();
    const body = message.method === "HEAD" || isKnown ? undefined : content?.body;
    if (cut !== null) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      await sendTruncated(response, { status, headers, body: bytes }, cut);
    } else response.writeHead(status, headers).end(body);
  };
}

/**
 * A text from this length on is encoded once, for its tag, its length and the socket; a shorter one is sent in one
 * piece with its headers.
 */
const longText = 4096;

interface Content {
  readonly type: string;
  readonly body: string | Buffer;
}

function readContent({ body, written, html }: ServiceResponse): Content | null {
  if (html !== undefined) return { type: "text/html; charset=utf-8", body: html };
  const type = "application/json; charset=utf-8";
  if (written !== undefined) return { type, body: written };
  if (body === undefined) return null;
  const text = `${JSON.stringify(body, null, 2)}\n`;
  return { type, body: text.length < longText ? text : Buffer.from(text) };
}

/** Waits; rejects if the client disconnects, so that `close` need not wait for its response. */
async function wait(milliseconds: number, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  await delay(milliseconds, undefined, { signal: gone.signal });
}

interface CompleteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Sends a truncated response. A response without a body is truncated in its headers instead. */
async function sendTruncated(response: ServerResponse, result: CompleteResponse, cut: Cut): Promise<void> {
  const { socket: connection } = response.req;
  // The responses to earlier requests on this connection come first.
  if (response.socket === null && !connection.destroyed) {
    await Promise.race([once(response, "socket"), once(connection, "close")]);
  }
  connection.end(firstBytes(result, cut), () => connection.destroy());
}

function firstBytes({ status, headers, body }: CompleteResponse, { within, share }: Cut): Buffer {
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

/** Calls `work` after the work of the connection's earlier requests has settled. */
type InTurn = <Result>(message: IncomingMessage, work: () => Promise<Result>) => Promise<Result>;

/** Turns of any number of connections. */
function createTurns(): InTurn {
  const last = new WeakMap<object, Promise<unknown>>();
  return ({ socket }, work) => {
    const result = (last.get(socket) ?? Promise.resolve()).then(work, work);
    last.set(socket, result);
    return result;
  };
}

/** Requests in flight; a promise resolves when the response is passed to the socket. */
type InFlight = ReadonlyMap<IncomingMessage, Promise<void>>;

/** For the server's `clientError`. */
async function rejectUnparsable(
  inFlight: InFlight,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): Promise<void> {
  // Bytes after a request with `Connection: close` are ignored: the request gets its response, and the connection
  // closes.
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  if (await isEnded(inFlight, socket)) return;
  endWithRefusal(error, socket);
}

/** For the server's `connect`: a client has configured the sandbox as its proxy. */
async function refuseTunnel(inFlight: InFlight, socket: Duplex): Promise<void> {
  // The server no longer manages this socket, so its errors must be handled here.
  socket.on("error", () => void socket.destroy());
  socket.once("finish", () => void socket.destroy());
  if (await isEnded(inFlight, socket)) return;
  const body =
    "The sandbox is not a proxy. Unset HTTP_PROXY and HTTPS_PROXY, and use the sandbox's URL as the base URL.\n";
  socket.end(
    `HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Waits for the responses to complete requests on this connection; true if the last of them closed it. */
async function isEnded(inFlight: InFlight, socket: Duplex): Promise<boolean> {
  // A request with a truncated body gets the error itself, because its body will never be complete.
  const whole = [...inFlight].filter(([message]) => message.socket === socket && message.complete);
  await Promise.all(whole.map(([, work]) => work));
  return whole.length > 0 && !socket.writable;
}

function endWithRefusal(error: NodeJS.ErrnoException, socket: Duplex): void {
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

/** The tag of a body. Weak, as operators have it. */
function createEntityTag(body: string | Buffer): string {
  return `W/"${hash("sha256", body).slice(0, 32)}"`;
}

/** True if `If-None-Match` names the tag, among others or as any; strong and weak forms are the same here (13.1.2). */
function isKnownTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const named: readonly string[] = ifNoneMatch.match(/"[^"]*"|\*/g) ?? [];
  return named.includes("*") || named.includes(tag.slice("W/".length));
}

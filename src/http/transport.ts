// The innermost layer: sends requests with undici, and reads whole responses into memory within limits of time and size.
//
// Until undici starts to send a request (`onRequestStart`), nothing can have changed, so even the failure of a write is
// a plain network failure. After that, transport-failure.ts decides what the failure of a read or a write means.
//
// Connections are undici's: at most `concurrency` of them, which rest for less than a second, because many servers close
// idle connections soon, and a write on such a connection would have an unknown outcome. A proxy is always asked for a
// tunnel with CONNECT (RFC 9110, 9.3.6), even for plain http, so that its response is never mistaken for the server's, and
// it sees no request and no credentials but its own. Certificates are always verified. Redirects are not followed.
//
// `close` cancels what is in flight before it closes the connections. Otherwise those requests would look like broken
// connections, which are worth a retry.
import { setMaxListeners } from "node:events";
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";
import { Agent, EnvHttpProxyAgent, Pool, buildConnector, type Dispatcher } from "undici";
import { Failure } from "../errors/errors.ts";
import { encodeBasic } from "./authentication.ts";
import type { Proxy } from "./urls.ts";
import type { HttpRequest, RawResponse } from "./request.ts";
import {
  brokenConnection,
  brokenResponse,
  failedConnection,
  largestBody,
  givenUp,
} from "./transport-failure.ts";

/** The limit for the status line and headers of a response, also of a proxy's. */
const maxHeaderSize = 16 * 1024;

/** The time that a connection rests, if the server names none. */
const idleMs = 900;

export interface TransportOptions {
  readonly root: string;
  readonly timeoutMs: number;
  /** PEM texts. Without `ca`, the system's certificate authorities count; without `cert`, no client certificate is sent. */
  readonly tls: Readonly<Partial<Record<"ca" | "cert" | "key", string | undefined>>>;
  readonly proxy: Proxy | null;
  readonly concurrency: number;
}

export type Transport = ReturnType<typeof createTransport>;

export function createTransport(options: TransportOptions) {
  const closing = new AbortController();
  // One for each connection, and one for each request in flight.
  setMaxListeners(0, closing.signal);
  const agent = openAgent(options, closing.signal);
  return {
    send: (request: HttpRequest): Promise<RawResponse> => exchange(request, options, agent, closing.signal),
    async close(): Promise<void> {
      closing.abort();
      await agent.destroy();
    },
  };
}

function openAgent({ tls, timeoutMs, concurrency, proxy, root }: TransportOptions, signal: AbortSignal) {
  const connect = {
    timeout: timeoutMs,
    // undici would turn on TCP keep-alive before the socket connects, which fails on old Windows and Wine.
    keepAlive: false,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 change Node's defaults.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
    // Ends connections that are still being opened, for which the process would wait.
    signal,
    ca: tls.ca,
  };
  const limits = {
    connections: concurrency,
    maxHeaderSize,
    maxResponseSize: largestBody,
    keepAliveTimeout: idleMs,
    // Our timer covers each whole request; undici's could only end it too early.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const toServer = { ...connect, ...tls };
  const connectToServer = openConnector(toServer, signal);
  if (proxy === null) return new Agent({ ...limits, connect: connectToServer });
  const connectToProxy = openConnector(connect, signal);
  return new EnvHttpProxyAgent({
    ...limits,
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    noProxy: proxy.exempt,
    ...(proxy.credentials === null ? {} : { token: encodeBasic(proxy.credentials) }),
    // For hosts that NO_PROXY exempts.
    connect: connectToServer,
    requestTls: toServer,
    clientFactory: () => openProxyPool(root, proxy, limits, connectToProxy),
  });
}

/**
 * The connections to the proxy itself. Every failure gets our own error: undici takes its own codes for those of a
 * connection that broke while idle, and would connect to a proxy that hangs up again and again.
 */
function openProxyPool(
  root: string,
  proxy: Proxy,
  limits: Agent.Options,
  connectToProxy: buildConnector.connector,
): Dispatcher {
  const pool = new Pool(proxy.url, {
    ...limits,
    // The server name is the proxy's own, which undici would give as an IP address, too (not valid: RFC 6066, 3).
    connect: (target, callback): void => connectToProxy({ ...target, servername: "" }, callback),
  });
  const ask = pool.connect.bind(pool);
  const askForTunnel = async (target: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    try {
      const tunnel = await ask(target);
      const { socket, statusCode } = tunnel;
      if (statusCode === 200 && !socket.destroyed) return tunnel;
      socket.on("error", () => undefined).destroy();
      throw new Error(statusCode === 200 ? "the connection was closed" : `its status is ${statusCode}`);
    } catch (error) {
      throw failedConnection(error as Error, `${root} through the proxy ${proxy.url}`, proxy.hint);
    }
  };
  return Object.assign(pool, { connect: askForTunnel });
}

/**
 * Connects as undici does, and closes a connection at its first error. After a TLS alert (a server requires a client
 * certificate), it would stay open until the server closes it, and that would be reported as the reason.
 * A reset gets another code, because undici takes `ECONNRESET` for the regular end of a body without a length. After the
 * end, nothing is opened: undici would connect once more after a request that was cancelled.
 */
function openConnector(options: buildConnector.BuildOptions, signal: AbortSignal): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    if (signal.aborted) return callback(new Error("closed"), null);
    connect(target, (...[error, socket]: Parameters<typeof callback>) => {
      if (error !== null) return callback(error, null);
      socket.once("error", (cause: NodeJS.ErrnoException) => {
        if (cause.code === "ECONNRESET") cause.code = "UND_ERR_SOCKET";
        socket.destroy(cause);
      });
      callback(null, socket);
    });
  };
}

/** Sends one request: resolves with the complete response, or rejects with a Failure that has the part that arrived. */
function exchange(
  request: HttpRequest,
  { root, timeoutMs }: TransportOptions,
  agent: Dispatcher,
  closing: AbortSignal,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { handler, giveUp } = follow(request, root, (outcome) => {
      clearTimeout(timer);
      closing.removeEventListener("abort", cancel);
      if (outcome instanceof Failure) reject(outcome);
      else resolve(outcome);
    });
    const cancel = (): void => giveUp("before the run ended");
    // After Ctrl-Z and `fg`, the response may be there and not read yet.
    const timer = setTimeout(() => setImmediate(() => giveUp(`within ${timeoutMs / 1000} s`)), timeoutMs);
    closing.addEventListener("abort", cancel);
    const { target, method, body } = request;
    // By default, undici would also close the connection after every DELETE with a body.
    const reset = method === "HEAD";
    const headers = { ...request.headers };
    agent.dispatch({ origin: root, path: target.path, method, headers, body, reset }, handler);
  });
}

/** Follows a request in flight, on which undici reports. Only its first end counts. */
function follow(request: HttpRequest, root: string, onEnd: (outcome: RawResponse | Failure) => void) {
  /** Null until undici starts to send the request. */
  let sent: Dispatcher.DispatchController | null = null;
  let isGivenUp = false;
  let status = 0;
  let headers: RawResponse["headers"] = {};
  const chunks: Buffer[] = [];

  function fail(error: Error): void {
    const why = sent === null ? failedConnection(error, root) : brokenConnection(error, request, status > 0);
    const body = partOfBody(headers, chunks);
    onEnd(status === 0 ? why : why.with({ received: { status, body } }));
  }

  function end(): void {
    try {
      const body = unpack(headers, Buffer.concat(chunks));
      if (isCutOff(headers, body)) fail(new Error("the JSON ends early"));
      else onEnd({ status, headers, body });
    } catch (cause) {
      // A compressed body may end early, too.
      const isEarlyEnd = (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
      fail(isEarlyEnd ? (cause as Error) : brokenResponse(request, "cannot be unpacked", cause));
    }
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      // While it waited for a connection, so it must not be sent.
      if (isGivenUp) controller.abort(new Error("ended before it was sent"));
      else sent = controller;
    },
    onResponseStart(_, code, fields) {
      if (code < 200) return;
      status = code;
      headers = joinHeaders(fields);
    },
    onResponseData: (_, chunk) => void chunks.push(chunk),
    onResponseEnd: end,
    onResponseError(_, error) {
      // A 204 ends with its head (RFC 9112, 6.3), whatever its Content-Length: later errors do not concern it.
      if (status === 204 && !(error instanceof Failure)) end();
      else fail(error);
    },
  };
  /** `when` says after what. */
  const giveUp = (when: string): void => {
    const failure = givenUp(request, sent !== null, root, when);
    isGivenUp = true;
    if (sent === null) fail(failure);
    else sent.abort(failure);
  };
  return { handler, giveUp };
}

/** undici's names are in lower case; several values of one name become one. */
function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value = ""]) => [name, [value].flat().join(", ")]),
  );
}

const unpackers: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/** The body without its content coding (RFC 9110, 8.4). Throws for another coding, and beyond the limit. */
function unpack(headers: Readonly<Record<string, string>>, body: Buffer, finishFlush?: number): Buffer {
  const coding = (headers["content-encoding"] ?? "identity").toLowerCase();
  if (body.length === 0 || coding === "identity") return body;
  const unpacker = unpackers.get(coding);
  if (unpacker === undefined) throw new TypeError("its content coding is not known");
  return unpacker(body, { maxOutputLength: largestBody, finishFlush });
}

/** True for JSON with open brackets, if only the end of the connection ends the body: nothing else shows a broken one. */
function isCutOff(headers: RawResponse["headers"], body: Buffer): boolean {
  if ("content-length" in headers || "transfer-encoding" in headers) return false;
  if (!/json/i.test(headers["content-type"] ?? "json")) return false;
  let depth = 0;
  for (const [piece] of body.toString("latin1").matchAll(/"(?:\\[^]?|[^"\\]+)*"?|[^\s"]/g)) {
    if (piece === "{" || piece === "[") depth += 1;
    else if (depth === 0) return false;
    else if (piece === "}" || piece === "]") depth -= 1;
  }
  return depth > 0;
}

/** What arrived of a body, unpacked as far as possible: it may contain a new token. */
function partOfBody(headers: RawResponse["headers"], chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  try {
    return unpack(headers, bytes, constants.Z_SYNC_FLUSH);
  } catch {
    return bytes;
  }
}

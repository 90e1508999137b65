// The innermost layer: sends requests with undici, and reads whole responses into memory within limits of time and size.
//
// Until undici starts to send a request (`onRequestStart`), nothing can have changed, so even the failure of a write is
// a plain network failure. After that, transport-failure.ts decides what the failure of a read or a write means.
//
// Connections are undici's: at most `concurrency` of them, which rest for less than a second, because many servers close
// idle connections soon, and a write on such a connection would have an unknown outcome. A proxy is always asked for a
// tunnel (proxy-agent.ts), so it sees no request. Certificates are always verified. Redirects are not followed.
//
// `close` cancels what is in flight before it closes the connections. Otherwise those requests would look like broken
// connections, which are worth a retry.
import { setMaxListeners } from "node:events";
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";
import { Agent, buildConnector, type Dispatcher } from "undici";
import type { Proxy } from "../config/proxy.ts";
import { Failure } from "../errors/errors.ts";
import { openProxyAgent } from "./proxy-agent.ts";
import type { HttpRequest, RawResponse } from "./request.ts";
import {
  brokenConnection,
  brokenResponse,
  cancelled,
  failedConnection,
  largestBody,
  timedOut,
} from "./transport-failure.ts";

/** The limit for the status line and headers of a response, also of a proxy's. */
const maxHeaderSize = 16 * 1024;

/** The time that a connection rests, if the server names none. */
const idleMs = 900;

/** PEM texts. A null `ca` means the system's certificate authorities; a null `cert` sends no client certificate. */
interface TlsOptions {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  readonly proxy: Proxy | null;
  /** The maximum number of connections. */
  readonly concurrency: number;
}

export type Transport = ReturnType<typeof createTransport>;

/** A transport with its own connections. */
export function createTransport(options: TransportOptions) {
  const closing = new AbortController();
  // One for each connection, and one for each request in flight.
  setMaxListeners(0, closing.signal);
  const agent = openAgent(options, closing.signal);
  return {
    send: async (request: HttpRequest): Promise<RawResponse> => {
      if (closing.signal.aborted) throw cancelled(request, false);
      return new Promise((resolve, reject) => {
        new Exchange(request, options, { resolve, reject }).start(agent, closing.signal);
      });
    },
    async close(): Promise<void> {
      closing.abort();
      await agent.destroy();
    },
  };
}

function openAgent(
  { tls, timeoutMs, concurrency, proxy, root }: TransportOptions,
  signal: AbortSignal,
): Dispatcher {
  const connect = {
    timeout: timeoutMs,
    // undici would turn on TCP keep-alive before the socket connects, which fails on old Windows and Wine.
    keepAlive: false,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 change Node's defaults.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
    // Ends connections that are still being opened, for which the process would wait.
    signal,
    ...(tls.ca === null ? {} : { ca: tls.ca }),
  };
  const own = tls.cert === null || tls.key === null ? {} : { cert: tls.cert, key: tls.key };
  const limits = {
    connections: concurrency,
    maxHeaderSize,
    maxResponseSize: largestBody,
    keepAliveTimeout: idleMs,
    // Our timer covers each whole request; undici's could only end it too early.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const toServer = { ...connect, ...own };
  const connectToServer = openConnector(toServer, signal);
  if (proxy === null) return new Agent({ ...limits, connect: connectToServer });
  const connectToProxy = openConnector(connect, signal);
  return openProxyAgent({ root, proxy, limits, connectToServer, connectToProxy, tls: toServer });
}

/**
 * Connects as undici does, and closes a connection at its first error: after a TLS alert, such as that of a server which
 * requires a client certificate, it would stay open until the server closes it, and that would be reported as the reason.
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

/** How a request settles: with the complete response, or with a Failure that has the part that arrived. */
interface Settle {
  readonly resolve: (response: RawResponse) => void;
  readonly reject: (failure: Error) => void;
}

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #options: TransportOptions;
  readonly #settle: Settle;
  /** Null until undici starts to send the request. */
  #sent: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #end: () => void = () => undefined;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Buffer[] = [];

  constructor(request: HttpRequest, options: TransportOptions, settle: Settle) {
    this.#request = request;
    this.#options = options;
    this.#settle = settle;
  }

  start(agent: Dispatcher, signal: AbortSignal): void {
    const { target, method, headers, body } = this.#request;
    const { root, timeoutMs } = this.#options;
    const cancel = (): void => {
      this.#abort(cancelled(this.#request, this.#sent !== null));
    };
    const timer = setTimeout(() => {
      this.#abort(timedOut(this.#request, timeoutMs, this.#sent !== null, root));
    }, timeoutMs);
    signal.addEventListener("abort", cancel);
    this.#end = () => {
      this.#isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    };
    // By default, undici would also close the connection after every DELETE with a body.
    const reset = method === "HEAD";
    agent.dispatch({ origin: root, path: target.path, method, headers: { ...headers }, body, reset }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was ended while it waited for a connection, so it must not be sent.
    if (this.#isOver) controller.abort(new Error("ended before it was sent"));
    else this.#sent = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = joinHeaders(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    const [status, headers] = [this.#status, this.#headers];
    try {
      const body = unpack(headers, Buffer.concat(this.#chunks));
      this.#end();
      this.#settle.resolve({ status, headers, body });
    } catch (error) {
      this.#fail(brokenResponse(this.#request, `cannot be unpacked: ${(error as Error).message}`, error));
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A 204 ends with its head (RFC 9112, 6.3), whatever its Content-Length: later errors do not concern it.
    if (this.#status === 204 && !(error instanceof Failure)) this.onResponseEnd();
    else this.#fail(error);
  }

  #abort(failure: Failure): void {
    if (this.#sent === null) this.#fail(failure);
    else this.#sent.abort(failure);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#end();
    const failure = this.#failureOf(error);
    const received = { status: this.#status, body: this.#partOfBody() };
    this.#settle.reject(this.#status === 0 ? failure : failure.with({ received }));
  }

  #failureOf(error: Error): Failure {
    if (error instanceof Failure) return error;
    return this.#sent === null
      ? failedConnection(error, this.#options.root)
      : brokenConnection(error, this.#request, this.#status !== 0);
  }

  /** What arrived of the body, unpacked as far as possible: it may contain a new token. */
  #partOfBody(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    try {
      return unpack(this.#headers, bytes, constants.Z_SYNC_FLUSH);
    } catch {
      return bytes;
    }
  }
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

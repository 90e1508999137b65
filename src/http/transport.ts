// The innermost layer: sends requests with undici and reads whole responses into memory, with limits on size and time.
//
// Each request has its own timer, collects its response, and settles once. Until undici starts to send a request,
// nothing can have changed, so even the outcome of a write is known. Redirects are not followed, and compressed
// responses are rejected. `close` cancels requests in flight before undici closes the connections; otherwise they would
// look like broken connections that are worth a retry.
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { Failure, type Received } from "../errors/errors.ts";
import {
  type AgentLease,
  type AgentPool,
  type ReuseCheck,
  type TlsOptions,
  createAgentPool,
  createEndpoint,
  createReuseCheck,
  maxHeaderBytes,
} from "./connector.ts";
import { type RawResponse, type HttpRequest, untilFree } from "./request.ts";
import {
  brokenResponse,
  brokenConnection,
  cancelled,
  failedConnection,
  isCutOff,
  timedOut,
} from "./transport-failure.ts";
import type { Route } from "./tunnel.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/**
 * The idle timeout of a connection, if the server names none. Some servers close idle connections after a second or
 * two, and the outcome of a write in flight at that moment would be unknown.
 */
const idleTimeoutMs = 900;

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  /** The way through a proxy; absent for a direct connection. */
  readonly route?: Route;
  /**
   * Milliseconds since the epoch, by a clock that continues while the machine sleeps. Not `performance`, which Node would
   * have to load.
   */
  readonly now: () => number;
  /** True if the process ends with the run. */
  readonly endsWithRun?: boolean;
  /** Detects whether connections can be reused; by default, a check of its own. */
  readonly reuse?: ReuseCheck;
}

export type Transport = ReturnType<typeof createTransport>;

/** A transport with its own connections, whose certificates are always verified. */
export function createTransport(options: TransportOptions) {
  const { route, reuse = createReuseCheck() } = options;
  const peerName = route?.peerName ?? options.root;
  const endpoint = createEndpoint(peerName, options.tls);
  const createAgent = () =>
    new Agent({
      maxHeaderSize: maxHeaderBytes,
      maxResponseSize: maxBodyBytes,
      // Our timer covers each whole request; undici's timers could only end it too early.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: idleTimeoutMs,
      connect: reuse.monitor(route === undefined ? endpoint.connect : route.wrapConnector(endpoint.connect)),
    });
  const agents = createAgentPool(createAgent, options.now, () => endpoint.countConnecting());
  const state: TransportState = { ...options, agents, peerName, reuse, inFlight: new Set() };
  /** The number of requests without a complete response, including failed ones. */
  let unanswered = 0;
  /** Resolves when the connection of the latest response can be used again. */
  let freed: Promise<void> | null = null;
  let isClosed = false;
  return {
    send: async (request: HttpRequest): Promise<RawResponse> => {
      // Otherwise a request that starts just as another one ends would open a new connection.
      if (freed !== null) await freed;
      const reusePause = isPageRequest(request) ? null : reuse.pauseEnd();
      if (reusePause !== null) await reusePause;
      if (isClosed) throw cancelled(request, false);
      unanswered += 1;
      try {
        const response = await new Promise<RawResponse>((resolve, reject) => {
          new InFlightRequest(request, state, resolve, reject).start();
        });
        unanswered -= 1;
        reuse.begin();
        freed = untilFree();
        return response;
      } catch (error) {
        if (isCutOff(error)) reuse.fail();
        throw error;
      }
    },
    /** Closes the connections; leaves idle ones open if the process ends with the run. */
    async close(): Promise<void> {
      isClosed = true;
      // Idle connections do not keep the process running, and closing each of them takes milliseconds.
      const isIdle = unanswered === 0 && !endpoint.isSending();
      if (options.endsWithRun === true && route === undefined && isIdle) return;
      for (const request of state.inFlight) request.cancel();
      endpoint.abandon();
      await Promise.all([agents.destroy(), route?.close()]);
    },
  };
}

/** True for a page of a list: a read, which is retried if its connection breaks. */
function isPageRequest({ method, target }: HttpRequest): boolean {
  return method === "GET" && target.path.includes("?");
}

/** A timer that fires later than this shows that the process was suspended. */
const timerLatenessMs = 50;
/** The maximum extra time of a request after the process was suspended. */
const extraTimeMs = 10_000;

/** State shared by the requests of a transport. */
interface TransportState extends Pick<TransportOptions, "root" | "timeoutMs" | "now"> {
  readonly agents: AgentPool;
  /** The target of the connections, for messages: `root`, directly or through a proxy. */
  readonly peerName: string;
  readonly reuse: ReuseCheck;
  readonly inFlight: Set<InFlightRequest>;
}

/**
 * A request in flight, from its timer to its outcome: the complete response, or a Failure that has the part that arrived.
 */
class InFlightRequest implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #transport: TransportState;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (failure: Error) => void;
  readonly #lease: AgentLease;
  readonly #due: number;
  #timer: NodeJS.Timeout;
  /** Null until undici starts to send the request. */
  #sent: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  /** The content codings of the body; null if it has none. */
  #codings: string | null = null;
  #chunks: Buffer[] = [];

  constructor(
    request: HttpRequest,
    transport: TransportState,
    resolve: (response: RawResponse) => void,
    reject: (failure: Error) => void,
  ) {
    this.#request = request;
    this.#transport = transport;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#lease = transport.agents.acquire();
    this.#due = transport.now() + transport.timeoutMs;
    this.#timer = setTimeout(() => this.#onTimeout(), transport.timeoutMs);
    transport.inFlight.add(this);
  }

  start(): void {
    const { target, method, headers, body } = this.#request;
    try {
      // An explicit value: by default, undici also closes the connection after every DELETE with a body.
      const reset = method === "HEAD" || this.#transport.reuse.isFailed();
      this.#lease.agent.dispatch(
        { origin: this.#transport.root, path: target.path, method, headers, body, reset },
        this,
      );
    } catch (error) {
      this.#settle(false);
      this.#reject(
        error instanceof Error ? error : new Error("undici refused the request", { cause: error }),
      );
    }
  }

  /** Ends the request because the run has ended. */
  cancel(): void {
    this.#abort(cancelled(this.#request, this.#sent !== null));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request was ended while it waited for a connection, so it must not be sent.
    if (this.#isSettled) controller.abort(this.#timedOut());
    else this.#sent = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#codings = contentCodings(this.#headers);
    if (isTransferCoded(this.#headers))
      controller.abort(brokenResponse(this.#request, "has a transfer coding that was not requested"));
    // With an intent, the response may contain a new token, so it is read to its end for the journal.
    else if (this.#codings !== null && this.#request.intent === undefined)
      controller.abort(this.#compressed());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#codings !== null) return this.#fail(this.#compressed());
    this.#settle(true);
    const [only] = this.#chunks;
    // A body in one piece is not copied.
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A 204 ends with its head (RFC 9112, 6.3), whatever its Content-Length: later errors do not concern it.
    if (this.#status === 204 && !(error instanceof Failure)) this.onResponseEnd();
    else this.#fail(error);
  }

  /**
   * Called when the time limit is reached. After the process was suspended, the timer fires immediately, although the
   * response may already be buffered, or the request not sent yet. Then the request gets its time limit again, but at
   * most ten seconds.
   */
  #onTimeout(): void {
    if (this.#transport.now() - this.#due < timerLatenessMs) this.#endTimedOut();
    else
      this.#timer = setTimeout(() => this.#endTimedOut(), Math.min(this.#transport.timeoutMs, extraTimeMs));
  }

  #endTimedOut(): void {
    if (!this.#isSettled) this.#abort(this.#timedOut());
  }

  /** Ends the request and closes its connection, which undici would forget in a replaced agent. */
  #abort(failure: Failure): void {
    if (this.#sent === null) this.#fail(failure);
    else this.#sent.abort(failure);
  }

  #fail(error: Error): void {
    this.#settle(false);
    const failure = error instanceof Failure ? error : this.#failureOf(error);
    this.#reject(this.#status === 0 ? failure : failure.with({ received: this.#received() }));
  }

  #settle(isAnswered: boolean): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#transport.inFlight.delete(this);
    this.#lease.release(isAnswered);
  }

  #failureOf(error: Error): Failure {
    return this.#sent === null
      ? failedConnection(error, this.#transport.peerName)
      : brokenConnection(error, this.#request, {
          isInBody: this.#status !== 0,
          endsWithConnection: this.#status !== 0 && !hasLength(this.#headers),
        });
  }

  #timedOut(): Failure {
    const { timeoutMs, peerName } = this.#transport;
    return timedOut(this.#request, timeoutMs, this.#sent !== null, peerName);
  }

  #compressed(): Failure {
    return brokenResponse(this.#request, "is compressed, although compression was not requested");
  }

  #received(): Received {
    const codings = this.#codings;
    return {
      status: this.#status,
      body: Buffer.concat(this.#chunks),
      ...(codings === null ? {} : { codings }),
    };
  }
}

/** The content codings of a body, as in `gzip` (RFC 9110, 8.4); null if it has none. */
function contentCodings(headers: Readonly<Record<string, string>>): string | null {
  const codings = headers["content-encoding"] ?? "";
  return /^(?:\s|,|identity(?=[\s,]|$))*$/i.test(codings) ? null : codings;
}

/** True if the body has another transfer coding than `chunked`, although none was requested (RFC 9112, 6.1). */
function isTransferCoded(headers: Readonly<Record<string, string>>): boolean {
  return (headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked";
}

/** True if the end of the body is delimited explicitly (RFC 9112, 6.3). */
function hasLength(headers: Readonly<Record<string, string>>): boolean {
  return "content-length" in headers || "transfer-encoding" in headers;
}

function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

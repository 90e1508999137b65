// The innermost layer: sends requests with undici and reads whole responses into memory, within limits of size and time.
//
// A request starts its own timer, keeps what arrives of its response, and settles once. Until undici has begun to send it,
// nothing can have changed, so even the result of a write is known. Redirects are not followed, and a compressed response
// is not trusted. `close` cancels what is in flight before undici ends the connections, which would look like broken
// connections that are worth a retry.
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { Failure, type Received } from "../errors/errors.ts";
import { createEndpoint, maxHeaderBytes, type TlsOptions } from "./connector.ts";
import { createFreshAgents, type FreshAgents, type Turn } from "./connector.ts";
import { type RawResponse, type HttpRequest, type Send, untilFree } from "./request.ts";
import {
  brokenResponse,
  brokenConnection,
  cancelled,
  failedConnection,
  isCutOff,
  timedOut,
} from "./transport-failure.ts";
import { createReuseCheck, type ReuseCheck } from "./connector.ts";
import type { Route } from "./tunnel.ts";
import { createInFlight, type InFlight } from "./connector.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/**
 * How long a connection may rest before it is closed, if the server names no time: some close it after a second or
 * two, and a write that is on its way by then has no outcome.
 */
const longestRestMs = 900;

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  /** The way through a proxy; absent for a direct connection. */
  readonly route?: Route;
  /** Milliseconds since the epoch, by a clock that continues while the machine sleeps. */
  readonly now: () => number;
  /** True if the process ends with the run. */
  readonly endsWithRun?: boolean;
  /** Finds out whether connections can be used again; one of its own by default. */
  readonly reuse?: ReuseCheck;
}

export interface Transport {
  readonly send: Send;
  /** Ends the connections; leaves idle ones open where the process ends with the run. */
  close(): Promise<void>;
}

/** A transport with its own connections, whose certificates are always verified. */
export function createTransport(options: TransportOptions): Transport {
  const { route, reuse = createReuseCheck() } = options;
  const place = route?.place ?? options.root;
  const endpoint = createEndpoint(place, options.tls);
  const createAgent = () =>
    new Agent({
      maxHeaderSize: maxHeaderBytes,
      maxResponseSize: maxBodyBytes,
      // A timer of ours covers each whole request; undici's own timers could only end it too early.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: longestRestMs,
      connect: reuse.watching(route === undefined ? endpoint.connect : route.lead(endpoint.connect)),
    });
  const agents = createFreshAgents(createAgent, options.now, () => endpoint.countConnecting());
  const line: Line = {
    agents,
    root: options.root,
    place,
    timeoutMs: options.timeoutMs,
    now: options.now,
    usesOnce: () => reuse.isFailed(),
    inFlight: createInFlight(),
  };
  /** The number of requests without a whole response, including those that failed. */
  let unanswered = 0;
  /** Resolves when the connection of the latest response can be used again. */
  let freed: Promise<void> | null = null;
  let isClosed = false;
  return {
    async send(request) {
      // Otherwise a request that begins as another ends gets a connection of its own.
      if (freed !== null) await freed;
      const trying = isPage(request) ? null : reuse.untilOver();
      if (trying !== null) await trying;
      if (isClosed) throw cancelled(request, false);
      unanswered += 1;
      try {
        const response = await dispatch(request, line);
        unanswered -= 1;
        reuse.begin();
        freed = untilFree();
        return response;
      } catch (error) {
        if (isCutOff(error)) reuse.fail();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      // Idle connections keep no process alive, and closing each of them takes milliseconds.
      const isIdle = unanswered === 0 && !endpoint.isSending();
      if (options.endsWithRun === true && route === undefined && isIdle) return;
      // Cancelled before undici ends them, which would look like broken connections that are worth a retry.
      for (const request of line.inFlight) request.cancel();
      endpoint.abandon();
      await Promise.all([agents.destroy(), route?.close()]);
    },
  };
}

/** True if this asks for a page of a list: a read, which is repeated where its connection breaks. */
function isPage({ method, target }: HttpRequest): boolean {
  return method === "GET" && target.path.includes("?");
}

/** A timer that fires later than this shows that the whole process stood still. */
const timerLatenessMs = 50;
/** The most time that a request gets again after the process stood still. */
const extraTimeMs = 10_000;

/** State that the requests of a transport share. */
interface Line {
  readonly agents: FreshAgents;
  /** `https://host:port` of the service. */
  readonly root: string;
  /** The target of the connections, for messages: `root`, or the proxy. */
  readonly place: string;
  readonly timeoutMs: number;
  /** Milliseconds since the epoch. Node's own measure of time, `performance`, is loaded only when it is first used. */
  readonly now: () => number;
  /** True if each connection is closed behind its first response. */
  readonly usesOnce: () => boolean;
  readonly inFlight: InFlight<Dispatched>;
}

/** Sends a request; resolves with its whole response, or rejects with a Failure that holds what arrived of it. */
function dispatch(request: HttpRequest, line: Line): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    new Dispatched(request, line, resolve, reject).start();
  });
}

/** A request in flight; settles the promise whose functions it gets. */
class Dispatched implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #line: Line;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (failure: Error) => void;
  readonly #turn: Turn;
  readonly #due: number;
  #timer: NodeJS.Timeout;
  /** Null until the request is sent: before that, nothing can have changed, so even the outcome of a write is known. */
  #sent: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  /** The content codings of the body; null if it has none. */
  #codings: string | null = null;
  #chunks: Buffer[] = [];

  constructor(
    request: HttpRequest,
    line: Line,
    resolve: (response: RawResponse) => void,
    reject: (failure: Error) => void,
  ) {
    this.#request = request;
    this.#line = line;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#turn = line.agents.begin();
    this.#due = line.now() + line.timeoutMs;
    this.#timer = setTimeout(() => this.#endInTime(), line.timeoutMs);
    line.inFlight.add(this);
  }

  start(): void {
    const { target, method, headers, body } = this.#request;
    try {
      // Otherwise undici closes the connection after every DELETE with a body, too.
      const reset = method === "HEAD" || this.#line.usesOnce();
      this.#turn.agent.dispatch(
        { origin: this.#line.root, path: target.path, method, headers, body, reset },
        this,
      );
    } catch (error) {
      this.#settle(false);
      this.#reject(
        error instanceof Error ? error : new Error("undici refused the request", { cause: error }),
      );
    }
  }

  /** Ends the request because the run is over. */
  cancel(): void {
    this.#endWith(cancelled(this.#request, this.#sent !== null));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was ended while it waited for its connection: it must not be sent any more.
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
    this.#codings = packingOf(this.#headers);
    if (isTransferCoded(this.#headers))
      controller.abort(brokenResponse(this.#request, "has a transfer coding that was not requested"));
    // With an intent, the response may hold a new token, so it is read to its end for the journal.
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
    // A body that came in one piece is not copied.
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A 204 ends with its head (RFC 9112, 6.3), whatever length it names: what breaks behind it is no part of it.
    if (this.#status === 204 && !(error instanceof Failure)) this.onResponseEnd();
    else this.#fail(error);
  }

  /**
   * Called when the time is over. After the process was stopped and continued, the timer is due at once, although the
   * response may have arrived already, or the request was not sent yet: it gets its time again, but at most ten
   * seconds.
   */
  #endInTime(): void {
    if (this.#line.now() - this.#due < timerLatenessMs) this.#endLate();
    else this.#timer = setTimeout(() => this.#endLate(), Math.min(this.#line.timeoutMs, extraTimeMs));
  }

  #endLate(): void {
    if (!this.#isSettled) this.#endWith(this.#timedOut());
  }

  /** Ends the request with its connection, which undici forgets in an agent that was replaced. */
  #endWith(failure: Failure): void {
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
    this.#line.inFlight.remove(this);
    this.#turn.end(isAnswered);
  }

  #failureOf(error: Error): Failure {
    return this.#sent === null
      ? failedConnection(error, this.#line.place)
      : brokenConnection(error, this.#request, this.#status !== 0 && !hasLength(this.#headers));
  }

  #timedOut(): Failure {
    const { timeoutMs, place } = this.#line;
    return timedOut(this.#request, timeoutMs, this.#sent !== null, place);
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
function packingOf(headers: Readonly<Record<string, string>>): string | null {
  const codings = headers["content-encoding"] ?? "";
  return /^(?:\s|,|identity(?=[\s,]|$))*$/i.test(codings) ? null : codings;
}

/** True if the body has another transfer coding than `chunked`, although none was requested (RFC 9112, 6.1). */
function isTransferCoded(headers: Readonly<Record<string, string>>): boolean {
  return (headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked";
}

/** True if the response says where its body ends (RFC 9112, 6.3). */
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

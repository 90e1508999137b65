// The innermost layer: sends one request with undici and reads its whole answer into memory. Owns the limits of time
// and size, and knows whether a failed request was sent. Follows no redirect and trusts no compressed answer.
import Agent from "undici/lib/dispatcher/agent.js";
import type { Dispatcher } from "undici";
import { Failure, type Received } from "../errors/errors.ts";
import { createFreshAgents, type FreshAgents } from "./fresh-agents.ts";
import { untilFree } from "./free-connections.ts";
import { createEndpoint, maxHeaderBytes, type TlsOptions } from "./connector.ts";
import type { Route } from "./tunnel.ts";
import {
  brokenAnswer,
  brokenConnection,
  cancelled,
  failedConnection,
  timedOut,
  withReceived,
} from "./transport-failure.ts";
import { isWrite, type HttpAnswer, type Send } from "./request.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/** A timer that fires later than this shows that the whole process stood still. */
const lateMs = 50;
/** The most time that a request gets again after the process stood still. */
const onceMoreMs = 10_000;

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  /** The way through a proxy; absent for a direct connection. */
  readonly route?: Route;
  /** Milliseconds since the epoch, by a clock that goes on while the machine sleeps. */
  readonly now: () => number;
  /** Whether the process ends with the run. */
  readonly endsWithRun?: boolean;
}

export interface Transport {
  readonly send: Send;
  /** Ends the connections; leaves idle ones open where the process ends with the run. */
  close(): Promise<void>;
}

/** A transport with its own connections, whose certificates are always verified. */
export function createTransport(options: TransportOptions): Transport {
  const { route } = options;
  const place = route?.place ?? options.root;
  const endpoint = createEndpoint(place, options.tls);
  const createAgent = () =>
    new Agent({
      maxHeaderSize: maxHeaderBytes,
      maxResponseSize: maxBodyBytes,
      // One timer below covers the whole request; undici's own timers could only end it too early.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      connect: route === undefined ? endpoint.connect : route.lead(endpoint.connect),
    });
  const agents = createFreshAgents(createAgent, options.now, () => endpoint.countConnecting());
  const cancels = new Set<() => void>();
  const sendOne = sendThrough(agents, { root: options.root, place, timeoutMs: options.timeoutMs, cancels });
  /** The number of requests without a whole answer, including those that failed. */
  let unanswered = 0;
  /** Resolves when the connection of the latest answer can be used again. */
  let freed: Promise<void> | null = null;
  let isClosed = false;
  return {
    async send(request) {
      // Otherwise a write that begins as another ends gets a connection of its own. Reads come in bursts, as the pages
      // of a list, and would all wait.
      if (freed !== null && isWrite(request)) await freed;
      if (isClosed) throw cancelled(request, false);
      unanswered += 1;
      const answer = await sendOne(request);
      unanswered -= 1;
      freed = untilFree();
      return answer;
    },
    async close() {
      isClosed = true;
      // Idle connections keep no process alive, and closing each of them takes milliseconds.
      const isIdle = unanswered === 0 && !endpoint.isSending();
      if (options.endsWithRun === true && route === undefined && isIdle) return;
      // Cancelled before undici ends them, which would look like broken connections that are worth a retry.
      for (const cancel of cancels) cancel();
      endpoint.abandon();
      await Promise.all([agents.destroy(), route?.close()]);
    },
  };
}

interface Sending {
  readonly root: string;
  readonly place: string;
  readonly timeoutMs: number;
  /** For each request under way, a function that ends it. */
  readonly cancels: Set<() => void>;
}

/** The `send` of a transport with these agents. */
function sendThrough(agents: FreshAgents, { root, place, timeoutMs, cancels }: Sending): Send {
  return (request) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      let started: Dispatcher.DispatchController | null = null;
      let isEnded = false;
      let status = 0;
      let headers: Record<string, string> = {};
      const chunks: Buffer[] = [];
      let codings: string | null = null;

      const turn = agents.begin();
      let isSettled = false;
      const settle = (isAnswered: boolean, finish: () => void): void => {
        isSettled = true;
        clearTimeout(timer);
        cancels.delete(cancel);
        turn.end(isAnswered);
        finish();
      };
      // Before the request is sent, nothing can have changed, so even the outcome of a write is known.
      const failureOf = (error: Error): Failure =>
        started === null ? failedConnection(error, place) : brokenConnection(error, request);
      const compressed = (): Failure => brokenAnswer(request, "is compressed, which nobody asked for");
      const received = (): Received => ({
        status,
        body: Buffer.concat(chunks),
        ...(codings === null ? {} : { codings }),
      });
      const fail = (error: Error): void => {
        settle(false, () => {
          const failure = error instanceof Failure ? error : failureOf(error);
          reject(status === 0 ? failure : withReceived(failure, received()));
        });
      };
      /** Ends the request with its connection, which undici forgets in an agent that was replaced. */
      const endWith = (failure: Failure): void => {
        isEnded = true;
        if (started === null) fail(failure);
        else started.abort(failure);
      };
      const cancel = (): void => {
        endWith(cancelled(request, started !== null));
      };
      cancels.add(cancel);
      const endLate = (): void => {
        if (!isSettled) endWith(timedOut(request, timeoutMs, started !== null, place));
      };
      const due = performance.now() + timeoutMs;
      // After the process was stopped and continued, the timer is due at once, although the answer may have arrived
      // already, or the request was not sent yet: it gets its time again, but at most ten seconds.
      let timer = setTimeout(() => {
        if (performance.now() - due < lateMs) endLate();
        else timer = setTimeout(endLate, Math.min(timeoutMs, onceMoreMs));
      }, timeoutMs);

      const options = {
        origin: root,
        path: request.target.path,
        method: request.method,
        headers: request.headers,
        body: request.body,
      };
      const end = (): void => {
        if (codings !== null) return fail(compressed());
        settle(true, () => {
          const [only] = chunks;
          // A body that came in one piece is not copied.
          const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
          resolve({ status, headers, body });
        });
      };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          // It was ended while it waited for its connection: it must not be sent any more.
          if (isEnded) controller.abort(timedOut(request, timeoutMs, false, place));
          else started = controller;
        },
        onResponseStart(controller, statusCode, rawHeaders) {
          status = statusCode;
          headers = joinHeaders(rawHeaders);
          codings = packingOf(headers);
          if (isTransferCoded(headers))
            controller.abort(brokenAnswer(request, "is transferred in a coding that nobody asked for"));
          // With an intent, the answer may hold a new token, so it is read to its end for the journal.
          else if (codings !== null && request.intent === undefined) controller.abort(compressed());
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd: end,
        onResponseError(_, error) {
          // A 204 ends with its head (RFC 9112, 6.3), whatever length it names: what breaks behind it is no part of it.
          if (status === 204 && !(error instanceof Failure)) end();
          else fail(error);
        },
      };
      try {
        turn.agent.dispatch(options, handler);
      } catch (error) {
        settle(false, () => {
          reject(error instanceof Error ? error : new Error("undici refused the request", { cause: error }));
        });
      }
    });
}

/** The content codings of a body, as in `gzip` (RFC 9110, 8.4); null where it has none. */
function packingOf(headers: Readonly<Record<string, string>>): string | null {
  const codings = headers["content-encoding"] ?? "identity";
  return codings.toLowerCase() === "identity" ? null : codings;
}

/** Whether the body has another transfer coding than `chunked`, although none was asked for (RFC 9112, 6.1). */
function isTransferCoded(headers: Readonly<Record<string, string>>): boolean {
  return (headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked";
}

function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

// The innermost layer: sends one request with undici and reads its whole answer into memory. Has the limits of time and
// size, and knows whether a request that failed had left. Follows no redirect and trusts nothing that is compressed.
import Agent from "undici/lib/dispatcher/agent.js";
import type { Dispatcher } from "undici";
import { Failure, type Received } from "../errors/errors.ts";
import { createFreshAgents, type FreshAgents } from "./fresh-agents.ts";
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
import type { HttpAnswer, Send } from "./request.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/** A timer that is later than this was kept from running, and so was all else. */
const lateMs = 50;
/** The longest that a request then has once more. */
const onceMoreMs = 10_000;

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  /** The way through a proxy; absent to go straight. */
  readonly route?: Route;
  /** Milliseconds since the epoch, which go on while the machine sleeps. */
  readonly now: () => number;
  /** Whether the process ends with the run. */
  readonly endsWithRun?: boolean;
}

export interface Transport {
  readonly send: Send;
  /** Ends the connections, except idle ones where the process ends, too. */
  close(): Promise<void>;
}

/** A transport with its own connections, certificates always verified. */
export function createTransport(options: TransportOptions): Transport {
  const { route } = options;
  const place = route?.place ?? options.root;
  const endpoint = createEndpoint(place, options.tls);
  const createAgent = () =>
    new Agent({
      maxHeaderSize: maxHeaderBytes,
      maxResponseSize: maxBodyBytes,
      // One timer of ours covers the whole request; undici's separate ones could only cut a permitted one short.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      connect: route === undefined ? endpoint.connect : route.lead(endpoint.connect),
    });
  const agents = createFreshAgents(createAgent, options.now);
  const cancels = new Set<() => void>();
  const sendOne = sendThrough(agents, { root: options.root, place, timeoutMs: options.timeoutMs, cancels });
  /** Requests without a whole answer, those that failed among them. */
  let unanswered = 0;
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) throw cancelled(request, false);
      unanswered += 1;
      const answer = await sendOne(request);
      unanswered -= 1;
      return answer;
    },
    async close() {
      isClosed = true;
      // What is idle keeps no process alive, and ending each connection properly takes milliseconds.
      const isIdle = unanswered === 0 && !endpoint.isSending();
      if (options.endsWithRun === true && route === undefined && isIdle) return;
      // Ended here and not by undici, so that it does not look like a connection that broke and is worth a retry.
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
  /** For each request under way a function that ends it. */
  readonly cancels: Set<() => void>;
}

/** Sends through agents; what createTransport does with its own. */
function sendThrough(agents: FreshAgents, { root, place, timeoutMs, cancels }: Sending): Send {
  return (request) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      let started: Dispatcher.DispatchController | null = null;
      let isTooLate = false;
      let status = 0;
      let headers: Record<string, string> = {};
      const chunks: Buffer[] = [];
      let codings: string | null = null;

      let isSettled = false;
      const settle = (finish: () => void): void => {
        isSettled = true;
        clearTimeout(timer);
        cancels.delete(cancel);
        finish();
      };
      // Before the request has left, nothing can have changed, so that even a write's outcome is known.
      const failureOf = (error: Error): Failure =>
        started === null ? failedConnection(error, place) : brokenConnection(error, request);
      const compressed = (): Failure => brokenAnswer(request, "is compressed, which nobody asked for");
      const received = (): Received => ({
        status,
        body: Buffer.concat(chunks),
        ...(codings === null ? {} : { codings }),
      });
      const fail = (error: Error): void => {
        settle(() => {
          const failure = error instanceof Failure ? error : failureOf(error);
          reject(status === 0 ? failure : withReceived(failure, received()));
        });
      };
      const cancel = (): void => {
        fail(cancelled(request, started !== null));
      };
      cancels.add(cancel);
      const endLate = (): void => {
        if (isSettled) return;
        isTooLate = true;
        const failure = timedOut(request, timeoutMs, started !== null, place);
        if (started === null) fail(failure);
        else started.abort(failure);
      };
      const due = performance.now() + timeoutMs;
      // After the process was stopped and continued, the timer is due at once, although the answer may have come long
      // ago, or the request may not have left yet: it has its time once more, or ten seconds of it.
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
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          // The time limit struck while this waited for its connection: it must not leave any more.
          if (isTooLate) controller.abort(timedOut(request, timeoutMs, false, place));
          else started = controller;
        },
        onResponseStart(controller, statusCode, rawHeaders) {
          status = statusCode;
          headers = joinHeaders(rawHeaders);
          codings = packingOf(headers);
          if (isTransferCoded(headers))
            controller.abort(brokenAnswer(request, "is transferred in a coding that nobody asked for"));
          // Where a new value may be in it, it is read to its end for the intent.
          else if (codings !== null && request.intent === undefined) controller.abort(compressed());
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (codings !== null) return fail(compressed());
          settle(() => {
            const [only] = chunks;
            // What came in one piece is not copied.
            const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
            resolve({ status, headers, body });
          });
        },
        onResponseError(_, error) {
          fail(error);
        },
      };
      try {
        agents.current().dispatch(options, handler);
      } catch (error) {
        settle(() => {
          reject(error instanceof Error ? error : new Error("undici refused the request", { cause: error }));
        });
      }
    });
}

/** How a body is packed, as in `gzip` (RFC 9110, 8.4); null where it is not. */
function packingOf(headers: Readonly<Record<string, string>>): string | null {
  const codings = headers["content-encoding"] ?? "identity";
  return codings.toLowerCase() === "identity" ? null : codings;
}

/** Whether the body is transferred in more than chunks, although no coding was asked for (RFC 9112, 6.1). */
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

// The innermost layer: sends requests with undici and reads whole answers into memory. Owns the connections and the
// limits of size; the limit of time, and whether a failed request was sent, are known to each request (dispatched.ts).
import Agent from "undici/lib/dispatcher/agent.js";
import { dispatch, type Line } from "./dispatched.ts";
import { createFreshAgents } from "./fresh-agents.ts";
import { untilFree } from "./free-connections.ts";
import { createEndpoint, maxHeaderBytes, type TlsOptions } from "./connector.ts";
import type { Route } from "./tunnel.ts";
import { cancelled, isCutOff } from "./transport-failure.ts";
import type { HttpRequest, Send } from "./request.ts";
import { createTrial, type Trial } from "./trial.ts";
import { createUnderWay } from "./under-way.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/**
 * How long a connection may rest before it is closed, where the server names no time: some close it after a second or
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
  /** Milliseconds since the epoch, by a clock that goes on while the machine sleeps. */
  readonly now: () => number;
  /** Whether the process ends with the run. */
  readonly endsWithRun?: boolean;
  /** How it is found out whether connections can be used again; one of its own where absent. */
  readonly trial?: Trial;
}

export interface Transport {
  readonly send: Send;
  /** Ends the connections; leaves idle ones open where the process ends with the run. */
  close(): Promise<void>;
}

/** A transport with its own connections, whose certificates are always verified. */
export function createTransport(options: TransportOptions): Transport {
  const { route, trial = createTrial() } = options;
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
      connect: trial.watching(route === undefined ? endpoint.connect : route.lead(endpoint.connect)),
    });
  const agents = createFreshAgents(createAgent, options.now, () => endpoint.countConnecting());
  const line: Line = {
    agents,
    root: options.root,
    place,
    timeoutMs: options.timeoutMs,
    now: options.now,
    usesOnce: () => trial.isFailed(),
    underWay: createUnderWay(),
  };
  /** The number of requests without a whole answer, including those that failed. */
  let unanswered = 0;
  /** Resolves when the connection of the latest answer can be used again. */
  let freed: Promise<void> | null = null;
  let isClosed = false;
  return {
    async send(request) {
      // Otherwise a request that begins as another ends gets a connection of its own.
      if (freed !== null) await freed;
      const trying = isPage(request) ? null : trial.untilOver();
      if (trying !== null) await trying;
      if (isClosed) throw cancelled(request, false);
      unanswered += 1;
      try {
        const answer = await dispatch(request, line);
        unanswered -= 1;
        trial.begin();
        freed = untilFree();
        return answer;
      } catch (error) {
        if (isCutOff(error)) trial.fail();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      // Idle connections keep no process alive, and closing each of them takes milliseconds.
      const isIdle = unanswered === 0 && !endpoint.isSending();
      if (options.endsWithRun === true && route === undefined && isIdle) return;
      // Cancelled before undici ends them, which would look like broken connections that are worth a retry.
      for (const request of line.underWay) request.cancel();
      endpoint.abandon();
      await Promise.all([agents.destroy(), route?.close()]);
    },
  };
}

/** Whether this asks for a page of a list: a read, which is repeated where its connection breaks. */
function isPage({ method, target }: HttpRequest): boolean {
  return method === "GET" && target.path.includes("?");
}

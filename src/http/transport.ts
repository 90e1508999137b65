// The innermost layer: one request over undici, whole answer in memory. Owns the limits of time and size, and the
// knowledge whether a request that failed had already left. Follows no redirect and unpacks nothing.
import Agent from "undici/lib/dispatcher/agent.js";
import type { Dispatcher } from "undici";
import { setFlagsFromString } from "node:v8";
import { Failure } from "../errors/errors.ts";
import {
  brokenAnswer,
  brokenConnection,
  failedConnection,
  timedOut,
  withReceived,
} from "./transport-failure.ts";
import type { HttpAnswer, Send } from "./request.ts";

const maxHeaderBytes = 16 * 1024;
const maxBodyBytes = 8 * 1024 * 1024;

export interface TransportOptions {
  /** `https://host:port`. */
  readonly root: string;
  readonly timeoutMs: number;
  /** Of the running Node, as in `20.20.2`. */
  readonly nodeVersion: string;
  /** PEM texts; null keeps the system's certificate authorities, or sends no client certificate. */
  readonly tls: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null };
}

export interface Transport {
  readonly send: Send;
  /** Ends the kept-alive connections. */
  close(): Promise<void>;
}

/** A transport with its own connections, certificates always verified. */
export function createTransport(options: TransportOptions): Transport {
  // Node 20 waits at exit until the parser's WebAssembly is optimised, which no run here is long enough to earn.
  if (options.nodeVersion.startsWith("20.")) setFlagsFromString("--wasm-tiering-budget=1000000000");
  const agent = new Agent({
    maxHeaderSize: maxHeaderBytes,
    maxResponseSize: maxBodyBytes,
    // One timer of ours covers the whole request; undici's separate ones could only cut a permitted one short.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    connect: {
      timeout: 0,
      // Said out loud, because NODE_TLS_REJECT_UNAUTHORIZED=0 would win over silence.
      rejectUnauthorized: true,
      ...(options.tls.ca === null ? {} : { ca: options.tls.ca }),
      ...(options.tls.cert === null ? {} : { cert: options.tls.cert }),
      ...(options.tls.key === null ? {} : { key: options.tls.key }),
    },
  });
  return { send: sendThrough(agent, options), close: () => agent.destroy() };
}

/** Sends through any undici dispatcher; what createTransport does with its own agent. */
function sendThrough(
  dispatcher: Dispatcher,
  { root, timeoutMs }: Pick<TransportOptions, "root" | "timeoutMs">,
): Send {
  return (request) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      let started: Dispatcher.DispatchController | null = null;
      let isTooLate = false;
      let status = 0;
      let headers: Record<string, string> = {};
      const chunks: Buffer[] = [];

      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        finish();
      };
      // Before the request has left, nothing can have changed, so a write may then fail plainly too.
      const failureOf = (error: Error): Failure =>
        started === null ? failedConnection(error, root) : brokenConnection(error, request);
      const fail = (error: Error): void => {
        settle(() => {
          const failure = error instanceof Failure ? error : failureOf(error);
          reject(status === 0 ? failure : withReceived(failure, { status, body: Buffer.concat(chunks) }));
        });
      };
      const timer = setTimeout(() => {
        isTooLate = true;
        const failure = timedOut(request, timeoutMs, started !== null, root);
        if (started === null) fail(failure);
        else started.abort(failure);
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
          if (isTooLate) controller.abort(timedOut(request, timeoutMs, false, root));
          else started = controller;
        },
        onResponseStart(controller, statusCode, rawHeaders) {
          status = statusCode;
          headers = joinHeaders(rawHeaders);
          const encoding = headers["content-encoding"];
          if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
            controller.abort(brokenAnswer(request, "is compressed, which nobody asked for"));
          }
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          settle(() => {
            resolve({ status, headers, body: Buffer.concat(chunks) });
          });
        },
        onResponseError(_, error) {
          fail(error);
        },
      };
      try {
        dispatcher.dispatch(options, handler);
      } catch (error) {
        settle(() => {
          reject(error instanceof Error ? error : new Error("undici refused the request", { cause: error }));
        });
      }
    });
}

function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

// The listening socket on loopback: turns node's messages into arrivals and answers into bytes. Owns the headers of
// every answer, the wait before it, and an orderly end. Header names keep their case, for clients that grep.
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SandboxUnavailable } from "../sandbox-unavailable.ts";
import { failure, type Answer } from "./answer.ts";
import { cutAnswer } from "./cut-answer.ts";
import { createEntityTag, isKnownTag } from "./entity-tags.ts";
import { createTurns } from "./in-turn.ts";
import { writeJson } from "./json-text.ts";
import { answerNonsense, refuseTunnel } from "./nonsense.ts";
import type { RateLimit } from "./rate-limit.ts";

/** Answers a message. A rejection is answered with 500, unless the client has gone away. */
type Responder = (message: IncomingMessage) => Promise<Answer>;

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** Starts to answer; call it before anything else is awaited. */
  serve(responder: Responder): void;
  /** Stops the server when the requests under way are answered, but waits only a short while for them. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly port: number;
  readonly headerWord: string;
  readonly latencyMs: number;
  readonly rateLimit: RateLimit;
  /** Named in every answer; null to name none. */
  readonly enterpriseVersion: string | null;
}

/** How long `close` waits for requests under way. */
const closingPatienceMs = 2000;

/** Listens on 127.0.0.1. Throws SandboxUnavailable when the port cannot be had. */
export async function startServer(options: ServerOptions): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  const underWay = new Map<IncomingMessage, Promise<void>>();
  server.on("clientError", (error, socket) => void answerNonsense(underWay, error, socket));
  server.on("connect", (_, socket) => void refuseTunnel(underWay, socket));
  const port = await listen(server, options.port);
  let isClosing = false;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    serve: (responder) => {
      const respond = createRespond(options, responder, () => isClosing);
      server.on("request", (message, response) => {
        const work = respond(message, response)
          .catch(() => void response.destroy())
          .finally(() => underWay.delete(message));
        underWay.set(message, work);
      });
    },
    close: async () => {
      isClosing = true;
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), closingPatienceMs);
      await closed;
      clearTimeout(impatience);
      await Promise.all(underWay.values());
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

/** Answers requests, each when the earlier ones of its connection have been carried out. */
function createRespond(
  { headerWord, enterpriseVersion, latencyMs, rateLimit }: ServerOptions,
  responder: Responder,
  isClosing: () => boolean,
): (message: IncomingMessage, response: ServerResponse) => Promise<void> {
  const inTurn = createTurns();
  // The headers about the server, which all answers but pages have.
  const usual: Readonly<Record<string, string>> = {
    "X-Content-Type-Options": "nosniff",
    [`X-${headerWord}-Media-Type`]: `${headerWord.toLowerCase()}.v3; format=json`,
    ...(enterpriseVersion === null ? {} : { [`X-${headerWord}-Enterprise-Version`]: enterpriseVersion }),
  };
  const requestIdHeader = `X-${headerWord}-Request-Id`;
  const vary = `Accept, Authorization, Cookie, X-${headerWord}-OTP`;

  return async (message, response) => {
    const answer = await inTurn(message, () => responder(message)).catch(() => failure(500, "Server Error"));
    const content = readContent(answer);
    const tag = answer.isKeepable === true && content !== null ? createEntityTag(content.body) : null;
    const isKnown = tag !== null && isKnownTag(message.headers["if-none-match"], tag);
    const status = isKnown ? 304 : answer.status;
    const limits = rateLimit.count(isKnown);
    const { delayMs, cut } = answer.delivery ?? { delayMs: 0, cut: null };
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
    Object.assign(headers, answer.html === undefined ? usual : null, limits, answer.headers);
    headers[requestIdHeader] = randomUUID();
    const body = message.method === "HEAD" || isKnown ? undefined : content?.body;
    if (cut !== null) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      await cutAnswer(response, { status, headers, body: bytes }, cut);
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

function readContent({ body, written, html }: Answer): Content | null {
  if (html !== undefined) return { type: "text/html; charset=utf-8", body: html };
  const type = "application/json; charset=utf-8";
  if (written !== undefined) return { type, body: written };
  if (body === undefined) return null;
  const text = writeJson(body);
  return { type, body: text.length < longText ? text : Buffer.from(text) };
}

/** Waits; rejects when the client goes away, so that `close` need not wait for its answer. */
async function wait(milliseconds: number, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  await delay(milliseconds, undefined, { signal: gone.signal });
}

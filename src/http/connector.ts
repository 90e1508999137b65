// Connections: how they are opened, watched and given up.
//
//   createEndpoint      TCP, and TLS with the certificate always verified. Failures get their messages here, if the
//                       certificate that caused one is still known.
//   interim responses   unsolicited 1xx responses are removed (RFC 9110, 15.2). undici would close the connection for
//                       some of them, and a token in flight would be lost. Only the start of each response is read.
//   createReuseCheck    detects servers that silently close a connection after each response, or send more than they were
//                       asked: reuse pauses for 10 ms after the first response, and if a socket ends in that window, each
//                       connection is used once.
//   createFreshAgents   replaces the undici agent when pooled connections may be stale. After the process was stopped or the
//                       machine slept, the server may have closed them, and undici's own timer stood still, too. While a
//                       request waits long, an idle connection may be the reason: a server that serves one connection at a
//                       time returns no other before that one is closed.
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { Agent, buildConnector as UndiciConnector } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import { failedConnection, resetCode } from "./transport-failure.ts";

/** The most bytes of status line and headers in a response of the service or of a proxy. */
export const maxHeaderBytes = 16 * 1024;

export type Connector = UndiciConnector.connector;

/** PEM texts. A null `ca` means the system's certificate authorities; a null `cert` sends no client certificate. */
export interface TlsOptions {
  readonly ca: string | readonly string[] | null;
  readonly cert: string | null;
  readonly key: string | null;
}

interface Endpoint {
  /** The connector for undici. It fails with a network Failure. */
  readonly connect: Connector;
  /** Ends connections that are still being opened: undici, and so the process, would wait for them. */
  abandon(): void;
  /**
   * True if bytes still wait to be sent, as where the response came before the whole request was read: the process
   * would wait for them.
   */
  isSending(): boolean;
  /** The number of connections whose TCP handshake is not complete. */
  countConnecting(): number;
}

/**
 * Renames the code of a reset connection. undici treats `ECONNRESET` during a response that ends with its connection as
 * the orderly end, because macOS may report a reset after a whole response; here only a FIN is an orderly end. (A TLS
 * connection that ends by a FIN without close_notify cannot be recognised: Node reports no difference.)
 */
function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === "ECONNRESET") error.code = resetCode;
}

/** Opens the connections to one place, which messages call `place`. */
export function createEndpoint(place: string, { ca, cert, key }: TlsOptions): Endpoint {
  const pending = new Set<Socket>();
  const open = new Set<Socket>();
  const connect = buildConnector({
    // The time limit of the whole request is the transport's.
    timeout: 0,
    // undici would switch keep-alive on before the socket connects, which old Windows and Wine refuse as "connect
    // UNKNOWN"; a run is over before the first probe would be sent.
    keepAlive: false,
    // Both are set, because NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 change Node's defaults.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ...(ca === null ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  });
  return {
    connect(options, callback) {
      let peer: PeerCertificate | null = null;
      const socket = connect(options, (...[error, connected]: Parameters<typeof callback>) => {
        pending.delete(socket);
        if (error === null) callback(null, connected);
        else callback(failedConnection(error, place, peer), null);
      });
      pending.add(socket);
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      skipInterimResponses(socket, maxHeaderBytes);
      // Before undici's own listener, which takes a reset for the end of a body without a length.
      socket.prependListener("error", renameReset);
      if (options.protocol !== "https:") return;
      // Before Node's own listener, which destroys the socket, and then its peer's certificate cannot be read.
      const tls = socket as TLSSocket;
      tls.prependListener("secure", () => {
        peer = tls.getPeerCertificate(true);
      });
      // After a TLS alert the socket stays open until the server closes it, which would then look like the reason.
      tls.once("error", (error) => {
        tls.destroy(error);
      });
    },
    abandon() {
      for (const socket of pending) socket.destroy();
    },
    isSending: () => [...open].some((socket) => socket.writableLength > 0),
    countConnecting: () => [...pending].filter((socket) => socket.connecting).length,
  };
}

/** The pattern of an interim status line: each 9 is any digit, the last byte a space or the end of the line. */
const statusLine = Buffer.from("HTTP/1.9 199 ");

const headEnd = Buffer.from("\r\n\r\n");

/** Takes bytes as they arrive and returns those that belong to final responses. */
interface InterimFilter {
  /** To be called when a request is written: the next bytes are the beginning of a response. */
  begin(): void;
  /** Throws a RangeError when the head of an interim response is longer than the limit. */
  take(bytes: Buffer): Buffer;
}

/** A filter for one connection, on which one request waits at a time. */
export function createInterimFilter(maxHeadBytes: number): InterimFilter {
  /** `start` while the bytes so far may be those of an interim response, `interim` until its head ends. */
  let state: "start" | "interim" | "final" = "final";
  /** Bytes that are held back in the state `start`. */
  let held: Buffer = Buffer.alloc(0);
  let headBytes = 0;
  /** How many bytes of a head's end (`\r\n\r\n`) have just come. */
  let matched = 0;

  const skipHead = (bytes: Buffer): Buffer => {
    for (const [index, byte] of bytes.entries()) {
      matched = byte === headEnd[matched] ? matched + 1 : Number(byte === headEnd[0]);
      headBytes += 1;
      if (headBytes > maxHeadBytes) throw new RangeError("the head of an interim response is too long");
      if (matched < headEnd.length) continue;
      state = "start";
      return bytes.subarray(index + 1);
    }
    return Buffer.alloc(0);
  };

  return {
    begin() {
      // A request is written in several pieces, and a hasty service may respond between them.
      if (state === "final") state = "start";
    },
    take(bytes) {
      let rest = bytes;
      while (state !== "final" && rest.length > 0) {
        if (state === "interim") {
          rest = skipHead(rest);
          continue;
        }
        // Bytes that came in one piece are not copied: every page of a list comes through here.
        held = held.length === 0 ? rest : Buffer.concat([held, rest]);
        rest = Buffer.alloc(0);
        if (!mayBeInterim(held)) state = "final";
        else if (held.length < statusLine.length) return rest;
        else {
          state = "interim";
          headBytes = 0;
          matched = 0;
        }
        rest = held;
        held = Buffer.alloc(0);
      }
      return rest;
    },
  };
}

/** True if the bytes are the beginning of an interim response, or may become one. */
function mayBeInterim(bytes: Buffer): boolean {
  // No iterator, which would cost more than the comparison of every response.
  for (let index = 0; index < Math.min(bytes.length, statusLine.length); index += 1) {
    if (!mayStandAt(index, bytes[index] ?? 0)) return false;
  }
  return true;
}

function mayStandAt(index: number, byte: number): boolean {
  const wanted = statusLine[index];
  if (wanted === 0x39) return isDigit(byte);
  return byte === wanted || (index === statusLine.length - 1 && byte === 0x0d);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/**
 * From now on, reading from the socket gives no interim responses. Any write to it counts as the beginning of a request.
 */
function skipInterimResponses(socket: Socket, maxHeadBytes: number): void {
  const filter = createInterimFilter(maxHeadBytes);
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      try {
        const rest = filter.take(chunk);
        if (rest.length > 0) return rest;
      } catch (cause) {
        socket.destroy(
          Object.assign(new Error("interim response", { cause }), { code: "UND_ERR_HEADERS_OVERFLOW" }),
        );
        return null;
      }
    }
  };
  socket.write = (...args: unknown[]): boolean => {
    filter.begin();
    return (write as (...all: unknown[]) => boolean)(...args);
  };
}

export interface InFlight<T> extends Iterable<T> {
  add(request: T): void;
  /** Does nothing for a request that is not in flight. */
  remove(request: T): void;
}

/** In-flight requests; none at first. */
export function createInFlight<T>(): InFlight<T> {
  const requests: T[] = [];
  return {
    add(request) {
      requests.push(request);
    },
    remove(request) {
      const index = requests.indexOf(request);
      if (index !== -1) requests.splice(index, 1);
    },
    // A copy, because what is done to a request may end it.
    [Symbol.iterator]: () => [...requests].values(),
  };
}

/** How long connections rest: such servers close them, or say more, within a few milliseconds. */
const restMs = 10;

export interface ReuseCheck {
  /** The same connector, whose connections are watched. */
  watching(connect: Connector): Connector;
  /** To be called with each response; the rest begins with the first. */
  begin(): void;
  /** Resolves when the rest is over; null if it is over, or has not begun. */
  untilOver(): Promise<void> | null;
  /** To be called when a connection broke under a request: from then on, each is used once. */
  fail(): void;
  /** True if each connection is to be used once. */
  isFailed(): boolean;
}

/** A rest that has begun. */
interface Rest {
  /** Resolves when connections have rested long enough. */
  readonly over: Promise<void>;
  /** Keeps the process until then: a run that sends nothing more does not wait for it. */
  hold(): void;
}

export function createReuseCheck(startRest: () => Rest = restShortly): ReuseCheck {
  let isOver = false;
  let isFailed = false;
  let rest: Rest | null = null;
  const noteOver = async (over: Promise<void>): Promise<void> => {
    await over;
    isOver = true;
  };
  const noteEnd = (): void => {
    isFailed ||= !isOver;
  };
  return {
    watching: (connect) => (options, callback) =>
      connect(options, (...[error, socket]: Parameters<typeof callback>) => {
        if (error !== null) {
          callback(error, null);
          return;
        }
        socket.once("end", noteEnd).on("error", (cause: NodeJS.ErrnoException) => {
          // undici itself ends a connection in this way when the server has said that it will close it.
          if (cause.code !== "UND_ERR_INFO") noteEnd();
        });
        callback(null, socket);
      }),
    begin() {
      if (rest !== null) return;
      rest = startRest();
      void noteOver(rest.over);
    },
    untilOver() {
      if (rest === null || isOver) return null;
      rest.hold();
      return rest.over;
    },
    fail() {
      isFailed = true;
    },
    isFailed: () => isFailed,
  };
}

function restShortly(): Rest {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, restMs).unref();
  });
  return { over, hold: () => void timer?.ref() };
}

/** How often the clock is read, and how late a reading has to be to show that the process stood still. */
const beatMs = 250;
const timerLatenessMs = 500;

/**
 * How many beats a request waits before its agent is replaced. If even the quickest response took some, they are a
 * multiple of that, because opening a connection takes as long.
 */
const patience = { least: 4, timesQuickest: 8 };

export interface Turn {
  /** The agent for this request. Requests in flight with an earlier agent go on. */
  readonly agent: Agent;
  /** To be called when the request is over, with its whole response or without. */
  end(isAnswered: boolean): void;
}

export interface FreshAgents {
  /** For the next request. */
  begin(): Turn;
  /** Ends all connections. */
  destroy(): Promise<unknown>;
}

/**
 * Agents that `create` makes. `now` is in milliseconds since the epoch, and continues while the machine sleeps.
 * `countConnecting` counts the connections that are being opened.
 */
export function createFreshAgents(
  create: () => Agent,
  now: () => number,
  countConnecting: () => number,
): FreshAgents {
  let agent = create();
  let seenAt = now();
  let beats = 0;
  /** The fewest beats that a whole response took. */
  let quickest = Infinity;
  /** `since` is the beat since which a request waits beside this agent's connections. */
  const inFlight = createInFlight<{ since: number }>();
  const left = new Set<Agent>();
  const leave = async (old: Agent): Promise<void> => {
    left.add(old);
    await old.close().catch(() => undefined);
    left.delete(old);
  };
  const renew = (): void => {
    void leave(agent);
    agent = create();
    for (const request of inFlight) request.since = beats;
  };
  const look = (): void => {
    const time = now();
    if (time - seenAt > beatMs + timerLatenessMs) renew();
    seenAt = time;
  };
  const beat = setInterval(() => {
    look();
    beats += 1;
    const longest = Math.max(patience.least, patience.timesQuickest * quickest);
    const late = [...inFlight].filter(({ since }) => beats - since >= longest).length;
    // A server with a short queue drops connections that are opened at once. They are tried again after a second, and
    // opening all others again would only fill the queue.
    if (late > countConnecting()) renew();
  }, beatMs).unref();
  return {
    begin() {
      look();
      const sentAt = beats;
      const request = { since: sentAt };
      inFlight.add(request);
      return {
        agent,
        end(isAnswered) {
          inFlight.remove(request);
          if (isAnswered) quickest = Math.min(quickest, beats - sentAt);
        },
      };
    },
    destroy() {
      clearInterval(beat);
      return Promise.all([agent, ...left].map((one) => one.destroy()));
    },
  };
}

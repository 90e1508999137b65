// Connections: opening, monitoring and replacing them.
//
//   createEndpoint      TCP, and TLS with the certificate always verified. Failures get their messages here, if the
//                       certificate that caused one is still known.
//   interim responses   unsolicited 1xx responses are removed (RFC 9110, 15.2). undici would close the connection for
//                       some of them and lose a token in flight. Only the start of each response is inspected.
//   createReuseCheck    detects servers that silently close the connection after each response, or send unrequested
//                       data: reuse pauses for 10 ms after the first response; if a socket closes in that window, each
//                       connection is used once.
//   createAgentPool     replaces the undici agent when pooled connections may be stale: after the process was stopped
//                       or the machine slept (the server may have closed them, and undici's timer was stopped, too),
//                       and while a request waits long (a server that handles one connection at a time may be blocked
//                       by an idle one).
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { Agent, buildConnector as UndiciConnector } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import { failedConnection, resetCode } from "./transport-failure.ts";

/** Limit for the status line and headers of a response from the server or a proxy. */
export const maxHeaderBytes = 16 * 1024;

export type Connector = UndiciConnector.connector;

/** PEM texts. A null `ca` means the system's certificate authorities; a null `cert` sends no client certificate. */
export interface TlsOptions {
  readonly ca: string | readonly string[] | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/**
 * Renames the error code of a reset. In a response that is delimited by the end of its connection, undici treats
 * `ECONNRESET` as a regular end, because macOS may report a reset after a complete response. Here only a FIN is a
 * regular end. (A TLS connection that ends with a FIN but without close_notify cannot be detected: Node reports no
 * difference.)
 */
function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === "ECONNRESET") error.code = resetCode;
}

/** Opens connections to one server or proxy, which messages call `peerName`. */
export function createEndpoint(peerName: string, { ca, cert, key }: TlsOptions) {
  const pending = new Set<Socket>();
  const open = new Set<Socket>();
  const connect = buildConnector({
    // The transport limits the time of the whole request.
    timeout: 0,
    // undici would enable TCP keep-alive before the socket connects, which fails on old Windows and Wine with "connect
    // UNKNOWN". A run ends before the first probe would be sent.
    keepAlive: false,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 change Node's defaults.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ...(ca === null ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  });
  return {
    /** The connector for undici. It fails with a network Failure. */
    connect: ((options, callback) => {
      let peer: PeerCertificate | null = null;
      const socket = connect(options, (...[error, connected]: Parameters<typeof callback>) => {
        pending.delete(socket);
        if (error === null) callback(null, connected);
        else callback(failedConnection(error, peerName, peer), null);
      });
      pending.add(socket);
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      skipInterimResponses(socket, maxHeaderBytes);
      // Must run before undici's own listener, which treats a reset as the end of a body without a length.
      socket.prependListener("error", renameReset);
      if (options.protocol !== "https:") return;
      // Must run before Node's own listener, which destroys the socket; then the peer's certificate cannot be read.
      const tls = socket as TLSSocket;
      tls.prependListener("secure", () => {
        peer = tls.getPeerCertificate(true);
      });
      // After a TLS alert, the socket would stay open until the server closes it, and that would be reported as the
      // reason.
      tls.once("error", (error) => {
        tls.destroy(error);
      });
    }) satisfies Connector,
    /** Closes connections that are still being opened; otherwise undici, and so the process, would wait for them. */
    abandon(): void {
      for (const socket of pending) socket.destroy();
    },
    /**
     * True if unsent bytes are buffered, for example because the response arrived before the server read the whole
     * request. The process would wait for them.
     */
    isSending: () => [...open].some((socket) => socket.writableLength > 0),
    /** The number of connections whose TCP handshake is not complete. */
    countConnecting: () => [...pending].filter((socket) => socket.connecting).length,
  };
}

/** The pattern of an interim status line: 9 matches any digit, the last byte matches a space or CR. */
const statusLine = Buffer.from("HTTP/1.9 199 ");

const headEnd = Buffer.from("\r\n\r\n");

/** Removes interim responses from the bytes of one connection, with one request in flight at a time. */
function createInterimFilter(maxHeadBytes: number) {
  /** `start` while the bytes so far may be those of an interim response, `interim` until its head ends. */
  let state: "start" | "interim" | "final" = "final";
  /** Bytes held back in the state `start`. */
  let held: Buffer = Buffer.alloc(0);
  let headBytes = 0;
  /** The number of bytes of `headEnd` that were just matched. */
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
    /** Call when a request is written: the next bytes are the start of a response. */
    expectResponse(): void {
      // A request is written in several pieces, and the server may respond between them.
      if (state === "final") state = "start";
    },
    /** Returns the bytes of final responses. Throws a RangeError if an interim response is longer than the limit. */
    strip(bytes: Buffer): Buffer {
      let rest = bytes;
      while (state !== "final" && rest.length > 0) {
        if (state === "interim") {
          rest = skipHead(rest);
          continue;
        }
        // Bytes in one piece are not copied, because every page of a list passes through here.
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

/** True if the bytes begin an interim response, or are too few to tell. */
function mayBeInterim(bytes: Buffer): boolean {
  // No iterator: it would cost more than the comparison itself.
  for (let index = 0; index < Math.min(bytes.length, statusLine.length); index += 1) {
    if (!matchesStatusLineAt(index, bytes[index] ?? 0)) return false;
  }
  return true;
}

function matchesStatusLineAt(index: number, byte: number): boolean {
  const wanted = statusLine[index];
  if (wanted === 0x39) return isDigit(byte);
  return byte === wanted || (index === statusLine.length - 1 && byte === 0x0d);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Removes interim responses from the socket's data from now on. Every write counts as the start of a request. */
function skipInterimResponses(socket: Socket, maxHeadBytes: number): void {
  const filter = createInterimFilter(maxHeadBytes);
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      try {
        const rest = filter.strip(chunk);
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
    filter.expectResponse();
    return (write as (...all: unknown[]) => boolean)(...args);
  };
}

/** The pause before connections are reused: the servers in question close them, or send more, within a few ms. */
const reusePauseMs = 10;

export type ReuseCheck = ReturnType<typeof createReuseCheck>;

export function createReuseCheck(startPause = startReusePause) {
  let isOver = false;
  let isFailed = false;
  let pause: ReturnType<typeof startReusePause> | null = null;
  const noteOver = async (over: Promise<void>): Promise<void> => {
    await over;
    isOver = true;
  };
  const noteEnd = (): void => {
    isFailed ||= !isOver;
  };
  return {
    /** Wraps a connector to monitor its connections. */
    monitor:
      (connect: Connector): Connector =>
      (options, callback) =>
        connect(options, (...[error, socket]: Parameters<typeof callback>) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          socket.once("end", noteEnd).on("error", (cause: NodeJS.ErrnoException) => {
            // undici itself closes a connection with this error if the server has announced that it will close it.
            if (cause.code !== "UND_ERR_INFO") noteEnd();
          });
          callback(null, socket);
        }),
    /** Call with each response; the first one starts the pause. */
    begin(): void {
      if (pause !== null) return;
      pause = startPause();
      void noteOver(pause.ended);
    },
    /** Resolves when the pause is over; null if it is over, or has not started. */
    pauseEnd(): Promise<void> | null {
      if (pause === null || isOver) return null;
      pause.keepProcessAlive();
      return pause.ended;
    },
    /** Call when a connection broke during a request: from then on, each connection is used once. */
    fail(): void {
      isFailed = true;
    },
    /** True if each connection must be used only once. */
    isFailed: () => isFailed,
  };
}

/**
 * Starts a pause; `ended` resolves when it is over. `keepProcessAlive` keeps the process running until then; without it,
 * the pause does not delay its exit.
 */
function startReusePause() {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, reusePauseMs).unref();
  });
  return { ended, keepProcessAlive: () => void timer?.ref() };
}

/** The interval of clock readings, and the delay of a reading that shows that the process was suspended. */
const tickMs = 250;
const timerLatenessMs = 500;

/**
 * The number of ticks that a request waits before its agent is replaced: at least `least`, and a multiple of the
 * fastest response so far, because opening a new connection takes as long.
 */
const patience = { least: 4, timesFastest: 8 };

export type AgentPool = ReturnType<typeof createAgentPool>;
export type AgentLease = ReturnType<AgentPool["acquire"]>;

/**
 * Agents that `create` makes. `now` is in milliseconds since the epoch, and continues while the machine sleeps.
 * `countConnecting` counts the connections that are being opened.
 */
export function createAgentPool(create: () => Agent, now: () => number, countConnecting: () => number) {
  let agent = create();
  let lastCheckAt = now();
  let ticks = 0;
  /** The number of ticks of the fastest complete response. */
  let fastest = Infinity;
  /** `since` is the tick at which the request, or the current agent, was created, whichever is later. */
  const inFlight = new Set<{ since: number }>();
  const retired = new Set<Agent>();
  const retire = async (old: Agent): Promise<void> => {
    retired.add(old);
    await old.close().catch(() => undefined);
    retired.delete(old);
  };
  const renew = (): void => {
    void retire(agent);
    agent = create();
    for (const request of inFlight) request.since = ticks;
  };
  const checkClock = (): void => {
    const time = now();
    if (time - lastCheckAt > tickMs + timerLatenessMs) renew();
    lastCheckAt = time;
  };
  const ticker = setInterval(() => {
    checkClock();
    ticks += 1;
    const longest = Math.max(patience.least, patience.timesFastest * fastest);
    const late = [...inFlight].filter(({ since }) => ticks - since >= longest).length;
    // A server with a short accept queue drops some of many simultaneous connections. TCP retries them after a second;
    // opening all the others again would only fill the queue.
    if (late > countConnecting()) renew();
  }, tickMs).unref();
  return {
    acquire() {
      checkClock();
      const sentAt = ticks;
      const request = { since: sentAt };
      inFlight.add(request);
      return {
        /** The agent for this request. Requests in flight on a replaced agent continue. */
        agent,
        /** Call when the request has ended, with a complete response or without. */
        release(isAnswered: boolean): void {
          inFlight.delete(request);
          if (isAnswered) fastest = Math.min(fastest, ticks - sentAt);
        },
      };
    },
    /** Ends all connections. */
    destroy(): Promise<unknown> {
      clearInterval(ticker);
      return Promise.all([agent, ...retired].map((one) => one.destroy()));
    },
  };
}

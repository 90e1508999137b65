// Opens connections: TCP, and TLS with the certificate always verified. Failures get their messages here, where the
// certificate that caused one is still known.
import buildConnector from "undici/lib/core/connect.js";
import type { buildConnector as UndiciConnector } from "undici";
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { skipInterimAnswers } from "./interim-answers.ts";
import { failedConnection, resetCode } from "./transport-failure.ts";

/** The most bytes of status line and headers in an answer of the service or of a proxy. */
export const maxHeaderBytes = 16 * 1024;

export type Connector = UndiciConnector.connector;

/** PEM texts. A null `ca` means the system's certificate authorities; a null `cert` sends no client certificate. */
export interface TlsOptions {
  readonly ca: string | readonly string[] | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface Endpoint {
  /** The connector for undici. It fails with a network Failure. */
  readonly connect: Connector;
  /** Ends connections that are still being opened: undici, and so the process, would wait for them. */
  abandon(): void;
  /**
   * Whether bytes still wait to be sent, as where the answer came before the whole request was read: the process would
   * wait for them.
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
      skipInterimAnswers(socket, maxHeaderBytes);
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

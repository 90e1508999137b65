// Opens connections: TCP, and TLS with the certificate always verified. A failure is put into words here, while the
// certificate that caused it is still known.
import buildConnector from "undici/lib/core/connect.js";
import type { buildConnector as UndiciConnector } from "undici";
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { skipInterimAnswers } from "./interim-answers.ts";
import { failedConnection } from "./transport-failure.ts";

/** The longest head of an answer, of the service or of a proxy. */
export const maxHeaderBytes = 16 * 1024;

export type Connector = UndiciConnector.connector;

/** PEM texts; null keeps the system's certificate authorities, or sends no client certificate. */
export interface TlsOptions {
  readonly ca: string | readonly string[] | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface Endpoint {
  /** For undici. What fails is a network Failure. */
  readonly connect: Connector;
  /** Ends the connections that are still being opened: undici, and with it the process, would wait for them. */
  abandon(): void;
  /**
   * Whether something is still on its way out, as where an answer came before its request was taken: the process would
   * wait for it.
   */
  isSending(): boolean;
}

/** Opens the connections to one place, which messages call `place`. */
export function createEndpoint(place: string, { ca, cert, key }: TlsOptions): Endpoint {
  const pending = new Set<Socket>();
  const open = new Set<Socket>();
  const connect = buildConnector({
    // The time limit of the whole request is the transport's.
    timeout: 0,
    // undici would ask for it before the socket connects, which old Windows and Wine refuse as "connect UNKNOWN"; a run
    // of ours is over before the first probe would leave.
    keepAlive: false,
    // Said out loud, because NODE_TLS_REJECT_UNAUTHORIZED=0 would win over silence, and --tls-min-v1.0 too.
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
      if (options.protocol !== "https:") return;
      // Ahead of Node's own listener, which tears the connection down before anybody can ask whom it met.
      const tls = socket as TLSSocket;
      tls.prependListener("secure", () => {
        peer = tls.getPeerCertificate(true);
      });
      // An alert leaves the socket open until the other side closes it, which would then pass for the reason.
      tls.once("error", (error) => {
        tls.destroy(error);
      });
    },
    abandon() {
      for (const socket of pending) socket.destroy();
    },
    isSending: () => [...open].some((socket) => socket.writableLength > 0),
  };
}

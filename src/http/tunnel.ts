// Tunnels through a proxy with CONNECT (RFC 9110, 9.3.6), even for plain http origins, so that a response of the proxy
// is never mistaken for the server's. The proxy gets only its own credentials. Any response but 200 ends the attempt;
// there is no prompt for other credentials.
import Pool from "undici/lib/dispatcher/pool.js";
import { isIP, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { encodeBasic, type BasicCredentials } from "./authorization.ts";
import { createEndpoint, maxHeaderBytes, type Connector } from "./connector.ts";
import { failedProxy, refusedByProxy } from "./transport-failure.ts";

interface TunnelOptions {
  /** `http://host:port` or `https://host:port`, without credentials. */
  readonly proxy: string;
  /** The environment variable that sets the proxy. */
  readonly variable: string;
  readonly credentials: BasicCredentials | null;
  /** A certificate authority to trust in addition to Node's own ones, if the connection to the proxy uses TLS. */
  readonly ca: string | null;
}

/** A route to an origin: opens the connections to it, and closes its own connections to the proxy. */
export interface Route {
  /** The origin and the proxy, for messages. */
  readonly peerName: string;
  /** Wraps a connector to open its connections through this route. */
  wrapConnector(endpoint: Connector): Connector;
  close(): Promise<void>;
}

/** The route to `root` through a proxy. Its connections fail with a network Failure. */
export function createTunnel(root: string, options: TunnelOptions): Route {
  const { proxy, variable, credentials, ca } = options;
  const proxyEndpoint = createEndpoint(`the proxy ${proxy}`, {
    ca: ca === null ? null : [...rootCertificates, ca],
    cert: null,
    key: null,
  });
  // undici would take the TLS server name from the Host header, which names the origin. An IP address is not a valid
  // server name (RFC 6066, 3).
  const { hostname } = new URL(proxy);
  const servername = isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 ? hostname : "";
  const pool = new Pool(proxy, {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      proxyEndpoint.connect({ ...target, servername }, callback);
    },
  });
  const headers: Record<string, string> = { "Proxy-Connection": "keep-alive" };
  if (credentials !== null) headers["Proxy-Authorization"] = encodeBasic(credentials);

  return {
    peerName: `${root} through the proxy ${proxy}`,
    wrapConnector: (endpoint) => (target, callback) => {
      const path = connectAuthority(target);
      pool.dispatch(
        { method: "CONNECT", path, headers: { ...headers, Host: path } },
        {
          // Without this method, undici treats the object as a handler of its older API.
          onRequestStart: () => undefined,
          onRequestUpgrade(_, status, __, stream) {
            const socket = stream as Socket;
            if (status !== 200) {
              socket.on("error", () => undefined).destroy();
              callback(refusedByProxy(status, root, proxy, variable), null);
            } else if (target.protocol === "https:") endpoint({ ...target, httpSocket: socket }, callback);
            else callback(null, socket);
          },
          onResponseError(_, error) {
            callback(failedProxy(error, root, proxy), null);
          },
        },
      );
    },
    async close() {
      proxyEndpoint.abandon();
      await pool.destroy();
    },
  };
}

/** Host and port for CONNECT, which always requires the port (RFC 9110, 9.3.6). */
function connectAuthority({ hostname, port, protocol }: Parameters<Connector>[0]): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${host}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}

// Connections through a proxy with undici's EnvHttpProxyAgent, which decides with NO_PROXY, and asks for a tunnel with
// CONNECT (RFC 9110, 9.3.6) even for plain http origins, so that an answer of the proxy is never mistaken for the
// server's, and the proxy gets only its own credentials.
import { EnvHttpProxyAgent, Pool, type Agent, type Dispatcher, type buildConnector } from "undici";
import type { Proxy } from "../config/proxy.ts";
import { encodeBasic } from "./authorization.ts";
import { failedConnection, refusedByProxy } from "./transport-failure.ts";

interface ProxyAgentOptions {
  readonly root: string;
  readonly proxy: Proxy;
  readonly limits: Agent.Options;
  readonly connectToServer: buildConnector.connector;
  readonly connectToProxy: buildConnector.connector;
  /** For TLS to the server inside a tunnel. */
  readonly tls: buildConnector.BuildOptions;
}

export function openProxyAgent(options: ProxyAgentOptions): Dispatcher {
  const { proxy, limits, connectToServer, tls } = options;
  const { url, credentials, exempt } = proxy;
  return new EnvHttpProxyAgent({
    ...limits,
    httpProxy: url,
    httpsProxy: url,
    noProxy: exempt,
    ...(credentials === null ? {} : { token: encodeBasic(credentials) }),
    // For hosts that NO_PROXY exempts.
    connect: connectToServer,
    requestTls: tls,
    clientFactory: () => openPool(options),
  });
}

/**
 * The connections to the proxy itself. Every failure gets our own error: undici takes its own codes for those of a
 * connection that broke while idle, and would connect to a proxy that hangs up again and again.
 */
function openPool({ root, proxy, limits, connectToProxy }: ProxyAgentOptions): Dispatcher {
  const pool = new Pool(proxy.url, {
    ...limits,
    // The server name is the proxy's own, which undici would give as an IP address, too (not valid: RFC 6066, 3).
    connect: (target, callback) => {
      connectToProxy({ ...target, servername: "" }, callback);
    },
  });
  const ask = pool.connect.bind(pool);
  const askForTunnel = async (target: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const name = `${root} through the proxy ${proxy.url}`;
    const answer = await ask(target).catch((error: Error) => {
      throw failedConnection(error, name);
    });
    const { socket, statusCode } = answer;
    if (statusCode === 200 && !socket.destroyed) return answer;
    socket.on("error", () => undefined).destroy();
    throw statusCode === 200
      ? failedConnection(new Error("the connection was closed"), name)
      : refusedByProxy(statusCode, root, proxy);
  };
  return Object.assign(pool, { connect: askForTunnel });
}

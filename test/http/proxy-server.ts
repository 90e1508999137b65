// A proxy for tests: accepts CONNECT, connects every tunnel to the target that the test sets, and records requests and
// tunnelled bytes. It can respond to CONNECT with any bytes instead.
import { connect, createServer as createPlain, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { onTestFinished } from "vitest";

export interface ProxyServer {
  /** `http://127.0.0.1:port`, or https. */
  readonly root: string;
  readonly port: number;
  /** The head of every request, unchanged. */
  readonly heads: readonly string[];
  /** The bytes that clients sent through tunnels, in latin1. */
  carried(): string;
}

export interface ProxyOptions {
  /** The target of all tunnels, as `http://127.0.0.1:port`; by default the one in CONNECT. */
  readonly target?: string;
  /** Handles CONNECT instead of opening a tunnel. */
  readonly answer?: (socket: Socket, head: string) => void;
  /** Bytes sent in the same write after "200 Connection established". */
  readonly extra?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts a proxy; it is closed after the test. */
export async function startProxyServer(options: ProxyOptions = {}): Promise<ProxyServer> {
  const heads: string[] = [];
  const carried: Buffer[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    return socket;
  };

  const serve = (socket: Socket): void => {
    track(socket);
    let pending = "";
    const read = (chunk: Buffer): void => {
      pending += chunk.toString("latin1");
      if (!pending.includes("\r\n\r\n")) return;
      socket.off("data", read);
      heads.push(pending);
      if (options.answer !== undefined) {
        socket.on("data", (more: Buffer) => carried.push(more));
        options.answer(socket, pending);
        return;
      }
      const named = /^CONNECT (\S+) /.exec(pending)?.[1] ?? "";
      const target = new URL(options.target ?? `http://${named}`);
      const behind = track(connect(Number(target.port), target.hostname));
      socket.on("data", (more: Buffer) => {
        carried.push(more);
        behind.write(more);
      });
      behind.on("data", (more: Buffer) => socket.write(more));
      behind.on("close", () => socket.destroy());
      socket.on("close", () => behind.destroy());
      behind.on("connect", () => {
        socket.write(`HTTP/1.1 200 Connection established\r\n\r\n${options.extra ?? ""}`, "latin1");
      });
    };
    socket.on("data", read);
  };

  const server: Server = options.tls === undefined ? createPlain(serve) : createTls(options.tls, serve);
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    root: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    heads,
    carried: () => Buffer.concat(carried).toString("latin1"),
  };
}

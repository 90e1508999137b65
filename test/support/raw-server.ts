// A server that sends arbitrary bytes, for invalid responses.
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface RawServer {
  /** `http://127.0.0.1:port`. */
  readonly root: string;
  /** The received data, one string per chunk, in order. */
  readonly received: readonly string[];
  /** The number of connections, with or without data. */
  connections(): number;
  close(): Promise<void>;
}

/** Calls `answer` with each request head and the socket, and `greet` with each connection before data has arrived. */
export async function startRawServer(
  answer: (socket: Socket, request: string) => void,
  greet: (socket: Socket) => void = () => undefined,
): Promise<RawServer> {
  let connections = 0;
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    greet(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    let pending = "";
    socket.on("data", (chunk) => {
      pending += chunk.toString("latin1");
      const end = pending.indexOf("\r\n\r\n");
      if (end === -1) return;
      const request = pending;
      pending = "";
      received.push(request);
      answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    root: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** A complete HTTP/1.1 response with a JSON body and its length. */
export function jsonAnswer(status: number, body: unknown, headers: readonly string[] = []): string {
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} X`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${[...lines, ...headers].join("\r\n")}\r\n\r\n${text}`;
}

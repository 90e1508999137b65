// A hostile response: its bytes, and the possible results of a read and a write.
import type { Socket } from "node:net";
import { goodBody, goodStatus } from "./hostile-run.ts";

export interface HostileAnswer {
  readonly name: string;
  readonly answer: (socket: Socket, request: string) => void;
  /** Exit codes that are right. */
  readonly read: readonly number[];
  readonly write: readonly number[];
  /** True if only the time limit ends it. */
  readonly isEndless?: true;
}

type Bytes = string | Buffer;

/** Sends and, unless more could be expected, leaves the connection open. */
export function send(
  bytes: (request: string) => Bytes,
  end: "keep" | "end" | "reset" = "keep",
): HostileAnswer["answer"] {
  return (socket, request) => {
    const data = bytes(request);
    socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data, () => {
      if (end === "end") socket.end();
      if (end === "reset") socket.resetAndDestroy();
    });
  };
}

/** The JSON that a good service would answer with, an object where it would be nothing. */
export function body(request: string): string {
  return goodBody(request) ?? JSON.stringify({ id: 1 });
}

/** The right status of a response with a body, so 200 where it would be 204. */
function statusOf(request: string): number {
  const status = goodStatus(request);
  return status === 204 ? 200 : status;
}

/** A response with the right status and body, but for the headers and the framing that the case says. */
export function framed(
  make: (text: string, status: number) => string,
  end: "keep" | "end" = "keep",
): HostileAnswer["answer"] {
  return send((request) => make(body(request), statusOf(request)), end);
}

/** A whole response; `status` null for the right one. */
export function whole(
  status: number | null,
  headers: readonly string[],
  text?: (request: string) => Bytes,
): HostileAnswer["answer"] {
  return send((request) => {
    const content = text?.(request) ?? body(request);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const code = status ?? statusOf(request);
    const head = [
      `HTTP/1.1 ${code} X`,
      "Content-Type: application/json",
      `Content-Length: ${bytes.length}`,
      ...headers,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
  });
}

/** Bytes without end, a drop at a time. */
export function dripping(first: string, drop: string, everyMs = 20): HostileAnswer["answer"] {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(drop), everyMs);
    socket.on("close", () => {
      clearInterval(timer);
    });
  };
}

/** A response that came and is not believed. */
export const untrusted = { read: [11], write: [13] };
/** A response that did not come, or not to its end. */
export const cut = { read: [8], write: [13] };
/** A response that the time limit ends. */
export const endless = { ...cut, isEndless: true } as const;
export const chunked = "Transfer-Encoding: chunked\r\n\r\n";

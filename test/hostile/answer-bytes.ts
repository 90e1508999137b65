// A hostile response: its bytes, and the possible results of a read and a write.
import type { Socket } from "node:net";
import { goodBody, goodStatus } from "./hostile-run.ts";

export interface HostileAnswer {
  readonly name: string;
  readonly answer: (socket: Socket, request: string) => void;
  /** Correct exit codes. */
  readonly read: readonly number[];
  readonly write: readonly number[];
  /** True if only the time limit ends the run. */
  readonly isEndless?: true;
}

type Bytes = string | Buffer;

/** Sends the bytes and then closes the connection, unless more could follow. */
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

/** The JSON of a valid response, or an object if it has no body. */
export function body(request: string): string {
  return goodBody(request) ?? JSON.stringify({ id: 1 });
}

/** The correct status of a response with a body, so 200 instead of 204. */
function statusOf(request: string): number {
  const status = goodStatus(request);
  return status === 204 ? 200 : status;
}

/** A response with the correct status and body, and with the case's headers and framing. */
export function framed(
  make: (text: string, status: number) => string,
  end: "keep" | "end" = "keep",
): HostileAnswer["answer"] {
  return send((request) => make(body(request), statusOf(request)), end);
}

/** A complete response; `status` is null for the correct one. */
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

/** Endless bytes, sent in small pieces. */
export function dripping(first: string, drop: string, everyMs = 20): HostileAnswer["answer"] {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(drop), everyMs);
    socket.on("close", (): void => clearInterval(timer));
  };
}

/** A response that arrived and is rejected. */
export function untrusted(name: string, answer: HostileAnswer["answer"]): HostileAnswer {
  return { name, answer, read: [1], write: [13] };
}
/** A response that is missing or incomplete. */
export function cut(name: string, answer: HostileAnswer["answer"]): HostileAnswer {
  return { name, answer, read: [8], write: [13] };
}
/** A response that the time limit cuts off. */
export function endless(name: string, answer: HostileAnswer["answer"]): HostileAnswer {
  return { ...cut(name, answer), isEndless: true };
}
export const chunked = "Transfer-Encoding: chunked\r\n\r\n";

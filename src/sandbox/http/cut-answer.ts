// An answer that breaks off: sends its first bytes and closes the connection. Writes to the socket itself, because
// node's response sends headers whole or not at all.
import { once } from "node:events";
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Cut } from "./answer.ts";

interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Sends less than the whole answer. An answer without a body breaks off in its headers where the body is meant. */
export async function cutAnswer(response: ServerResponse, answer: WholeAnswer, cut: Cut): Promise<void> {
  const { socket: connection } = response.req;
  // The answers to earlier requests on this connection come first.
  if (response.socket === null && !connection.destroyed) {
    await Promise.race([once(response, "socket"), once(connection, "close")]);
  }
  connection.end(firstBytes(answer, cut), () => connection.destroy());
}

function firstBytes({ status, headers, body }: WholeAnswer, { within, share }: Cut): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`,
    "latin1",
  );
  if (within === "nothing") return Buffer.alloc(0);
  if (within === "headers" || body === undefined || body.length === 0) {
    return head.subarray(0, 1 + Math.floor(share * (head.length - 1)));
  }
  return Buffer.concat([head, body.subarray(0, Math.floor(share * body.length))]);
}

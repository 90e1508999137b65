// Removes unsolicited 1xx answers from a connection (RFC 9110, 15.2: a client ignores them). undici would close the
// connection for some of them, and a token on its way would be lost. Only the beginning of each answer is read; after
// the head of a final answer everything passes untouched.
import type { Socket } from "node:net";

/** The pattern of an interim status line: each 9 is any digit, the last byte a space or the end of the line. */
const statusLine = Buffer.from("HTTP/1.9 199 ");

const headEnd = Buffer.from("\r\n\r\n");

/** Takes bytes as they arrive and returns those that belong to final answers. */
export interface InterimFilter {
  /** To be called when a request is written: the next bytes are the beginning of an answer. */
  begin(): void;
  /** Throws a RangeError when the head of an interim answer is longer than the limit. */
  take(bytes: Buffer): Buffer;
}

/** A filter for one connection, on which one request waits at a time. */
export function createInterimFilter(maxHeadBytes: number): InterimFilter {
  /** `start` while the bytes so far may be those of an interim answer, `interim` until its head ends. */
  let state: "start" | "interim" | "final" = "final";
  /** Bytes that are held back in the state `start`. */
  let held: Buffer = Buffer.alloc(0);
  let headBytes = 0;
  /** How many bytes of a head's end (`\r\n\r\n`) have just come. */
  let matched = 0;

  const skipHead = (bytes: Buffer): Buffer => {
    for (const [index, byte] of bytes.entries()) {
      matched = byte === headEnd[matched] ? matched + 1 : Number(byte === headEnd[0]);
      headBytes += 1;
      if (headBytes > maxHeadBytes) throw new RangeError("the head of an interim answer is too long");
      if (matched < headEnd.length) continue;
      state = "start";
      return bytes.subarray(index + 1);
    }
    return Buffer.alloc(0);
  };

  return {
    begin() {
      // A request is written in several pieces, and a hasty service may answer between them.
      if (state === "final") state = "start";
    },
    take(bytes) {
      let rest = bytes;
      while (state !== "final" && rest.length > 0) {
        if (state === "interim") {
          rest = skipHead(rest);
          continue;
        }
        // Bytes that came in one piece are not copied: every page of a list comes through here.
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

/** Whether the bytes are the beginning of an interim answer, or may become one. */
function mayBeInterim(bytes: Buffer): boolean {
  // No iterator, which would cost more than the comparison of every answer.
  for (let index = 0; index < Math.min(bytes.length, statusLine.length); index += 1) {
    if (!mayStandAt(index, bytes[index] ?? 0)) return false;
  }
  return true;
}

function mayStandAt(index: number, byte: number): boolean {
  const wanted = statusLine[index];
  if (wanted === 0x39) return isDigit(byte);
  return byte === wanted || (index === statusLine.length - 1 && byte === 0x0d);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/**
 * From now on, reading from the socket gives no interim answers. Any write to it counts as the beginning of a request.
 */
export function skipInterimAnswers(socket: Socket, maxHeadBytes: number): void {
  const filter = createInterimFilter(maxHeadBytes);
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      try {
        const rest = filter.take(chunk);
        if (rest.length > 0) return rest;
      } catch (cause) {
        socket.destroy(
          Object.assign(new Error("interim answer", { cause }), { code: "UND_ERR_HEADERS_OVERFLOW" }),
        );
        return null;
      }
    }
  };
  socket.write = (...args: unknown[]): boolean => {
    filter.begin();
    return (write as (...all: unknown[]) => boolean)(...args);
  };
}

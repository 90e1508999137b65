// Answers bytes that are no HTTP: with one refusal, after which the connection ends. The rule: whole requests before
// them are answered first, so that their changes are not reported as requests that were not understood.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

interface Preceding {
  /** The newest request; earlier ones arrived whole. */
  message: IncomingMessage;
  readonly works: Set<Promise<void>>;
}

/** One for all connections of a server. */
export function createNonsense() {
  const connections = new WeakMap<Duplex, Preceding>();
  return {
    /** Notes a request; `work` ends when its answer has been handed over. Never rejects. */
    precede: (message: IncomingMessage, work: Promise<void>): void => {
      const preceding = connections.get(message.socket) ?? { message, works: new Set() };
      preceding.message = message;
      preceding.works.add(work);
      connections.set(message.socket, preceding);
      void work.then(() => preceding.works.delete(work));
    },
    /** For the server's `clientError`. */
    answer: (error: NodeJS.ErrnoException, socket: Duplex): void => {
      // Bytes after a request with `Connection: close` are ignored: that request is answered, and the connection
      // closed.
      if (error.code === "HPE_CLOSED_CONNECTION") return;
      const preceding = connections.get(socket);
      // A request that breaks off in its body gets this refusal itself, because its body will never be complete.
      if (preceding === undefined || preceding.works.size === 0 || !preceding.message.complete) {
        endWithRefusal(error, socket);
        return;
      }
      void endBehind(preceding.works, error, socket);
    },
  };
}

async function endBehind(
  works: ReadonlySet<Promise<void>>,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): Promise<void> {
  await Promise.all(works);
  if (socket.writable) endWithRefusal(error, socket);
}

function endWithRefusal(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = {
    HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
    ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  }[error.code ?? ""];
  socket.end(`HTTP/1.1 ${status ?? "400 Bad Request"}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

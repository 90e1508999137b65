// Answers bytes that are no HTTP: with one refusal, after which the connection ends. The rule: whole requests before
// them are answered first, so that their changes are not reported as requests that were not understood.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Requests that were not answered yet; a promise is fulfilled when the answer has been handed over. */
type UnderWay = ReadonlyMap<IncomingMessage, Promise<void>>;

/** For the server's `clientError`. */
export async function answerNonsense(
  underWay: UnderWay,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): Promise<void> {
  // Bytes after a request with `Connection: close` are ignored: that request is answered, and the connection closed.
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  // A request that breaks off in its body gets the refusal itself, because its body will never be complete.
  const whole = [...underWay].filter(([message]) => message.socket === socket && message.complete);
  if (whole.length > 0) {
    await Promise.all(whole.map(([, work]) => work));
    // The last answer may have ended the connection.
    if (!socket.writable) return;
  }
  endWithRefusal(error, socket);
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

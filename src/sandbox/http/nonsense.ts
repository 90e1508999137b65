// Answers what is no request to a service: bytes that are no HTTP, and what is asked of a proxy. The answer is one refusal,
// after which the connection ends. The rule: whole requests before it are answered first, so that their changes are not
// reported as requests that were not understood.
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
  if (await isEnded(underWay, socket)) return;
  endWithRefusal(error, socket);
}

/** For the server's `connect`: somebody has configured the sandbox as their proxy. */
export async function refuseTunnel(underWay: UnderWay, socket: Duplex): Promise<void> {
  // The socket is no longer the server's, which would otherwise take its failures and end it when it closes.
  socket.on("error", () => void socket.destroy());
  socket.once("finish", () => void socket.destroy());
  if (await isEnded(underWay, socket)) return;
  const body =
    "The sandbox is no proxy. Unset HTTP_PROXY and HTTPS_PROXY, and give its address as the base URL.\n";
  socket.end(
    `HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Waits for the answers to the whole requests on this connection; whether the last of them has ended it. */
async function isEnded(underWay: UnderWay, socket: Duplex): Promise<boolean> {
  // A request that breaks off in its body gets the refusal itself, because its body will never be complete.
  const whole = [...underWay].filter(([message]) => message.socket === socket && message.complete);
  await Promise.all(whole.map(([, work]) => work));
  return whole.length > 0 && !socket.writable;
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

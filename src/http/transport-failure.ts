// Failures of the connection, with message and kind. A write that was sent may have changed something, so its failure
// is `unknown`; any other is a plain network or protocol failure.
import { hints } from "../errors/hints.ts";
import type { PeerCertificate } from "node:tls";
import { Failure, type FailureDetails } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { isWrite, type HttpRequest } from "./request.ts";
import { describeTlsFailure, isRefusedHandshake } from "./tls-failure.ts";

/** The code of a reset in the place of `ECONNRESET`: see connector.ts. */
export const resetCode = "CONNECTION_RESET";

const connectReasons: Readonly<Record<string, string>> = {
  [resetCode]: "connection reset",
  ECONNREFUSED: "connection refused",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "name look-up failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  UND_ERR_SOCKET: "the connection was closed",
};

/** The reasons why an open connection broke, by error code. */
const brokenReasons: Readonly<Record<string, string>> = {
  [resetCode]: "connection reset",
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "the connection was closed",
};

/** Codes of failures that may be over a moment later, so that a read is worth repeating. */
const transientCodes = new Set([
  resetCode,
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EPIPE",
  "UND_ERR_SOCKET",
]);

/** No connection to `place` could be opened, so the request was not sent. `peer` is the server's certificate. */
export function failedConnection(error: Error, place: string, peer: PeerCertificate | null = null): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const tls = describeTlsFailure(error, peer);
  const reason = tls?.reason ?? connectReasons[code] ?? describe(error);
  return new Failure("network", `could not connect to ${place}: ${reason}`, {
    noAnswer: reason,
    transient: transientCodes.has(code),
    cause: error,
    hint: tls?.hint,
  });
}

/** The proxy answered CONNECT with another status than 200, so nothing was sent to `root`. */
export function refusedByProxy(status: number, root: string, proxy: string, variable: string): Failure {
  // Some proxies ask for credentials as a service does.
  const wantsCredentials = status === 407 || status === 401;
  const problem = wantsCredentials
    ? "requires other credentials than those in its URL"
    : "rejects the connection";
  return new Failure("network", `the proxy ${proxy} ${problem} (status ${status} to CONNECT for ${root})`, {
    // The status is the proxy's, and says nothing about the service.
    noAnswer: `the proxy answered ${status}`,
    transient: status === 502 || status === 503 || status === 504,
    hint: wantsCredentials
      ? `Add the user name and password to the URL in ${variable}: http://USER:PASSWORD@HOST:PORT`
      : `To connect without the proxy, set NO_PROXY=${new URL(root).hostname}.`,
  });
}

/** The proxy broke the connection, or its answer to CONNECT is no HTTP. */
export function failedProxy(error: Error, root: string, proxy: string): Failure {
  if (error instanceof Failure) return error;
  const reason =
    error.name === "HTTPParserError" || codeOf(error) === "UND_ERR_HEADERS_OVERFLOW"
      ? "its answer to CONNECT is not proper HTTP"
      : (connectReasons[codeOf(error)] ?? describe(error));
  return new Failure("network", `could not connect to ${root} through the proxy ${proxy}: ${reason}`, {
    noAnswer: `the proxy: ${reason}`,
    transient: transientCodes.has(codeOf(error)),
    cause: error,
  });
}

/**
 * The connection broke, or the answer broke the protocol, after the request was sent. `endsWithConnection`: the body that
 * was arriving has no length, so only an orderly end of the connection ends it.
 */
export function brokenConnection(error: Error, request: HttpRequest, endsWithConnection: boolean): Failure {
  const code = codeOf(error);
  if (isRefusedHandshake(error)) {
    const tls = describeTlsFailure(error, null);
    return new Failure("network", `${request.method} ${request.target.template}: ${tls?.reason ?? ""}`, {
      noAnswer: tls?.reason ?? "TLS failed",
      cause: error,
      hint: tls?.hint,
    });
  }
  if (looksLikeTls(error)) {
    const place = `${request.method} ${request.target.template}`;
    return new Failure("network", `${place}: plain http was sent to a port that speaks TLS`, {
      noAnswer: "the port speaks TLS",
      cause: error,
      hint: hints.scheme,
    });
  }
  if (error.name === "HTTPParserError" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return brokenAnswer(request, "is not proper HTTP", error);
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return brokenAnswer(request, "has too large a header", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return brokenAnswer(request, "is larger than 8 MiB", error);
  const [kind, what] = endsWithConnection
    ? (["protocol", "the answer is incomplete: the connection broke in a body without a length"] as const)
    : (["network", "the connection broke before the answer was complete"] as const);
  return afterSending(request, kind, what, {
    noAnswer: brokenReasons[code] ?? "the connection broke",
    transient: true,
    cause: error,
  });
}

/** Whether the connection broke under a request before anything of its answer arrived. */
export function isCutOff(error: unknown): boolean {
  if (!(error instanceof Failure) || error.details.received !== undefined) return false;
  const hasLeft = error.details.hasLeft === true || error.kind === "unknown";
  return hasLeft && error.cause instanceof Error && codeOf(error.cause) in brokenReasons;
}

/** The failure of a request that was ended because the run is over. */
export function cancelled(request: HttpRequest, hasLeft: boolean): Failure {
  const noAnswer = "cancelled";
  if (!hasLeft) return new Failure("network", "cancelled before it was sent", { noAnswer });
  return afterSending(request, "network", "it was cancelled before the answer was complete", { noAnswer });
}

/** Whether the answer is a TLS alert (RFC 8446, 5.1 and 6): a plain request went to a TLS server. */
function looksLikeTls(error: Error): boolean {
  const data: unknown = error.name === "HTTPParserError" && "data" in error ? error.data : undefined;
  return typeof data === "string" && /^\u0015\u0003[\0-\u0004]/.test(data);
}

/** An answer that cannot be trusted; `problem` continues "the answer …". */
export function brokenAnswer(
  request: HttpRequest,
  problem: string,
  cause?: unknown,
  status?: number,
): Failure {
  return afterSending(request, "protocol", `the answer ${problem}`, {
    noAnswer: `it ${problem}`,
    cause,
    status,
  });
}

/** The request took too long; `hasLeft` says whether it was sent at all. */
export function timedOut(request: HttpRequest, timeoutMs: number, hasLeft: boolean, place: string): Failure {
  const limit = `${timeoutMs / 1000} s`;
  if (!hasLeft) {
    return new Failure("network", `could not connect to ${place} within ${limit}`, {
      noAnswer: `no connection within ${limit}`,
      isTimedOut: true,
    });
  }
  return afterSending(request, "network", `no complete answer came within ${limit}`, {
    noAnswer: `the time limit of ${limit}`,
    isTimedOut: true,
  });
}

function afterSending(
  request: HttpRequest,
  kind: "network" | "protocol",
  what: string,
  details: Pick<FailureDetails, "noAnswer" | "isTimedOut" | "transient" | "cause" | "status">,
): Failure {
  const place = `${request.method} ${request.target.template}`;
  if (!isWrite(request)) return new Failure(kind, `${place}: ${what}`, { ...details, hasLeft: true });
  // Without `transient`, so that the write is never sent again.
  const { transient: _, ...sent } = details;
  return new Failure("unknown", `${place} was sent, but ${what}: the result is unknown`, {
    ...sent,
    hint: hints.notRetried,
  });
}

function codeOf(error: Error): string {
  // A name with several addresses fails with one error for each of them.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : "";
}

function describe(error: Error): string {
  return error.message === "" ? codeOf(error) || error.name : foreign(error.message);
}

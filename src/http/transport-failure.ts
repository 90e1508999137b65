// Turns what undici and Node report about a connection into failures. What a failure means depends on whether the request
// was sent, and on whether it may change something:
//
//   not sent         network: nothing can have happened
//   sent, a read     network if the connection broke, which is worth a retry; protocol if the response is not valid
//   sent, a write    unknown: it may have taken effect, so it is never repeated
//
// The exception is a TLS alert about the client certificate: with TLS 1.3 it comes after the request was sent, but the
// server has not read it.
import type { Proxy } from "../config/proxy.ts";
import { Failure, type FailureDetails } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { isWrite, type HttpRequest } from "./request.ts";

/** The limit for the body of a response. */
export const largestBody = 16 * 1024 * 1024;

/** Why a connection could not be opened, or broke, by error code. */
const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_HEADERS_OVERFLOW: "the answer's header is too large",
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "name look-up failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
};

/** Codes of transient failures, after which a read is worth retrying. */
const transientCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EPIPE", "UND_ERR_SOCKET"]);

/** For a connection that could not be opened: the request was not sent. */
export function failedConnection(error: Error, peerName: string): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  const hint = tlsHint(error);
  const isPlain = hint === hints.scheme;
  const reason = isPlain ? "the server does not use TLS" : (reasons[code] ?? describeError(error));
  return new Failure("network", `could not connect to ${peerName}: ${reason}`, {
    transient: transientCodes.has(code),
    cause: error,
    hint,
  });
}

/** For a CONNECT that the proxy rejected: nothing was sent to `root`. */
export function refusedByProxy(status: number, root: string, { url, variable }: Proxy): Failure {
  // Some proxies request credentials with 401 instead of 407.
  const wantsCredentials = status === 407 || status === 401;
  const problem = wantsCredentials
    ? "requires other credentials than those in its URL"
    : "rejects the connection";
  return new Failure("network", `the proxy ${url} ${problem} (status ${status} to CONNECT for ${root})`, {
    transient: status === 502 || status === 503 || status === 504,
    hint: wantsCredentials
      ? `Add the user name and password to the URL in ${variable}: http://USER:PASSWORD@HOST:PORT`
      : `To connect without the proxy, set NO_PROXY=${new URL(root).hostname}.`,
  });
}

/** For a connection that broke, or an invalid response, after the request was sent. `isInBody`: its head has arrived. */
export function brokenConnection(error: Error, request: HttpRequest, isInBody: boolean): Failure {
  const code = errorCode(error);
  const isPlain = tlsAlert.test(offendingText(error) ?? "");
  if (isPlain || aboutClientCertificate.test(code)) {
    const reason = isPlain ? "plain http was sent to a port that uses TLS" : describeError(error);
    const hint = isPlain ? hints.scheme : tlsHint(error);
    return new Failure("network", `${request.method} ${request.target.template}: ${reason}`, {
      cause: error,
      hint,
    });
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return brokenResponse(request, "has too large a header", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return brokenResponse(request, "is larger than 16 MiB", error);
  const isMismatch = code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
  const isInvalid = isMismatch || error.name === "HTTPParserError";
  // On a connection that was to be closed after it anyway, the parser reports the end of a body that is too short.
  const isCut = isInBody && (isMismatch || offendingText(error) === "");
  if (isInvalid && !isCut) return brokenResponse(request, "is not valid HTTP", error);
  return afterSending(request, "network", "the connection broke before the response was complete", {
    transient: true,
    cause: error,
  });
}

/** For a request that was cancelled because the run has ended. */
export function cancelled(request: HttpRequest, hasLeft: boolean): Failure {
  if (!hasLeft) return new Failure("network", "cancelled before it was sent");
  return afterSending(request, "network", "it was cancelled before the response was complete");
}

/** For an invalid response; `problem` continues "the response …". */
export function brokenResponse(
  request: HttpRequest,
  problem: string,
  cause?: unknown,
  status?: number,
): Failure {
  return afterSending(request, "protocol", `the response ${problem}`, { cause, status });
}

/** For a request that timed out; `hasLeft` is true if it was sent. */
export function timedOut(request: HttpRequest, timeoutMs: number, hasLeft: boolean, root: string): Failure {
  const limit = `${timeoutMs / 1000} s`;
  const isTimedOut = true;
  if (!hasLeft) return new Failure("network", `could not connect to ${root} within ${limit}`, { isTimedOut });
  return afterSending(request, "network", `no complete response came within ${limit}`, { isTimedOut });
}

function afterSending(
  request: HttpRequest,
  kind: "network" | "protocol",
  what: string,
  details: FailureDetails = {},
): Failure {
  const place = `${request.method} ${request.target.template}`;
  if (!isWrite(request)) return new Failure(kind, `${place}: ${what}`, details);
  // Without `transient`, so that the write is never retried.
  const { transient: _, ...sent } = details;
  return new Failure("unknown", `${place} was sent, but ${what}: the result is unknown`, {
    ...sent,
    hint: hints.notRetried,
  });
}

function errorCode(error: Error): string {
  // A host name with several addresses fails with one error per address.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return errorCode(error.errors[0]);
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : "";
}

/** Node's own words, in lower case. OpenSSL's reason stands in the middle of `…:SSL routines:func:reason:file:…`. */
function describeError(error: Error): string {
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  const text = reason === undefined ? error.message : `the TLS handshake failed: ${reason}`;
  return text === "" ? errorCode(error) || error.name : text.replace(/^[A-Z](?=[a-z])/, lowerCase);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** The text at which the parser stopped; empty if it stopped at the end, null for an error of another kind. */
function offendingText(error: Error): string | null {
  const data: unknown = error.name === "HTTPParserError" && "data" in error ? error.data : null;
  return typeof data === "string" ? data : null;
}

/** A TLS alert (RFC 8446, 5.1 and 6), the response to plain HTTP at a port that uses TLS. */
const tlsAlert = /^\u0015\u0003[\0-\u0004]/;

const aboutClientCertificate =
  /_ALERT_(?:CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

const clientCertificateHint =
  "Set client_cert and client_key to the files of a client certificate: `grantctl config set client_cert FILE`.";

/** The hint for each class of TLS failures, by Node's error code or OpenSSL's reason. */
const tlsHints: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|^UNABLE_TO_|^CERT_(?:UNTRUSTED|REJECTED|SIGNATURE)/, hints.authority],
  [/^CERT_HAS_EXPIRED$/, `The server's operators must renew it. ${hints.clock}`],
  [/^CERT_NOT_YET_VALID$/, hints.clock],
  [/ALTNAME_INVALID$/, hints.hostName],
  [aboutClientCertificate, clientCertificateHint],
  [/HANDSHAKE_FAILURE$/, clientCertificateHint],
  [/(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, hints.scheme],
];

function tlsHint(error: Error): string | undefined {
  const code = errorCode(error);
  // A failed write has OpenSSL's reason in its message alone.
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? "";
  const name = code === "EPROTO" ? reason.toUpperCase().replaceAll(" ", "_") : code;
  return tlsHints.find(([pattern]) => pattern.test(name))?.[1];
}

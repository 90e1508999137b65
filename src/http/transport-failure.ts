// Turns what undici and Node report about a connection into failures. What a failure means depends on whether the request
// was sent, and on whether it may change something:
//
//   not sent         network: nothing can have happened
//   sent, a read     network if the connection broke, which is worth a retry; protocol if the response is not valid
//   sent, a write    unknown: it may have taken effect, so it is never repeated
//
// The exception is a TLS alert about the client certificate: with TLS 1.3 it comes after the request was sent, but the
// server has not read it.
import { Failure, type FailureDetails } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { isWrite, type HttpRequest } from "./request.ts";

export const largestBody = 16 * 1024 * 1024;

/** Why a connection could not be opened, or broke, by error code. */
const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "the connection was closed",
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name cannot be resolved at the moment",
};

/** Codes of transient failures, after which a read is worth retrying. */
const transientCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EPIPE", "UND_ERR_SOCKET"]);

/** For a connection that could not be opened: the request was not sent. */
export function failedConnection(error: Error, peerName: string, hint = tlsHint(error)): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  return new Failure(
    "network",
    `could not connect to ${peerName}: ${reasons[code] ?? systemMessage(error)}`,
    { isTransient: transientCodes.has(code), cause: error, hint },
  );
}

/** For a connection that broke, or an invalid response, after the request was sent. `isInBody`: its head has arrived. */
export function brokenConnection(error: Error, request: HttpRequest, isInBody: boolean): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (aboutClientCertificate.test(code))
    return new Failure("network", `${request.method} ${request.target.template}: ${systemMessage(error)}`, {
      cause: error,
      hint: tlsHint(error),
    });
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return brokenResponse(request, "is too large", error);
  const isMismatch = code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
  const isInvalid = isMismatch || error.name === "HTTPParserError";
  // On a connection that was to be closed after it anyway, the parser reports the end of a body that is too short: it
  // stopped at no text.
  const isCut = isInBody && (isMismatch || ("data" in error && error.data === ""));
  if (isInvalid && !isCut) return brokenResponse(request, "is not valid HTTP", error);
  return afterSending(request, "network", "the connection broke before the response was complete", {
    isTransient: true,
    cause: error,
  });
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

/** For a request that was given up; `when` says after what. `hasLeft` is true if it was sent. */
export function givenUp(request: HttpRequest, hasLeft: boolean, root: string, when: string): Failure {
  if (!hasLeft) return new Failure("network", `could not connect to ${root} ${when}`);
  return afterSending(request, "network", `no complete response came ${when}`);
}

function afterSending(
  request: HttpRequest,
  kind: "network" | "protocol",
  what: string,
  details: FailureDetails = {},
): Failure {
  const place = `${request.method} ${request.target.template}`;
  if (!isWrite(request)) return new Failure(kind, `${place}: ${what}`, details);
  return new Failure("unknown", `${place} was sent, but ${what}: the result is unknown`, {
    ...details,
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
function systemMessage(error: Error): string {
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  const text = reason === undefined ? error.message : `the TLS handshake failed: ${reason}`;
  if (text === "") return errorCode(error) || error.name;
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

const aboutClientCertificate =
  /_ALERT_(?:CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

/** The hint for each class of TLS failures, by Node's error code or OpenSSL's reason. */
const tlsHints: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|^UNABLE_TO_|^CERT_(?:UNTRUSTED|REJECTED|SIGNATURE)/,
    "Specify the certificate authority with --ca-cert FILE.",
  ],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "Check the clock of this machine."],
  [/ALTNAME_INVALID$/, "Check the host name in the URL."],
  [/WRONG_VERSION_NUMBER$/, "Check the scheme of the URL (http or https)."],
  [/_PROTOCOL(?:_VERSION)?$/, "The server must support TLS 1.2 or later."],
  [
    /_ALERT_/,
    "The server may require a client certificate: set client_cert and client_key with `grantctl config set client_cert FILE`.",
  ],
];

function tlsHint(error: Error): string | undefined {
  const code = errorCode(error);
  return tlsHints.find(([pattern]) => pattern.test(code))?.[1];
}

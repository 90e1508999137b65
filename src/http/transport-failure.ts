// What went wrong between us and the service, in words and kinds. A write that had left when it went wrong may have
// changed something, so it is `unknown`; anything else is a plain network or protocol failure.
import { Failure } from "../errors/errors.ts";
import { isWrite, type HttpRequest } from "./request.ts";

const connectReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "name look-up failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  EPROTO: "TLS handshake failed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "a certificate in the chain is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's issuer is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's issuer is not known",
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
};

/** Failures that may be over a moment later, so that a read is worth repeating. */
const transientCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EPIPE", "UND_ERR_SOCKET"]);

/** No connection came about; the request has not left. */
export function failedConnection(error: Error, root: string): Failure {
  const code = codeOf(error);
  const isCertificate = code.includes("CERT") || code.includes("VERIFY") || code.includes("ISSUER");
  return new Failure("network", `could not connect to ${root}: ${connectReason(code) ?? describe(error)}`, {
    transient: transientCodes.has(code),
    cause: error,
    ...(isCertificate ? { hint: "name the right certificate authority with --ca-cert FILE" } : {}),
  });
}

/** The connection broke, or the answer broke the protocol, after the request had left. */
export function brokenConnection(error: Error, request: HttpRequest): Failure {
  const code = codeOf(error);
  if (error.name === "HTTPParserError" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return brokenAnswer(request, "is not proper HTTP", error);
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return brokenAnswer(request, "has too large a header", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return brokenAnswer(request, "is larger than 8 MiB", error);
  return afterSending(request, "network", "the connection broke before the answer was complete", {
    transient: true,
    cause: error,
  });
}

/** An answer that cannot be trusted; `problem` continues "the answer …". */
export function brokenAnswer(
  request: HttpRequest,
  problem: string,
  cause?: unknown,
  status?: number,
): Failure {
  return afterSending(request, "protocol", `the answer ${problem}`, {
    cause,
    ...(status === undefined ? {} : { status }),
  });
}

/** The time limit struck; `hasLeft` tells whether the request was on its way by then. */
export function timedOut(request: HttpRequest, timeoutMs: number, hasLeft: boolean, root: string): Failure {
  const limit = `${timeoutMs / 1000} s`;
  if (!hasLeft) return new Failure("network", `could not connect to ${root} within ${limit}`);
  return afterSending(request, "network", `no complete answer came within ${limit}`, {});
}

/** The same failure, with what had arrived by then. */
export function withReceived(
  failure: Failure,
  received: { readonly status: number; readonly body: Buffer },
): Failure {
  return new Failure(failure.kind, failure.message, { ...failure.details, received });
}

function afterSending(
  request: HttpRequest,
  kind: "network" | "protocol",
  what: string,
  details: { transient?: boolean; cause?: unknown; status?: number },
): Failure {
  const place = `${request.method} ${request.target.template}`;
  if (!isWrite(request)) return new Failure(kind, `${place}: ${what}`, details);
  return new Failure("unknown", `${place} was sent, but ${what}: whether it took effect is not known`, {
    cause: details.cause,
    ...(details.status === undefined ? {} : { status: details.status }),
    hint: "it is not sent again by itself; look first whether it took effect",
  });
}

function connectReason(code: string): string | undefined {
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "what answers there does not speak TLS";
  return connectReasons[code] ?? (code.startsWith("ERR_SSL_") ? "the TLS handshake failed" : undefined);
}

function codeOf(error: Error): string {
  // A name with several addresses fails with one error for each of them.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : "";
}

function describe(error: Error): string {
  return error.message === "" ? codeOf(error) || error.name : error.message;
}

// Creates the failures of connections. A write that was sent may have taken effect, so its failure is `unknown`; all
// others are network or protocol failures.
import type { PeerCertificate } from "node:tls";
import { Failure, type FailureDetails } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { hints } from "../errors/hints.ts";
import { isWrite, type HttpRequest } from "./request.ts";

/** Replaces `ECONNRESET`; see `renameReset` in connector.ts. */
export const resetCode = "CONNECTION_RESET";

/** Why an established connection broke, by error code. */
const brokenReasons: Readonly<Record<string, string>> = {
  [resetCode]: "connection reset",
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "the connection was closed",
};

const lengthMismatch = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** What the parser says, without a code, if chunks end too early on a connection that was to be closed anyway. */
const earlyEnd = "Invalid EOF state";

/** Why a connection could not be opened, by error code. */
const connectReasons: Readonly<Record<string, string>> = {
  ...brokenReasons,
  ECONNREFUSED: "connection refused",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "name look-up failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
};

/** Codes of transient failures, after which a read is worth retrying. */
const transientCodes = new Set([
  resetCode,
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EPIPE",
  "UND_ERR_SOCKET",
]);

/** For a connection that could not be opened: the request was not sent. `peer` is the server's certificate. */
export function failedConnection(
  error: Error,
  peerName: string,
  peer: PeerCertificate | null = null,
): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  const tls = describeTlsFailure(error, peer);
  const reason = tls?.reason ?? connectReasons[code] ?? describeError(error);
  return new Failure("network", `could not connect to ${peerName}: ${reason}`, {
    noResponse: reason,
    transient: transientCodes.has(code),
    cause: error,
    hint: tls?.hint,
  });
}

/** For a CONNECT that the proxy rejected: nothing was sent to `root`. */
export function refusedByProxy(status: number, root: string, proxy: string, variable: string): Failure {
  // Some proxies request credentials with 401 instead of 407.
  const wantsCredentials = status === 407 || status === 401;
  const problem = wantsCredentials
    ? "requires other credentials than those in its URL"
    : "rejects the connection";
  return new Failure("network", `the proxy ${proxy} ${problem} (status ${status} to CONNECT for ${root})`, {
    // This is the status of the proxy, not of the server.
    noResponse: `the proxy responded with ${status}`,
    transient: status === 502 || status === 503 || status === 504,
    hint: wantsCredentials
      ? `Add the user name and password to the URL in ${variable}: http://USER:PASSWORD@HOST:PORT`
      : `To connect without the proxy, set NO_PROXY=${new URL(root).hostname}.`,
  });
}

/** For a proxy that broke the connection, or whose response to CONNECT is not valid HTTP. */
export function failedProxy(error: Error, root: string, proxy: string): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  const reason =
    error.name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW"
      ? "its response to CONNECT is not valid HTTP"
      : (connectReasons[code] ?? describeError(error));
  return new Failure("network", `could not connect to ${root} through the proxy ${proxy}: ${reason}`, {
    noResponse: `the proxy: ${reason}`,
    transient: transientCodes.has(code),
    cause: error,
  });
}

/**
 * For a connection that broke, or a response that is not valid HTTP, after the request was sent. `isInBody`: the head of
 * the response has arrived. `endsWithConnection`: the body has no length, so it is complete only after a regular end of
 * the connection.
 */
export function brokenConnection(
  error: Error,
  request: HttpRequest,
  { isInBody, endsWithConnection }: { readonly isInBody: boolean; readonly endsWithConnection: boolean },
): Failure {
  const code = errorCode(error);
  const place = `${request.method} ${request.target.template}`;
  const refused = describeRefusedCertificate(code);
  if (refused !== null) {
    return new Failure("network", `${place}: ${refused.reason}`, {
      noResponse: refused.reason,
      cause: error,
      hint: refused.hint,
    });
  }
  if (looksLikeTls(error)) {
    return new Failure("network", `${place}: plain http was sent to a port that uses TLS`, {
      noResponse: "the port uses TLS",
      cause: error,
      hint: hints.scheme,
    });
  }
  const isCut = isInBody && (code === lengthMismatch || error.message.includes(earlyEnd));
  if (!isCut && (error.name === "HTTPParserError" || code === lengthMismatch)) {
    return brokenResponse(request, "is not valid HTTP", error);
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return brokenResponse(request, "has too large a header", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return brokenResponse(request, "is larger than 8 MiB", error);
  const [kind, what] = endsWithConnection
    ? (["protocol", "the response is incomplete: the connection broke in a body without a length"] as const)
    : (["network", "the connection broke before the response was complete"] as const);
  return afterSending(request, kind, what, {
    noResponse: brokenReasons[code] ?? "the connection broke",
    transient: true,
    cause: error,
  });
}

/** True if the connection broke after the request was sent and before any part of the response arrived. */
export function isCutOff(error: unknown): boolean {
  if (!(error instanceof Failure) || error.details.received !== undefined) return false;
  const hasLeft = error.details.hasLeft === true || error.kind === "unknown";
  return hasLeft && error.cause instanceof Error && errorCode(error.cause) in brokenReasons;
}

/** For a request that was cancelled because the run has ended. */
export function cancelled(request: HttpRequest, hasLeft: boolean): Failure {
  const noResponse = "cancelled";
  if (!hasLeft) return new Failure("network", "cancelled before it was sent", { noResponse });
  return afterSending(request, "network", "it was cancelled before the response was complete", {
    noResponse,
  });
}

/** True if the response is a TLS alert (RFC 8446, 5.1 and 6): plain HTTP was sent to a TLS server. */
function looksLikeTls(error: Error): boolean {
  const data: unknown = error.name === "HTTPParserError" && "data" in error ? error.data : undefined;
  return typeof data === "string" && /^\u0015\u0003[\0-\u0004]/.test(data);
}

/** For an invalid response; `problem` continues "the response …". */
export function brokenResponse(
  request: HttpRequest,
  problem: string,
  cause?: unknown,
  status?: number,
): Failure {
  return afterSending(request, "protocol", `the response ${problem}`, {
    noResponse: `it ${problem}`,
    cause,
    status,
  });
}

/** For a request that timed out; `hasLeft` is true if it was sent. */
export function timedOut(
  request: HttpRequest,
  timeoutMs: number,
  hasLeft: boolean,
  peerName: string,
): Failure {
  const limit = `${timeoutMs / 1000} s`;
  if (!hasLeft) {
    return new Failure("network", `could not connect to ${peerName} within ${limit}`, {
      noResponse: `no connection within ${limit}`,
      isTimedOut: true,
    });
  }
  return afterSending(request, "network", `no complete response came within ${limit}`, {
    noResponse: `the time limit of ${limit}`,
    isTimedOut: true,
  });
}

function afterSending(
  request: HttpRequest,
  kind: "network" | "protocol",
  what: string,
  details: Pick<FailureDetails, "noResponse" | "isTimedOut" | "transient" | "cause" | "status">,
): Failure {
  const place = `${request.method} ${request.target.template}`;
  if (!isWrite(request)) return new Failure(kind, `${place}: ${what}`, { ...details, hasLeft: true });
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

function describeError(error: Error): string {
  return error.message === "" ? errorCode(error) || error.name : foreign(error.message);
}

interface TlsFailure {
  /** Continues "could not connect to …: ". */
  readonly reason: string;
  readonly hint?: string;
}

/** Describes an error of Node's TLS; null for any other error. `peer` is the server's certificate, if one arrived. */
function describeTlsFailure(error: Error, peer: PeerCertificate | null): TlsFailure | null {
  const code = errorCode(error);
  const certificate = describeCertificateProblem(code, peer);
  if (certificate !== null) return certificate;
  // Several problems share this code, such as a weak key or an unknown critical extension; OpenSSL's message names
  // them.
  if (code === "UNSPECIFIED")
    return { reason: `the certificate was rejected: ${foreign(error.message.toLowerCase())}` };
  const handshake = handshakeProblem(code === "EPROTO" ? openSslReason(error) : code);
  if (handshake !== null) return handshake;
  return code === "EPROTO" || code.startsWith("ERR_SSL_") ? { reason: "the TLS handshake failed" } : null;
}

function describeCertificateProblem(code: string, peer: PeerCertificate | null): TlsFailure | null {
  switch (code) {
    case "CERT_HAS_EXPIRED": {
      const expired = certificateChain(peer).find(({ valid_to }) => Date.parse(valid_to) < Date.now());
      return {
        reason: `${certificateName(expired, peer)} has expired${dated(expired?.valid_to)}`,
        hint: `The server's operators must renew it. ${hints.clock}`,
      };
    }
    case "CERT_NOT_YET_VALID": {
      const early = certificateChain(peer).find(({ valid_from }) => Date.parse(valid_from) > Date.now());
      return {
        reason: `${certificateName(early, peer)} is not valid yet${dated(early?.valid_from)}`,
        hint: hints.clock,
      };
    }
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        reason: `the certificate${quotedName(peer?.subject)} is self-signed`,
        hint: hints.authority,
      };
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return {
        reason: `the certificate's authority${quotedName(certificateChain(peer).at(-1)?.subject)} is self-signed and not trusted`,
        hint: hints.authority,
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return {
        reason: `the certificate's issuer${quotedName(certificateChain(peer).at(-1)?.issuer)} is not trusted`,
        hint: hints.authority,
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        reason: `the certificate is for another host: ${peer?.subjectaltname?.slice(0, longest) ?? "it names none"}`,
        hint: hints.hostName,
      };
    case "CERT_REVOKED":
      return { reason: `the certificate${quotedName(peer?.subject)} is revoked` };
    case "CERT_SIGNATURE_FAILURE":
      return { reason: "the certificate's signature is wrong", hint: hints.authority };
    case "INVALID_CA":
    case "INVALID_PURPOSE":
    case "PATH_LENGTH_EXCEEDED":
    case "CERT_CHAIN_TOO_LONG":
    case "CERT_UNTRUSTED":
    case "CERT_REJECTED":
      return { reason: "a certificate in the chain may not be used for this", hint: hints.authority };
    default:
      return null;
  }
}

const certificateAlert =
  /_ALERT_(?:CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

const clientCertificateHint =
  "Set client_cert and client_key to the files of a client certificate: `grantctl config set client_cert FILE`.";

/** The failure if the server rejected our client certificate, which TLS 1.3 reports only after the request was sent. */
function describeRefusedCertificate(code: string): TlsFailure | null {
  if (!certificateAlert.test(code)) return null;
  const reason = code.endsWith("_ALERT_CERTIFICATE_REQUIRED")
    ? "it requires a client certificate"
    : "it rejected the client certificate, or requires one";
  return { reason, hint: clientCertificateHint };
}

/** The failure for an error code of Node, which consists of a prefix and OpenSSL's reason. */
function handshakeProblem(code: string): TlsFailure | null {
  const refused = describeRefusedCertificate(code);
  if (refused !== null) return refused;
  if (/(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|BAD_RECORD_TYPE)$/.test(code)) {
    return { reason: "the server does not use TLS", hint: hints.scheme };
  }
  if (/(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/.test(code)) {
    return { reason: "it does not support TLS 1.2 or later" };
  }
  if (/(?:HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|NO_SHARED_CIPHER|NO_CIPHERS_AVAILABLE)$/.test(code)) {
    return {
      reason:
        "the TLS handshake failed: it supports none of grantctl's ciphers, or requires a client certificate",
      hint: clientCertificateHint,
    };
  }
  if (code.endsWith("DH_KEY_TOO_SMALL")) return { reason: "the TLS handshake failed: its key is too weak" };
  return null;
}

/** OpenSSL's reason, which a failed write has in its message alone: `…:SSL routines:func:wrong version number:…`. */
function openSslReason(error: Error): string {
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? "";
  return reason.toUpperCase().replaceAll(" ", "_");
}

const longest = 200;

/** The certificate, followed by the issuers that the server sent; a root is its own issuer. */
function certificateChain(peer: PeerCertificate | null): readonly PeerCertificate[] {
  const chain: PeerCertificate[] = [];
  let next: PeerCertificate | undefined = peer ?? undefined;
  while (next !== undefined && !chain.includes(next) && chain.length < 20) {
    chain.push(next);
    next = (next as Partial<{ issuerCertificate: PeerCertificate }>).issuerCertificate;
  }
  return chain;
}

function certificateName(found: PeerCertificate | undefined, peer: PeerCertificate | null): string {
  return found === undefined || found === peer
    ? "the certificate"
    : `the certificate of its authority${quotedName(found.subject)}`;
}

type Names = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The name of a subject or issuer, in quotes after a space; empty if it has none. */
function quotedName(names: PeerCertificate["subject"] | undefined): string {
  // Each of the two may occur several times, or not at all.
  const { CN, O } = (names ?? {}) as unknown as Names;
  const name = [CN, O].flat().find((each) => each !== undefined && each !== "") ?? "";
  return name === "" ? "" : ` "${foreign(name.slice(0, longest))}"`;
}

function dated(time: string | undefined): string {
  const date = Date.parse(time ?? "");
  return Number.isNaN(date) ? "" : ` (${new Date(date).toISOString().slice(0, 10)})`;
}

// Says in one line which check of TLS failed, and for which name. Names come from an untrusted certificate: they are
// shortened here, and sanitised where they are printed.
import { hints } from "../errors/hints.ts";
import type { PeerCertificate } from "node:tls";
import { foreign } from "../errors/foreign.ts";

export interface TlsFailure {
  /** Continues "could not connect to …: ". */
  readonly reason: string;
  readonly hint?: string;
}

const trustHint = hints.authority;

/** Describes an error of Node's TLS; null for any other error. `peer` is the server's certificate, if one arrived. */
export function describeTlsFailure(error: Error, peer: PeerCertificate | null): TlsFailure | null {
  const code = codeOf(error);
  const certificate = describeCertificateProblem(code, peer);
  if (certificate !== null) return certificate;
  // Checks that share one code are told by OpenSSL's own message: a weak key, an unknown critical extension.
  if (code === "UNSPECIFIED")
    return { reason: `the certificate is refused: ${foreign(error.message.toLowerCase())}` };
  const handshake = handshakeProblem(code === "EPROTO" ? reasonOf(error) : code);
  if (handshake !== null) return handshake;
  return code === "EPROTO" || code.startsWith("ERR_SSL_") ? { reason: "the TLS handshake failed" } : null;
}

/** Whether the service refused our client certificate, which TLS 1.3 reports only after the request was sent. */
export function isRefusedHandshake(error: Error): boolean {
  return certificateAlert.test(codeOf(error));
}

function describeCertificateProblem(code: string, peer: PeerCertificate | null): TlsFailure | null {
  switch (code) {
    case "CERT_HAS_EXPIRED": {
      const expired = findInChain(peer, ({ valid_to }) => Date.parse(valid_to) < Date.now());
      return {
        reason: `${certificateName(expired, peer)} has expired${dated(expired?.valid_to)}`,
        hint: `The server's operators must renew it. ${hints.clock}`,
      };
    }
    case "CERT_NOT_YET_VALID": {
      const early = findInChain(peer, ({ valid_from }) => Date.parse(valid_from) > Date.now());
      return {
        reason: `${certificateName(early, peer)} is not valid yet${dated(early?.valid_from)}`,
        hint: hints.clock,
      };
    }
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return { reason: `the certificate${quoted(nameOf(peer?.subject))} is self-signed`, hint: trustHint };
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return {
        reason: `the certificate's authority${quoted(nameOf(lastOf(peer)?.subject))} is self-signed and not known here`,
        hint: trustHint,
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return {
        reason: `the certificate's issuer${quoted(nameOf(lastOf(peer)?.issuer))} is not known here`,
        hint: trustHint,
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        reason: `the certificate is for another host: ${peer?.subjectaltname?.slice(0, longest) ?? "it names none"}`,
        hint: hints.hostName,
      };
    case "CERT_REVOKED":
      return { reason: `the certificate${quoted(nameOf(peer?.subject))} is revoked` };
    case "CERT_SIGNATURE_FAILURE":
      return { reason: "the certificate's signature is wrong", hint: trustHint };
    case "INVALID_CA":
    case "INVALID_PURPOSE":
    case "PATH_LENGTH_EXCEEDED":
    case "CERT_CHAIN_TOO_LONG":
    case "CERT_UNTRUSTED":
    case "CERT_REJECTED":
      return { reason: "a certificate in the chain may not be used for this", hint: trustHint };
    default:
      return null;
  }
}

const certificateAlert =
  /_ALERT_(?:CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

const clientCertificateHint = "grantctl --client-cert FILE --client-key FILE …";

/** The failure for a code of Node, which is a prefix and OpenSSL's reason. */
function handshakeProblem(code: string): TlsFailure | null {
  if (code.endsWith("_ALERT_CERTIFICATE_REQUIRED")) {
    return { reason: "it requires a client certificate", hint: clientCertificateHint };
  }
  if (certificateAlert.test(code)) {
    return {
      reason: "it rejected the client certificate, or requires one",
      hint: clientCertificateHint,
    };
  }
  if (/(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|BAD_RECORD_TYPE)$/.test(code)) {
    return { reason: "the server does not use TLS", hint: hints.scheme };
  }
  if (/(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/.test(code)) {
    return { reason: "it does not support TLS 1.2 or later" };
  }
  if (/(?:HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|NO_SHARED_CIPHER|NO_CIPHERS_AVAILABLE)$/.test(code)) {
    return {
      reason: "the TLS handshake failed: it supports none of our ciphers, or requires a client certificate",
      hint: clientCertificateHint,
    };
  }
  if (code.endsWith("DH_KEY_TOO_SMALL")) return { reason: "the TLS handshake failed: its key is too weak" };
  return null;
}

/** OpenSSL's reason, which a failed write has in its message alone: `…:SSL routines:func:wrong version number:…`. */
function reasonOf(error: Error): string {
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? "";
  return reason.toUpperCase().replaceAll(" ", "_");
}

const longest = 200;

/** The certificate and those of its issuers that arrived; a root is its own issuer. */
function chainOf(peer: PeerCertificate | null): readonly PeerCertificate[] {
  const chain: PeerCertificate[] = [];
  let next: PeerCertificate | undefined = peer ?? undefined;
  while (next !== undefined && !chain.includes(next) && chain.length < 20) {
    chain.push(next);
    next = (next as Partial<{ issuerCertificate: PeerCertificate }>).issuerCertificate;
  }
  return chain;
}

function findInChain(
  peer: PeerCertificate | null,
  isMeant: (certificate: PeerCertificate) => boolean,
): PeerCertificate | undefined {
  return chainOf(peer).find(isMeant);
}

function lastOf(peer: PeerCertificate | null): PeerCertificate | undefined {
  return chainOf(peer).at(-1);
}

function certificateName(found: PeerCertificate | undefined, peer: PeerCertificate | null): string {
  return found === undefined || found === peer
    ? "the certificate"
    : `the certificate of its authority${quoted(nameOf(found.subject))}`;
}

type Names = Readonly<Record<string, string | readonly string[] | undefined>>;

function nameOf(names: PeerCertificate["subject"] | undefined): string {
  // Each of the two may occur several times, or not at all.
  const { CN, O } = (names ?? {}) as unknown as Names;
  return [CN, O].flat().find((name) => name !== undefined && name !== "") ?? "";
}

function quoted(name: string): string {
  return name === "" ? "" : ` "${foreign(name.slice(0, longest))}"`;
}

function dated(time: string | undefined): string {
  const date = Date.parse(time ?? "");
  return Number.isNaN(date) ? "" : ` (${new Date(date).toISOString().slice(0, 10)})`;
}

function codeOf(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : "";
}

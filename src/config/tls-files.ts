// Reads the PEM files of --ca-cert, client_cert and client_key, and tries them before anything is sent, so that an error
// names the setting: Node would ignore certificates that it cannot read, and a broken key would end a connection.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { usageFailure } from "../errors/errors.ts";
import { readInputFile, readPlainFile } from "../system/bounded-reads.ts";
import type { Setting } from "./settings.ts";

/** Larger than any system's certificate bundle. */
const largestPem = 16 * 1024 * 1024;

/** The PEM texts, null if no file was named. Throws a usage failure for a file that cannot be used. */
export async function readTlsFiles(
  settings: Readonly<Record<"caCert" | "clientCert" | "clientKey", Setting | undefined>>,
) {
  const { caCert, clientCert, clientKey } = settings;
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw usageFailure("client_cert and client_key must be set together");
  // One after the other, so that the same file is reported each time if several are unreadable.
  const ca = await readPem("ca_cert", caCert);
  const cert = await readPem("client_cert", clientCert);
  const key = await readPem("client_key", clientKey);
  const certificates = ca?.match(/-----BEGIN [^]*?-----END [^-]*-----/g) ?? [];
  if (!certificates.every(isCertificate))
    throw usageFailure("ca_cert contains a certificate that cannot be read");
  if (cert !== null && key !== null && !isPair(cert, key))
    throw usageFailure("client_cert and client_key are not a certificate and its key, without a passphrase");
  return { ca, cert, key };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function isPair(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key, passphrase: "" });
    // An empty passphrase keeps Node from asking for one.
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey({ key, passphrase: "" }));
  } catch {
    return false;
  }
}

async function readPem(key: string, setting: Setting | undefined): Promise<string | null> {
  if (setting === undefined) return null;
  const { value: path, source } = setting;
  const names = { flag: `--${key.replace("_", "-")}`, environment: `GRANTCTL_${key.toUpperCase()}` };
  const name = source in names ? names[source as keyof typeof names] : `the profile's ${key}`;
  // A named pipe may have no writer; a shell's `<(command)` has.
  const read = /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path) ? readInputFile : readPlainFile;
  const bytes = await read(path, largestPem).catch((error: unknown) => {
    throw usageFailure(`${name}: cannot read ${path}: ${(error as Error).message}`);
  });
  const text = bytes.toString();
  if (!/-----BEGIN [^]*-----END /.test(text)) throw usageFailure(`${name}: ${path} contains no PEM text`);
  return text;
}

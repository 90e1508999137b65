// Reads the PEM files of --ca-cert, client_cert and client_key, and tries them before anything is sent, so that an error
// names the setting: Node would ignore certificates that it cannot read, and a broken key would end a connection.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { usageFailure } from "../errors/errors.ts";
import { readInputFile, readPlainFile } from "../files/bounded-reads.ts";
import { isInheritedDescriptor } from "../files/special-paths.ts";
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
  for (const [block] of ca?.matchAll(/-----BEGIN [^]*?-----END [^-]*-----/g) ?? [])
    attempt("ca_cert", () => new X509Certificate(block));
  if (cert !== null && key !== null) {
    // A passphrase is not supported; an empty one keeps Node from asking for it.
    const secret = attempt("client_key", () => createPrivateKey({ key, passphrase: "" }));
    const isOfKey = attempt("client_cert", () => new X509Certificate(cert).checkPrivateKey(secret));
    if (!isOfKey) throw usageFailure("client_key is not the key of client_cert");
    attempt("client_cert", () => createSecureContext({ cert, key }));
  }
  return { ca, cert, key };
}

async function readPem(key: string, setting: Setting | undefined): Promise<string | null> {
  if (setting === undefined) return null;
  const { value: path, source } = setting;
  const names = { flag: `--${key.replace("_", "-")}`, environment: `GRANTCTL_${key.toUpperCase()}` };
  const name = source in names ? names[source as keyof typeof names] : `the profile's ${key}`;
  // A named pipe may have no writer; a shell's `<(command)` has.
  const read = isInheritedDescriptor(path) ? readInputFile : readPlainFile;
  const bytes = await read(path, largestPem).catch((error: unknown) => {
    throw usageFailure(`${name}: cannot read ${path}: ${(error as Error).message}`);
  });
  const text = bytes.toString();
  if (!/-----BEGIN [^]*-----END /.test(text)) throw usageFailure(`${name}: ${path} contains no PEM text`);
  return text;
}

function attempt<T>(key: string, use: () => T): T {
  try {
    return use();
  } catch {
    const more = key === "client_key" ? ", without a passphrase" : "";
    throw usageFailure(`${key} contains no PEM text that can be used${more}`);
  }
}

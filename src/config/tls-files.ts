// Reads the PEM files of --ca-cert, client_cert and client_key.
import { readInputFile } from "../files/bounded-reads.ts";
import { resolve } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { inWords } from "../errors/system-codes.ts";
import { isInheritedDescriptor } from "../files/special-paths.ts";
import { readTrustedFile } from "../files/trusted.ts";
import type { Setting } from "./settings.ts";

/** Larger than any system's certificate bundle. */
const largestPem = 16 * 1024 * 1024;

interface TlsTexts {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/** The files' settings, undefined if no file was named. */
type TlsSettings = Readonly<Record<"caCert" | "clientCert" | "clientKey", Setting | undefined>>;

/**
 * The PEM texts, null if no file was named. Throws a usage failure for a file that cannot be read, or that a user
 * other than `userId` and root can change.
 */
export async function readTlsFiles(
  { caCert, clientCert, clientKey }: TlsSettings,
  userId: number | null,
): Promise<TlsTexts> {
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    throw usageFailure("client_cert and client_key must be set together");
  }
  // Read sequentially, so that the same file is reported each time if several are unreadable.
  const ca = await readPem("ca_cert", caCert, userId);
  const cert = await readPem("client_cert", clientCert, userId);
  const key = await readPem("client_key", clientKey, userId);
  await checkPem({ ca, cert, key });
  return { ca, cert, key };
}

async function readPem(
  key: string,
  setting: Setting | undefined,
  userId: number | null,
): Promise<string | null> {
  if (setting === undefined) return null;
  const { value: path, source } = setting;
  const names = { profile: `the profile's ${key}`, environment: `GRANTCTL_${key.toUpperCase()}` };
  const name = source in names ? names[source as keyof typeof names] : `--${key.replace("_", "-")}`;
  let text: string;
  try {
    if (source !== "profile" && isInheritedDescriptor(path)) {
      // An inherited descriptor, such as a shell's `<(command)`, has no path that other users could change.
      text = (await readInputFile(path, largestPem)).toString();
    } else {
      text = readTrustedFile(resolve(path), { userId, maxBytes: largestPem }).toString();
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause.with({}, `${name}: ${cause.marked}`);
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = cause instanceof Error && cause.name === "Unreadable" ? message : inWords(code ?? message);
    throw usageFailure(`${name}: cannot read ${foreign(path)}: ${reason}`);
  }
  if (!text.includes("-----BEGIN ")) throw usageFailure(`${name}: ${foreign(path)} contains no PEM text`);
  return text;
}

/** Validates the texts up front, so that an error names the file instead of breaking a connection. */
async function checkPem({ ca, cert, key }: TlsTexts): Promise<void> {
  if (ca === null && cert === null) return;
  const [{ createSecureContext }, { createPrivateKey, X509Certificate }] = await Promise.all([
    import("node:tls"),
    import("node:crypto"),
  ]);
  // Node silently ignores certificate authorities that it cannot parse.
  const blocks = ca === null ? [] : [...ca.matchAll(/-----BEGIN [^]*?-----END [^-]*-----/g)];
  const unusable = "contains no usable PEM text";
  if (ca !== null && blocks.length === 0) throw usageFailure(`--ca-cert ${unusable}`);
  for (const [block] of blocks) readOrRefuse(() => new X509Certificate(block), `--ca-cert ${unusable}`);
  if (cert === null || key === null) return;
  const own = readOrRefuse(() => new X509Certificate(cert), `client_cert ${unusable}`);
  // grantctl does not support passphrases; an empty one keeps Node from prompting for it.
  const secret = readOrRefuse(
    () => createPrivateKey({ key, passphrase: "" }),
    `client_key ${key.includes("ENCRYPTED") ? "is encrypted" : unusable}`,
  );
  // Node would silently send no certificate if the key does not match it.
  if (!own.checkPrivateKey(secret)) throw usageFailure("client_key is not the key of client_cert");
  // OpenSSL rejects keys and certificates that are too weak.
  readOrRefuse(() => createSecureContext({ cert, key }), `client_cert ${unusable}`);
}

function readOrRefuse<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch {
    throw usageFailure(problem);
  }
}

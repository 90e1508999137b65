// Reads the PEM files of --ca-cert, client_cert and client_key.
import { usageFailure } from "../errors/errors.ts";
import { readInputFile } from "../system/reads.ts";
import { settingTable, type Setting } from "./settings.ts";

type TlsSettings = Readonly<Record<"caCert" | "clientCert" | "clientKey", Setting | undefined>>;

/** The PEM texts, null if no file was named. Throws a usage failure for a file that cannot be read, or is not PEM. */
export async function readTlsFiles(settings: TlsSettings) {
  if ((settings.clientCert === undefined) !== (settings.clientKey === undefined))
    throw usageFailure("client_cert and client_key must be set together");
  return {
    ca: await readPem("caCert", settings),
    cert: await readPem("clientCert", settings),
    key: await readPem("clientKey", settings),
  };
}

async function readPem(name: keyof TlsSettings, settings: TlsSettings): Promise<string | null> {
  const { value: path } = settings[name] ?? {};
  if (path === undefined) return null;
  const { key } = settingTable[name];
  const bytes = await readInputFile(path).catch((error: unknown) => {
    throw usageFailure(`${key}: cannot read ${path}: ${(error as Error).message}`);
  });
  const text = bytes.toString();
  // Node would ignore a text without certificates.
  if (!/-----BEGIN [^]*-----END /.test(text)) throw usageFailure(`${key}: ${path} contains no PEM text`);
  return text;
}

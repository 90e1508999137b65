// Creates certificates with openssl: authorities, and the certificates they sign, with any dates and names.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** If false, tests with certificates are skipped. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The file of `cert`. */
  readonly file: string;
  readonly keyFile: string;
}

export interface Wanted {
  readonly commonName?: string;
  /** In openssl's syntax: `IP:127.0.0.1,DNS:service.test`. */
  readonly names?: string;
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  readonly isAuthority?: boolean;
}

export interface CertificateMaker {
  /** Creates a certificate, signed by an authority or self-signed. */
  make(name: string, wanted: Wanted, authority?: Certificate): Certificate;
  remove(): void;
}

/** A folder of certificates. */
export function createCertificateMaker(): CertificateMaker {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-certificates-"));
  const run = (words: readonly string[]): void => {
    execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
  };
  let count = 0;
  return {
    make(name, wanted, authority) {
      count += 1;
      const at = (kind: string): string => join(folder, `${name}-${count}.${kind}`);
      const { commonName = name, names, from = -1, to = 2, isAuthority = false } = wanted;
      const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
      const out = ["-keyout", at("key"), "-out", at("csr")];
      run(["req", "-new", ...key, "-nodes", ...out, "-subj", `/CN=${commonName}`]);
      writeFileSync(at("index"), "");
      writeFileSync(
        at("conf"),
        [
          ...`[ca] default_ca=one [one] database=${at("index")} new_certs_dir=${folder}`.split(" "),
          ..."rand_serial=yes default_md=sha256 policy=any unique_subject=no".split(" "),
          ..."[any] commonName=supplied [extensions]".split(" "),
          `basicConstraints=critical,CA:${isAuthority ? "TRUE" : "FALSE"}`,
          ...(names === undefined ? [] : [`subjectAltName=${names}`]),
          "",
        ].join("\n"),
      );
      const signer =
        authority === undefined
          ? ["-selfsign", "-keyfile", at("key")]
          : ["-cert", authority.file, "-keyfile", authority.keyFile];
      const dates = ["-startdate", dateIn(from), "-enddate", dateIn(to)];
      const files = ["-config", at("conf"), "-in", at("csr"), "-out", at("pem")];
      run(["ca", "-batch", "-notext", "-extensions", "extensions", ...signer, ...dates, ...files]);
      return {
        key: readFileSync(at("key"), "utf8"),
        cert: readFileSync(at("pem"), "utf8"),
        file: at("pem"),
        keyFile: at("key"),
      };
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One time for all certificates and expected dates, because midnight may pass in between. */
const now = Date.now();

function timeIn(days: number): string {
  return new Date(now + days * 86_400_000).toISOString();
}

/** `YYYYMMDDHHMMSSZ`. */
function dateIn(days: number): string {
  const time = timeIn(days);
  return `${time.replaceAll(/[-:T]/g, "").slice(0, 14)}Z`;
}

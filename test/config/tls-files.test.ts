// Unusable PEM files are reported before anything is sent, and their content is never shown.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCertificateMaker, hasOpenssl } from "../support/certificates.ts";
import { startRecordingServer } from "../support/recording-server.ts";

const folder = mkdtempSync(join(tmpdir(), "grantctl-tls-"));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const pem = write("good.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");
const text = write("notes.txt", "hush-hush");
const empty = write("empty.pem", "");
const locked = write("locked.pem", "-----BEGIN CERTIFICATE-----");
chmodSync(locked, 0o000);

const wrongFiles: [readonly string[], RegExp, Readonly<Record<string, string>>?][] = [
  [
    ["--ca-cert", join(folder, "nosuch.pem")],
    /--ca-cert: cannot read .*nosuch\.pem: no such file or directory/,
  ],
  [["--ca-cert", folder], /--ca-cert: .* is not a file/],
  [["--ca-cert", ""], /--ca-cert/],
  [["--ca-cert", text], /--ca-cert: .*notes\.txt contains no PEM/],
  [["--ca-cert", empty], /--ca-cert: .*empty\.pem contains no PEM/],
  [[], /must be set together/, { GRANTCTL_CLIENT_CERT: pem }],
  [[], /must be set together/, { GRANTCTL_CLIENT_KEY: pem }],
  [[], /GRANTCTL_CLIENT_KEY: .*notes\.txt/, { GRANTCTL_CLIENT_CERT: pem, GRANTCTL_CLIENT_KEY: text }],
  [[], /GRANTCTL_CLIENT_CERT: .*notes\.txt/, { GRANTCTL_CLIENT_CERT: text, GRANTCTL_CLIENT_KEY: pem }],
];

test.each(wrongFiles)("%j exits with code 2 and sends nothing: %s", async (flags, message, environment) => {
  const server = await startRecordingServer();
  const run = await server.run(["grant", "list", ...flags], { environment: environment ?? {} });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toMatch(message);
  expect(run.stderr).not.toContain("hush");
});

test("reports a malformed PEM file as a usage failure, not as an internal error", async () => {
  const server = await startRecordingServer();
  const run = await server.run(["grant", "list", "--ca-cert", pem, "--base-url", "https://127.0.0.1:9"]);
  expect(run.code).toBe(2);
});

describe.skipIf(!hasOpenssl)("a client certificate", () => {
  test("that is unusable or does not match the key exits with code 2 and names the wrong file", async () => {
    const maker = createCertificateMaker();
    onTestFinished(() => {
      maker.remove();
    });
    const [own, other] = [maker.make("own", {}), maker.make("other", { keyBits: 2048 })];
    const encrypted = `${other.keyFile}.locked`;
    execFileSync("openssl", [
      "pkey",
      "-aes128",
      "-passout",
      "pass:x",
      "-in",
      other.keyFile,
      "-out",
      encrypted,
    ]);
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const ending = async (cert: string, key: string): Promise<string> => {
      const run = await server.run(["grant", "list"], {
        environment: { GRANTCTL_CLIENT_CERT: cert, GRANTCTL_CLIENT_KEY: key },
      });
      return `${run.code} ${run.stderr}`.trim();
    };
    const unusable = "contains no usable PEM text";
    expect(await ending(own.file, own.keyFile)).toBe("0");
    expect(await ending(own.file, other.keyFile)).toBe(
      "2 grantctl: client_key is not the key of client_cert",
    );
    expect(await ending(own.keyFile, own.keyFile)).toBe(`2 grantctl: client_cert ${unusable}`);
    expect(await ending(own.file, own.file)).toBe(`2 grantctl: client_key ${unusable}`);
    expect(await ending(other.file, encrypted)).toBe("2 grantctl: client_key is encrypted");
  });
});

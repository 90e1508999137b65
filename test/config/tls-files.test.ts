// A client certificate and its key must fit; other unusable files are in a script.
import { execFileSync } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { createCertificateMaker, hasOpenssl } from "../support/certificates.ts";
import { test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";

test("the wrong file is named, and nothing is sent", async ({ serve, grantctl, skip }) => {
  skip(!hasOpenssl);
  const maker = createCertificateMaker();
  onTestFinished(() => maker.remove());
  const [own, other] = [maker.make("own", {}), maker.make("other", { keyBits: 2048 })];
  const locked = `${other.keyFile}.locked`;
  execFileSync("openssl", ["pkey", "-aes128", "-passout", "pass:x", "-in", other.keyFile, "-out", locked]);
  const server = await serve(on("ALL /*", json(200, [])));
  const refused =
    "2 grantctl: client_cert and client_key are not a certificate and its key, without a passphrase\n";
  for (const [cert, key, ending] of [
    [own.file, own.keyFile, "0 "],
    [own.file, other.keyFile, refused],
    [own.keyFile, own.keyFile, refused],
    [own.file, own.file, refused],
    [other.file, locked, refused],
  ] as const) {
    const environment = { GRANTCTL_CLIENT_CERT: cert, GRANTCTL_CLIENT_KEY: key };
    const { code, stderr } = await grantctl("grant list", { environment });
    expect(`${code} ${stderr}`).toBe(ending);
  }
  expect(server.requests).toHaveLength(1);
});

// Certificates are always verified, whatever the environment contains, and against the given authority. The tests
// create them with openssl and are skipped without it.
import { spawn } from "node:child_process";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../src/http/transport.ts";
import { runBinary } from "../support/binary.ts";
import {
  createCertificateMaker,
  hasOpenssl,
  type Certificate,
  type CertificateMaker,
} from "../support/certificates.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { makeRequest } from "./doubles.ts";

const servers: Server[] = [];
let maker: CertificateMaker;

/** A server with an empty list and this certificate; counts the requests that arrive. */
async function serve(
  options: ServerOptions,
): Promise<{ readonly root: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(options, (request, response) => {
    requests.push(`${request.method} ${request.headers.authorization}`);
    response.setHeader("Content-Type", "application/json");
    response.end("[]");
  });
  server.on("tlsClientError", () => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { root: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function send(
  root: string,
  ca: string | undefined,
  method: "GET" | "DELETE" = "GET",
  own: { readonly cert?: string; readonly key?: string } = {},
): Promise<number> {
  const transport = createTransport({
    root,
    timeoutMs: 100_000,
    tls: { ca, ...own },
    proxy: null,
    concurrency: 8,
  });
  try {
    return (await transport.send(makeRequest({ method }))).status;
  } finally {
    await transport.close();
  }
}

const strict = (version: "TLSv1.2" | "TLSv1.3", leaf: Certificate, ca: Certificate): ServerOptions => ({
  ...leaf,
  requestCert: true,
  rejectUnauthorized: true,
  ca: ca.cert,
  minVersion: version,
  maxVersion: version,
});

describe.skipIf(!hasOpenssl)("a certificate (skipped if openssl is not installed)", () => {
  let right: Certificate;
  let other: Certificate;
  let authority: Certificate;

  beforeAll(() => {
    maker = createCertificateMaker();
    right = maker.make("right", { names: "IP:127.0.0.1" });
    other = maker.make("other", { names: "IP:127.0.0.1" });
    authority = maker.make("authority", { commonName: "Our Own Authority", isAuthority: true });
  });

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    maker.remove();
  });

  test("is accepted only if its authority is given; otherwise nothing is sent", async () => {
    const { root, requests } = await serve(right);
    for (const ca of [undefined, other.cert]) {
      for (const method of ["GET", "DELETE"] as const) {
        const failure = await thrownFailure(() => send(root, ca, method));
        expect([failure.kind, failure.exitCode, failure.details.isTransient]).toEqual(["network", 8, false]);
        expect(failure.message).toContain("self-signed certificate");
        expect(failure.details.hint).toContain("--ca-cert");
      }
    }
    expect(requests).toEqual([]);
    expect([await send(root, right.cert), requests.length]).toEqual([200, 1]);
  });

  test("is verified whatever NODE_TLS_REJECT_UNAUTHORIZED contains", async () => {
    const { root, requests } = await serve(right);
    const account = { GRANTCTL_BASE_URL: root, GRANTCTL_USERNAME: "octo", GRANTCTL_PASSWORD: "hunter2" };
    for (const environment of [
      account,
      { ...account, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      { ...account, NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_OPTIONS: "--no-warnings" },
    ]) {
      const finished = await runBinary(["grant", "list"], { environment });
      expect([finished.code, finished.stdout]).toEqual([8, ""]);
      expect(finished.stderr).toContain("self-signed");
      // Node would warn that verification is off.
      expect(finished.stderr).not.toContain("Warning");
      expect(finished.stderr).not.toContain("hunter2");
    }
    expect(requests).toEqual([]);

    const trusting = await runBinary(["grant", "list", "--json", "--ca-cert", right.file], {
      environment: account,
    });
    expect([trusting.code, JSON.parse(trusting.stdout), trusting.stderr]).toEqual([0, [], ""]);
    expect(requests).toEqual([`GET Basic ${Buffer.from("octo:hunter2").toString("base64")}`]);
  });

  test.each<
    [string, { readonly from?: number; readonly to?: number; readonly names?: string }, RegExp, RegExp]
  >([
    ["has expired", { from: -9, to: -2 }, /certificate has expired/, /clock/],
    ["is not valid yet", { from: 2, to: 9 }, /certificate is not yet valid/, /clock/],
    [
      "is for another host",
      { names: "DNS:a.example" },
      /altnames.*a\.example|a\.example.*altnames|not in the cert's list/,
      /Check the host name/,
    ],
  ])("that %s is rejected with Node's reason, and nothing is sent", async (_, wanted, words, hint) => {
    const leaf = maker.make("leaf", { names: "IP:127.0.0.1", ...wanted }, authority);
    const { root, requests } = await serve(leaf);
    for (const method of ["GET", "DELETE"] as const) {
      const failure = await thrownFailure(() => send(root, authority.cert, method));
      expect([failure.kind, failure.exitCode, failure.details.isTransient]).toEqual(["network", 8, false]);
      expect(failure.message).toContain(`could not connect to ${root}: `);
      expect(failure.message).toMatch(words);
      expect(failure.details.hint).toMatch(hint);
    }
    expect(requests).toEqual([]);
  });

  test.each<[string, ServerOptions]>([
    ["is that of a version before TLS 1.2", { maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }],
    ["has no cipher of ours", { maxVersion: "TLSv1.2", ciphers: "NULL-SHA256:@SECLEVEL=0" }],
  ])("whose server %s: the handshake fails", async (_, options) => {
    const leaf = maker.make("leaf", { names: "IP:127.0.0.1" }, authority);
    const { root, requests } = await serve({ ...leaf, minVersion: "TLSv1", ...options });
    const failure = await thrownFailure(() => send(root, authority.cert));
    expect([failure.kind, requests.length]).toEqual(["network", 0]);
    expect(failure.message).toContain("the TLS handshake failed: ");
  });

  describe("of the client", () => {
    test.each(["TLSv1.2", "TLSv1.3"] as const)("is sent only on request, by %s", async (version) => {
      const server = maker.make("server", { names: "IP:127.0.0.1" }, authority);
      const client = maker.make("client", {}, authority);
      const { root, requests } = await serve(strict(version, server, authority));
      expect(await send(root, authority.cert, "GET", client)).toBe(200);
      expect(requests).toHaveLength(1);
      for (const own of [undefined, maker.make("stranger", {}, other)])
        expect((await thrownFailure(() => send(root, authority.cert, "GET", own))).kind).toBe("network");
      expect(requests).toHaveLength(1);
    });

    test.each(["-tls1_2", "-tls1_3"])(
      "that is missing or rejected is reported, even if %s reports it after the request was sent",
      async (version) => {
        const certificate = maker.make("server", { names: "IP:127.0.0.1" }, authority);
        const files = ["-cert", certificate.file, "-key", certificate.keyFile, "-CAfile", authority.file];
        const child = spawn(
          "openssl",
          [
            "s_server",
            ..."-accept 127.0.0.1:0 -Verify 1 -verify_return_error -www".split(" "),
            version,
            ...files,
          ],
          { stdio: ["ignore", "pipe", "ignore"] },
        );
        try {
          const root = `https://127.0.0.1:${await portOf(child.stdout)}`;
          for (const method of ["GET", "DELETE"] as const) {
            const failure = await thrownFailure(() => send(root, authority.cert, method));
            expect([failure.kind, failure.exitCode]).toEqual(["network", 8]);
            expect(failure.message).toMatch(/certificate required|bad certificate|handshake failure/);
            expect(failure.details.hint).toContain("client_cert FILE");
          }
          const stranger = maker.make("stranger", {}, other);
          const failure = await thrownFailure(() => send(root, authority.cert, "DELETE", stranger));
          expect([failure.kind, failure.exitCode]).toEqual(["network", 8]);
          expect(failure.message).toMatch(/unknown ca|bad certificate/);
        } finally {
          child.kill();
        }
      },
    );
  });
});

/** The port that `openssl s_server` prints. */
async function portOf(said: Readable): Promise<string> {
  let text = "";
  for await (const chunk of said.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const port = /^ACCEPT .*:(\d+)\n/m.exec(text)?.[1];
    if (port !== undefined) {
      said.resume();
      return port;
    }
  }
  throw new Error(`openssl s_server ended: ${text}`);
}

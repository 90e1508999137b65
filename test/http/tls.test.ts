// Certificates: verified always, whatever the environment says, and by the authority that was named. Made on the fly
// with openssl; where there is none, these tests are skipped.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { connect as connectSocket, createServer as createGate, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../src/http/transport.ts";
import { runBinary } from "../support/binary.ts";
import { failureOf, makeRequest } from "./doubles.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

let folder = "";
const servers: Server[] = [];

function makeCertificate(name: string, subject: string): Certificate {
  const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const words = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  execFileSync(
    "openssl",
    [...words, "-keyout", key, "-out", file, "-subj", `/CN=${name}`, "-addext", `subjectAltName=${subject}`],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8"), file };
}

/** A service with an empty list behind this certificate; counts the requests that got through. */
async function serve({
  key,
  cert,
}: Certificate): Promise<{ readonly root: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
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

async function send(root: string, ca: string | null, method: "GET" | "DELETE" = "GET"): Promise<number> {
  const transport = createTransport({
    root,
    timeoutMs: 5000,
    nodeVersion: process.versions.node,
    tls: { ca, cert: null, key: null },
  });
  try {
    return (await transport.send(makeRequest({ method }))).status;
  } finally {
    await transport.close();
  }
}

describe.skipIf(!hasOpenssl)("a certificate (skipped where there is no openssl to make one)", () => {
  let right: Certificate;
  let other: Certificate;
  let elsewhere: Certificate;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "grantctl-tls-"));
    right = makeCertificate("right", "IP:127.0.0.1");
    other = makeCertificate("other", "IP:127.0.0.1");
    elsewhere = makeCertificate("elsewhere", "DNS:service.example.com");
  });

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test("that is its own authority is refused, and nothing is sent", async () => {
    const { root, requests } = await serve(right);
    for (const method of ["GET", "DELETE"] as const) {
      const failure = await failureOf(() => send(root, null, method));
      expect([failure.kind, failure.exitCode]).toEqual(["network", 8]);
      expect(failure.message).toContain("self-signed");
      expect(failure.details.hint).toContain("--ca-cert");
      expect(failure.details.transient).not.toBe(true);
    }
    expect(requests).toEqual([]);
  });

  test("is accepted when its authority is named", async () => {
    const { root, requests } = await serve(right);
    expect(await send(root, right.cert)).toBe(200);
    expect(requests).toHaveLength(1);
  });

  test("of another authority than the named one is refused", async () => {
    const { root, requests } = await serve(right);
    expect((await failureOf(() => send(root, other.cert))).kind).toBe("network");
    expect(requests).toEqual([]);
  });

  test("for another host is refused, even from the named authority", async () => {
    const { root, requests } = await serve(elsewhere);
    const failure = await failureOf(() => send(root, elsewhere.cert));
    expect(failure.kind).toBe("network");
    expect(failure.message).toContain("another host");
    expect(requests).toEqual([]);
  });

  test("is verified by the program whatever NODE_TLS_REJECT_UNAUTHORIZED says", async () => {
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
      expect(finished.stderr).not.toContain("hunter2");
    }
    expect(requests).toEqual([]);

    const trusting = await runBinary(["grant", "list", "--json", "--ca-cert", right.file], {
      environment: account,
    });
    expect([trusting.code, JSON.parse(trusting.stdout), trusting.stderr]).toEqual([0, [], ""]);
    expect(requests).toEqual([`GET Basic ${Buffer.from("octo:hunter2").toString("base64")}`]);
  });

  test("that comes after the time limit lets nothing out any more", async () => {
    const { root, requests } = await serve(right);
    let isThrough = false;
    // Holds the handshake back until the limit has struck, then lets it through.
    const gate = createGate((socket) => {
      const behind = connectSocket(Number(new URL(root).port), "127.0.0.1");
      behind.on("error", () => undefined);
      socket.on("error", () => undefined);
      setTimeout(() => {
        socket.pipe(behind);
        behind.pipe(socket);
        behind.once("data", () => (isThrough = true));
      }, 500);
    });
    await new Promise<void>((resolve) => {
      gate.listen(0, "127.0.0.1", resolve);
    });
    const transport = createTransport({
      root: `https://127.0.0.1:${(gate.address() as AddressInfo).port}`,
      timeoutMs: 200,
      nodeVersion: process.versions.node,
      tls: { ca: right.cert, cert: null, key: null },
    });
    const failure = await failureOf(() => transport.send(makeRequest({ method: "DELETE" })));
    expect(failure.kind).toBe("network");
    await expect.poll(() => isThrough, { timeout: 5000 }).toBe(true);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(requests).toEqual([]);
    await transport.close();
    gate.close();
  });

  test("does not help a server that speaks no TLS", async () => {
    const failure = await failureOf(() => send("https://127.0.0.1:1", right.cert));
    expect(failure.kind).toBe("network");
  });
});

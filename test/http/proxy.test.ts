// Proxies get only the server's host and port and their own credentials, whatever they answer. The real program runs if
// Node's own standard error matters.
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { runBinary } from "../support/binary.ts";
import {
  createCertificateMaker,
  hasOpenssl,
  type Certificate,
  type CertificateMaker,
} from "../support/certificates.ts";
import { startProxyServer } from "./proxy-server.ts";
import { test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";
import { runMain } from "../support/test-host.ts";

const account = {
  GRANTCTL_USERNAME: "octavia",
  GRANTCTL_PASSWORD: "canary-PASSWORD",
  GRANTCTL_OTP: "canary-OTP",
};
const proxyBasic = Buffer.from("corp:canary-PROXY").toString("base64");
const accountBasic = Buffer.from("octavia:canary-PASSWORD").toString("base64");
const noSecret = new RegExp(`canary|${proxyBasic}|${accountBasic}`);

/** The proxy's URL, including credentials. */
const withCredentials = (root: string): string => root.replace("://", "://corp:canary-PROXY@");

const says =
  (text: string, end = true) =>
  (socket: Socket): void => {
    socket.write(text, "latin1");
    if (end) socket.end();
  };

describe.skipIf(!hasOpenssl)("an https server behind a proxy (skipped without openssl)", () => {
  let maker: CertificateMaker;
  let authority: Certificate;
  let server: Server;
  let port = 0;
  const requests: string[] = [];

  beforeAll(async () => {
    maker = createCertificateMaker();
    authority = maker.make("authority", { isAuthority: true });
    const own = maker.make("own", { names: "DNS:service.test,IP:127.0.0.1" }, authority);
    server = createServer(own, (request, response) => {
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end("[]");
    });
    server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    maker.remove();
  });

  const environmentFor = (proxy: string, host = "service.test"): Record<string, string> => ({
    ...account,
    GRANTCTL_BASE_URL: `https://${host}:${port}`,
    HTTPS_PROXY: proxy,
  });
  const trusting = (...words: readonly string[]): readonly string[] => [
    ...words,
    "--ca-cert",
    authority.file,
    "--debug",
  ];

  test("is reached, and the proxy gets only host, port and its own credentials", async () => {
    const proxy = await startProxyServer({ target: `http://127.0.0.1:${port}` });
    requests.length = 0;
    const run = await runMain(trusting("grant", "list", "--json"), {
      environment: environmentFor(withCredentials(proxy.root)),
    });
    expect([run.code, run.stdout]).toEqual([0, "[]\n"]);
    expect(run.stderr).not.toMatch(noSecret);
    expect(proxy.heads).toHaveLength(1);
    const [line, ...headers] = (proxy.heads[0] ?? "").trimEnd().toLowerCase().split("\r\n");
    expect(line).toBe(`connect service.test:${port} http/1.1`);
    expect(headers.toSorted((one, two) => one.localeCompare(two))).toEqual([
      "connection: close",
      `host: service.test:${port}`,
      `proxy-authorization: basic ${proxyBasic.toLowerCase()}`,
      "proxy-connection: keep-alive",
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain(accountBasic);
    expect(requests[0]?.toLowerCase()).not.toContain("proxy-");
    expect(proxy.carried()).not.toMatch(noSecret);
    expect(proxy.carried()).not.toMatch(/GET |applications|octavia/);
  });

  test("is reached directly on loopback, or if NO_PROXY exempts it", async () => {
    const proxy = await startProxyServer();
    const run = await runMain(trusting("grant", "list"), {
      environment: environmentFor(proxy.root, "127.0.0.1"),
    });
    expect([run.code, proxy.heads]).toEqual([0, []]);
    const exempt = { ...environmentFor(proxy.root), NO_PROXY: "example.com,.test" };
    const other = await runMain(trusting("grant", "list"), { environment: exempt });
    expect([other.code, proxy.heads]).toEqual([8, []]);
    expect(other.stderr).toContain(`could not connect to https://service.test:${port}: no such host`);
  });

  test.for<[string, (socket: Socket) => void, RegExp]>([
    [
      "401 that asks for a code",
      says("HTTP/1.1 401 X\r\nX-Service-OTP: required; app\r\nContent-Length: 2\r\n\r\n{}", false),
      /401/,
    ],
    ["407", says("HTTP/1.1 407 X\r\n\r\n"), /407.*\n.*HTTPS_PROXY=http:.*NO_PROXY=/],
    [
      "200 and plain text",
      says("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n[]"),
      /wrong version number.*\n.*scheme/,
    ],
    ["200 and the end", says("HTTP/1.1 200 OK\r\n\r\n"), /connection/],
    ["200 and silence", says("HTTP/1.1 200 OK\r\n\r\n", false), /within 1 s/],
    ["nothing", () => undefined, /within 1 s/],
    ["the end", says(""), /closed/],
    ["garbage", says("SSH-2.0-x\r\n\r\n"), /does not match the HTTP/],
    ["a head without end", says(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`), /Overflow/],
  ])("gets no request, and the proxy few connections, if it answers with %s", async ([, answer, words]) => {
    requests.length = 0;
    for (const [command, times] of [
      [
        ["grant", "list"],
        [1, 4],
      ],
      [["grant", "delete", "1", "--yes"], [1]],
    ] as const) {
      const proxy = await startProxyServer({ answer });
      // A short limit only for responses that never come; anything else may take long on a busy machine.
      const seconds = words.test("within 1 s") ? "1" : "100";
      const run = await runMain(trusting(...command, "--timeout", seconds), {
        environment: environmentFor(withCredentials(proxy.root)),
      });
      expect(run.code).toBe(8);
      expect(run.stdout).toMatch(/^(?:failed\t1\n)?$/);
      expect(run.stderr).toMatch(words);
      expect(run.stderr).not.toMatch(noSecret);
      expect(run.stderr).not.toMatch(/one-time password/);
      expect(times).toContain(proxy.heads.length);
      expect(proxy.heads[0]?.replace(proxyBasic, "")).not.toMatch(noSecret);
      expect(proxy.carried()).not.toMatch(noSecret);
    }
    expect(requests).toEqual([]);
  });

  test("is verified: a proxy that intercepts gets no request", async () => {
    // The certificate's name contains the proxy's own password, which must still not be printed.
    const intruder = maker.make("intruder", { names: "DNS:canary-PROXY.test" }, authority);
    const seen: string[] = [];
    const between = createServer(intruder, (request) => void seen.push(request.url ?? ""));
    between.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    const target = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const proxy = await startProxyServer({ target });
    const run = await runMain(trusting("grant", "list"), {
      environment: environmentFor(withCredentials(proxy.root)),
    });
    expect(run.code).toBe(8);
    expect(run.stderr).toContain("does not match certificate's altnames");
    expect(run.stderr).not.toMatch(noSecret);
    expect([seen, proxy.heads.length]).toEqual([[], 1]);
    between.close();
  });

  test("can be behind a proxy that uses TLS, which is verified too", async () => {
    const certificate = maker.make("proxy", { names: "IP:127.0.0.1,DNS:localhost" }, authority);
    const proxy = await startProxyServer({ target: `http://127.0.0.1:${port}`, tls: certificate });
    // By name and by IP address: Node warns if an IP address is sent as a server name.
    for (const root of [proxy.root, proxy.root.replace("127.0.0.1", "localhost")]) {
      const environment = environmentFor(withCredentials(root));
      const run = await runBinary(["grant", "list", "--json", "--ca-cert", authority.file], { environment });
      expect([run.code, run.stdout, run.stderr]).toEqual([0, "[]\n", ""]);
    }
    expect(proxy.heads).toHaveLength(2);
    const distrustful = await runBinary(["grant", "list"], {
      environment: { ...environmentFor(withCredentials(proxy.root)), NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    });
    expect([distrustful.code, distrustful.stdout]).toEqual([8, ""]);
    expect(distrustful.stderr).toContain(`through the proxy ${proxy.root}: `);
    expect(distrustful.stderr).not.toMatch(noSecret);
    expect(distrustful.stderr).not.toContain("Warning");
    expect(proxy.heads).toHaveLength(2);
  });

  test("does not keep the real program running behind a proxy that is silent", async () => {
    const silent = await startProxyServer({ answer: () => undefined });
    const run = await runBinary(["grant", "list", "--timeout", "1"], {
      environment: environmentFor(silent.root),
    });
    expect(run.code).toBe(8);
  });
});

test("a plain http server on another machine is reached with CONNECT too", async ({ serve }) => {
  const service = await serve(on("ALL /*", json(200, [])));
  const proxy = await startProxyServer({ target: service.root });
  const environment = { ...account, GRANTCTL_ALLOW_HTTP: "1", GRANTCTL_BASE_URL: "http://service.test" };
  const run = await runMain(["grant", "list"], {
    environment: { ...environment, HTTP_PROXY: withCredentials(proxy.root) },
  });
  expect(run.code).toBe(0);
  expect(proxy.heads[0]).toMatch(/^CONNECT service\.test:80 HTTP/);
  expect(proxy.heads[0]).not.toContain(accountBasic);
  expect(service.requests).toHaveLength(1);
  expect(JSON.stringify(service.requests[0]?.headers)).not.toContain(proxyBasic);

  const hangsUp = await startProxyServer({ answer: says("HTTP/1.1 200 OK\r\n\r\n") });
  const lost = await runMain(["grant", "list"], {
    environment: { ...environment, HTTP_PROXY: hangsUp.root },
  });
  expect([lost.code, hangsUp.heads.length]).toEqual([8, 4]);

  const down = await runMain(["grant", "list"], {
    environment: { ...environment, HTTP_PROXY: withCredentials("http://127.0.0.1:1") },
  });
  expect(down.code).toBe(8);
  expect(down.stderr).toContain("through the proxy http://127.0.0.1:1: connection refused");
  expect(down.stderr).not.toMatch(noSecret);
});

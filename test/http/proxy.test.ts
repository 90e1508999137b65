// Proxies receive only the server's host and port and their own credentials. Covers the effect of their responses too.
// Tests run the real program if Node's own standard error matters.
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import {
  createCertificateMaker,
  hasOpenssl,
  type Certificate,
  type CertificateMaker,
} from "../support/certificates.ts";
import { startProxyServer } from "../support/proxy-server.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const account = {
  GRANTCTL_USERNAME: "octavia",
  GRANTCTL_PASSWORD: "canary-PASSWORD",
  GRANTCTL_OTP: "canary-OTP",
};
const proxyPassword = "canary-PROXY";
const proxyBasic = Buffer.from(`corp:${proxyPassword}`).toString("base64");
const accountBasic = Buffer.from("octavia:canary-PASSWORD").toString("base64");
const noSecret = new RegExp(`canary|${proxyBasic}|${accountBasic}`);

/** The proxy's URL, including credentials. */
const withCredentials = (root: string): string => root.replace("://", `://corp:${proxyPassword}@`);

const says =
  (text: string, end = true) =>
  (socket: Socket): void => {
    socket.write(text, "latin1");
    if (end) socket.end();
  };
const challenge = 'X-Service-OTP: required; app\r\nWWW-Authenticate: Basic realm="x"\r\n';

describe.skipIf(!hasOpenssl)("an https server behind a proxy (skipped without openssl)", () => {
  let maker: CertificateMaker;
  let authority: Certificate;
  let own: Certificate;
  let server: Server;
  let port = 0;
  const requests: string[] = [];

  beforeAll(async () => {
    maker = createCertificateMaker();
    authority = maker.make("authority", { isAuthority: true });
    own = maker.make("own", { names: "DNS:service.test,IP:127.0.0.1" }, authority);
    server = createServer(own, (request, response) => {
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end("[]");
    });
    server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    maker.remove();
  });

  const environmentFor = (proxy: string, root = `https://service.test:${port}`): Record<string, string> => ({
    ...account,
    GRANTCTL_BASE_URL: root,
    HTTPS_PROXY: proxy,
  });
  const trusting = (words: readonly string[]): readonly string[] => [
    ...words,
    "--ca-cert",
    authority.file,
    "--debug",
  ];

  test("is reached, and the proxy receives only host, port and its own credentials", async () => {
    const proxy = await startProxyServer({ target: `http://127.0.0.1:${port}` });
    requests.length = 0;
    const run = await runMain(trusting(["grant", "list", "--json"]), {
      environment: environmentFor(withCredentials(proxy.root)),
    });
    expect([run.code, run.stdout]).toEqual([0, "[]\n"]);
    expect(run.stderr).not.toMatch(noSecret);
    expect(proxy.heads).toHaveLength(1);
    const lines = (proxy.heads[0] ?? "").trimEnd().split("\r\n");
    expect(lines[0]).toBe(`CONNECT service.test:${port} HTTP/1.1`);
    expect(lines.slice(1).toSorted((one, two) => one.localeCompare(two))).toEqual([
      "connection: close",
      `host: service.test:${port}`,
      `Proxy-Authorization: Basic ${proxyBasic}`,
      "Proxy-Connection: keep-alive",
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain(accountBasic);
    expect(requests[0]).toContain("canary-OTP");
    expect(requests[0]?.toLowerCase()).not.toContain("proxy-");
    // The tunnel carries only TLS records and no readable text.
    expect(proxy.carried().length).toBeGreaterThan(100);
    expect(proxy.carried()).not.toMatch(noSecret);
    expect(proxy.carried()).not.toMatch(/GET |applications|octavia/);
  });

  test("is reached through the proxy even on loopback, unless NO_PROXY exempts it", async () => {
    const proxy = await startProxyServer();
    const environment = environmentFor(proxy.root, `https://127.0.0.1:${port}`);
    expect((await runMain(trusting(["grant", "list"]), { environment })).code).toBe(0);
    expect(proxy.heads).toHaveLength(1);
    const exempt = { ...environment, NO_PROXY: "example.com,127.0.0.0/8" };
    expect((await runMain(trusting(["grant", "list"]), { environment: exempt })).code).toBe(0);
    expect(proxy.heads).toHaveLength(1);
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    [
      "401 that asks for a code",
      says(`HTTP/1.1 401 X\r\n${challenge}Content-Length: 2\r\n\r\n{}`, false),
      /401/,
    ],
    [
      "407 that asks for the proxy's credentials",
      says('HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n'),
      /407.*\n.*HTTPS_PROXY: http:\/\/USER:PASSWORD@HOST/,
    ],
    [
      "302 to the service",
      says("HTTP/1.1 302 X\r\nLocation: https://service.test/\r\nContent-Length: 0\r\n\r\n"),
      /302/,
    ],
    // The interim response is skipped; the tunnel that the final one opens closes at once.
    ["103 and then 200", says("HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 X\r\n\r\n"), /reset|closed/],
    ["101", says("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), /101|closed/],
    ["403 with a page", says("HTTP/1.1 403 X\r\nContent-Length: 9\r\n\r\n<html>no!"), /403.*\n.*NO_PROXY=/],
    ["429", says("HTTP/1.1 429 X\r\nRetry-After: 1\r\n\r\n"), /429/],
    [
      "200 and then an answer in plain text",
      says("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"),
      /does not use TLS/,
    ],
    ["200 and the end", says("HTTP/1.1 200 OK\r\n\r\n"), /connection/],
    ["200 and silence", says("HTTP/1.1 200 OK\r\n\r\n", false), /within 1 s/],
    ["nothing", () => undefined, /within 1 s/],
    ["a reset", (socket) => socket.resetAndDestroy(), /reset|closed/],
    ["half of a head", says("HTTP/1.1 200 OK\r\nX"), /closed|proper HTTP/],
    ["garbage", says("SSH-2.0-x\r\n\r\n"), /not valid HTTP/],
    ["a head without end", says(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`), /not valid HTTP/],
    ["100 without end", (socket) => void socket.write("HTTP/1.1 100 X\r\n\r\n".repeat(100)), /./],
  ])(
    "receives no request, and no secret leaks, if the proxy responds with %s",
    async (_, answerConnect, words) => {
      requests.length = 0;
      for (const [command, times] of [
        [
          ["grant", "list"],
          [1, 4],
        ],
        [["grant", "delete", "1", "--yes"], [1]],
      ] as const) {
        const proxy = await startProxyServer({ answer: answerConnect });
        // A short limit only for responses that never come; anything else may take long on a busy machine.
        const seconds = words.test("within 1 s") ? "1" : "100";
        const run = await runMain(trusting([...command, "--timeout", seconds]), {
          environment: environmentFor(withCredentials(proxy.root)),
        });
        expect(run.code).toBe(8);
        expect(run.stdout).toMatch(/^(?:failed\t1\n)?$/);
        expect(run.stderr).toMatch(words);
        expect(run.stderr).toContain(`proxy ${proxy.root}`);
        expect(run.stderr).not.toMatch(noSecret);
        expect(run.stderr).not.toMatch(/one-time password/);
        expect(times).toContain(proxy.heads.length);
        expect(proxy.heads[0]?.replace(proxyBasic, "")).not.toMatch(noSecret);
        expect(proxy.carried()).not.toMatch(noSecret);
      }
      expect(requests).toEqual([]);
    },
  );

  test("is verified: an intercepting proxy receives no request", async () => {
    // The certificate name contains the proxy's own password, which must still not be printed.
    const intruder = maker.make("intruder", {
      names: "DNS:service.test",
      commonName: `${proxyPassword} ${proxyBasic}`,
    });
    const seen: string[] = [];
    const between = createServer(intruder, (request) => {
      seen.push(request.url ?? "");
    });
    between.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => {
      between.listen(0, "127.0.0.1", resolve);
    });
    const proxy = await startProxyServer({
      target: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    });
    const run = await runMain(trusting(["grant", "list"]), {
      environment: environmentFor(withCredentials(proxy.root)),
    });
    expect(run.code).toBe(8);
    expect(run.stderr).toContain(`https://service.test:${port} through the proxy ${proxy.root}`);
    expect(run.stderr).toMatch(/the certificate "\[secret\] \[secret\]=?" is self-signed/);
    expect(run.stderr).not.toMatch(noSecret);
    expect(seen).toEqual([]);
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
    expect(distrustful.stderr).toContain(`could not connect to the proxy ${proxy.root}: the certificate`);
    expect(distrustful.stderr).not.toMatch(noSecret);
    expect(distrustful.stderr).not.toContain("Warning");
    expect(proxy.heads).toHaveLength(2);
  });

  test("does not keep the real program running, after success or failure", async () => {
    const open = await startProxyServer({ target: `http://127.0.0.1:${port}` });
    const silent = await startProxyServer({ answer: () => undefined });
    for (const [proxy, code, seconds] of [
      [open, 0, "100"],
      [silent, 8, "1"],
    ] as const) {
      const run = await runBinary(["grant", "list", "--ca-cert", authority.file, "--timeout", seconds], {
        environment: environmentFor(withCredentials(proxy.root)),
      });
      expect(run.code).toBe(code);
      expect(run.stderr).not.toMatch(noSecret);
    }
  });
});

describe("a plain http server", () => {
  test("on another machine is reached with CONNECT too", async () => {
    const service = await startRecordingServer(() => ({ status: 200, body: [] }));
    const proxy = await startProxyServer({ target: service.root });
    const run = await runMain(["grant", "list"], {
      environment: {
        ...account,
        GRANTCTL_ALLOW_HTTP: "1",
        GRANTCTL_BASE_URL: "http://service.test",
        HTTP_PROXY: withCredentials(proxy.root),
      },
    });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("unencrypted http");
    expect(proxy.heads[0]).toMatch(/^CONNECT service\.test:80 HTTP/);
    expect(proxy.heads[0]).not.toContain(accountBasic);
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]?.path).toMatch(/^\/applications/);
    expect(JSON.stringify(service.requests[0]?.headers)).not.toContain(proxyBasic);
  });

  test("on this machine is reached without a proxy", async () => {
    const service = await startRecordingServer(() => ({ status: 200, body: [] }));
    const proxy = await startProxyServer();
    const environment = { ...service.environment, HTTP_PROXY: proxy.root, HTTPS_PROXY: proxy.root };
    expect((await runMain(["grant", "list"], { environment })).code).toBe(0);
    expect(service.requests).toHaveLength(1);
    expect(proxy.heads).toEqual([]);
  });

  test("fails with a network error if the proxy is down", async () => {
    const run = await runMain(["grant", "list"], {
      environment: {
        ...account,
        GRANTCTL_ALLOW_HTTP: "1",
        GRANTCTL_BASE_URL: "http://service.test",
        HTTP_PROXY: withCredentials("http://127.0.0.1:1"),
      },
    });
    expect(run.code).toBe(8);
    expect(run.stderr).toContain("the proxy http://127.0.0.1:1: connection refused");
    expect(run.stderr).not.toMatch(noSecret);
  });
});

test.each([
  "socks5://corp:canary-PROXY@127.0.0.1:1080",
  "http://corp:canary-PROXY#x@127.0.0.1:1",
  "://canary",
])("a URL that is not a proxy exits with code 2 and is not retried: %s", async (address) => {
  for (const flags of [[], ["--json"], ["--debug"]]) {
    const run = await runMain(["grant", "list", ...flags], {
      environment: { ...account, GRANTCTL_BASE_URL: "https://service.test", HTTPS_PROXY: address },
    });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).not.toMatch(noSecret);
    expect(run.stderr).toContain("HTTPS_PROXY");
  }
});

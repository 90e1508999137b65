// The HTTP server: common headers, misbehaving clients, and shutdown.
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { SandboxUnavailable } from "../../src/sandbox/sandbox.ts";
import { fault } from "../support/account.ts";
import { authorizationsOf, failure, outcomeOf } from "./resource-shapes.ts";
import { basic, closeUntimed, sendBytes, startOfTests, startTestSandbox } from "./sandbox-client.ts";

test("every response has the common headers, in the case that clients expect", async () => {
  const sandbox = await startTestSandbox();
  const created = await sandbox.asAccount("POST", "/authorizations", { note: "n" });
  const replies = [
    created,
    await sandbox.asAccount("GET", "/authorizations?per_page=2"),
    await sandbox.asAccount("DELETE", "/authorizations/1"),
    await sandbox.send("GET", "/authorizations"),
    await sandbox.send("GET", "/user", { headers: { Origin: "null" } }),
  ];
  for (const [index, reply] of replies.entries()) {
    expect(reply.headerNames).toEqual(
      expect.arrayContaining([
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "X-Service-Request-Id",
      ]),
    );
    expect(reply.headers).toMatchObject({
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": String(4999 - index),
      "x-ratelimit-reset": String(sandbox.clock.now / 1000 + 3600),
      "x-service-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
  }
  expect(replies.map((reply) => reply.headers["content-length"])).toEqual(
    replies.map((reply) => (reply.status === 204 ? undefined : String(Buffer.byteLength(reply.text)))),
  );
  expect(new Set(replies.map((reply) => reply.headers["x-service-request-id"])).size).toBe(replies.length);
  expect(created.headerNames).toContain("Location");
  expect(replies[1]?.headerNames).toContain("Link");
});

test("the rate limit resets after an hour", async () => {
  const sandbox = await startTestSandbox();
  await sandbox.send("GET", "/");
  await sandbox.send("GET", "/");
  sandbox.clock.now += 3_600_000;
  expect((await sandbox.send("GET", "/")).headers["x-ratelimit-remaining"]).toBe("4999");
});

test("connections are persistent", async () => {
  const sandbox = await startTestSandbox();
  const request = "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n";
  const received = await sendBytes(
    sandbox.description.base_url,
    `${request}\r\n${request}\r\n${request}Connection: close\r\n\r\n`,
  );
  expect(received.match(/HTTP\/1\.1 404/g)).toHaveLength(3);
});

test.each([
  "nonsense\r\n\r\n",
  "GET / HTTP/9.9\r\n\r\n",
  "\u0000\u0001\u0002\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
])("%j gets 400 and does not affect the next request", async (bytes) => {
  const sandbox = await startTestSandbox();
  expect(await sendBytes(sandbox.description.base_url, bytes)).toMatch(/^HTTP\/1\.1 400 /);
  expect((await sandbox.asAccount("GET", "/authorizations")).status).toBe(200);
});

test.each([
  ["keep-alive", ["201", "400"]],
  ["close", ["201"]],
] as const)(
  "malformed bytes after a complete request do not change its response: %s",
  async (connection, statuses) => {
    const sandbox = await startTestSandbox({ faults: [fault("delay=20")] });
    const { base_url, username, password } = sandbox.description;
    const body = '{"note":"n"}';
    const received = await sendBytes(
      base_url,
      [
        "POST /authorizations HTTP/1.1",
        "Host: localhost",
        "User-Agent: t",
        `Authorization: ${basic(username, password).Authorization}`,
        `Content-Length: ${body.length}`,
        `Connection: ${connection}`,
        "",
        `${body}}nonsense`,
      ].join("\r\n"),
    );
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(statuses);
    expect(received).toContain('"note": "n"');
  },
);

test("a request with an incomplete body does not affect the previous response", async () => {
  const sandbox = await startTestSandbox({ faults: [fault("delay=20")] });
  const { base_url, username, password } = sandbox.description;
  const { Authorization } = basic(username, password);
  const head = `POST /authorizations HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: ${Authorization}\r\n`;
  const received = await sendBytes(
    base_url,
    `${head}Content-Length: 12\r\n\r\n{"note":"n"}${head}Transfer-Encoding: chunked\r\n\r\nno size\r\n`,
  );
  expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["201", "400"]);
});

test("a request to a proxy is rejected, after the response to an earlier request", async () => {
  const sandbox = await startTestSandbox({ faults: [fault("delay=20")] });
  const received = await sendBytes(
    sandbox.description.base_url,
    "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\nCONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n",
  );
  expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["404", "501"]);
  expect(received).toContain("The sandbox is not a proxy");
});

test("an open tunnel connection does not hold up shutdown", async () => {
  const sandbox = await startTestSandbox();
  const socket = connect(Number(new URL(sandbox.description.base_url).port), "127.0.0.1");
  socket.write("CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 501 /);
  await closeUntimed(sandbox);
  socket.destroy();
});

test("clients may disconnect at any time", async () => {
  const sandbox = await startTestSandbox({ faults: [fault("delay=20")] });
  const { base_url, username, password } = sandbox.description;
  const { Authorization } = basic(username, password);
  const head = `POST /authorizations HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: ${Authorization}\r\n`;
  for (const bytes of [
    head,
    `${head}Content-Length: 100\r\n\r\n{"note":`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"`,
    `${head}Content-Length: 12\r\n\r\n{"note":"x"}`,
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(base_url).port), "127.0.0.1", () => {
        socket.write(bytes);
        setTimeout(() => {
          socket.resetAndDestroy();
          resolve();
        }, 5);
      });
      socket.on("error", () => {});
    });
  }
  const all = await sandbox.asAccount("GET", "/authorizations");
  expect(authorizationsOf(all).length).toBeGreaterThanOrEqual(6);
});

test("closing completes requests in flight, ends idle connections, and releases the port", async () => {
  const sandbox = await startTestSandbox({ faults: [fault("delay=150")] });
  const port = Number(new URL(sandbox.description.base_url).port);
  await sandbox.asAccount("GET", "/authorizations");
  // The clock is read once for each request.
  const arrived = new Promise<void>((resolve) => {
    const get = (): number => {
      resolve();
      return startOfTests;
    };
    Object.defineProperty(sandbox.clock, "now", { get });
  });
  const inFlight = sandbox.asAccount("POST", "/authorizations", { note: "last" });
  await arrived;
  await closeUntimed(sandbox);
  expect((await inFlight).status).toBe(201);
  const again = await startTestSandbox({ port });
  expect(again.description.base_url).toBe(`http://127.0.0.1:${port}`);
});

test("a port in use is reported", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  await expect(startTestSandbox({ port })).rejects.toThrow(new SandboxUnavailable(`port ${port} is taken`));
  await new Promise((resolve) => void other.close(resolve));
});

test("a failure of the store is 500 in JSON", async () => {
  const sandbox = await startTestSandbox({
    otp: "sms",
    onTextMessage: () => {
      throw new Error("the caller's own problem");
    },
  });
  const reply = await sandbox.send("POST", "/sandbox/code");
  expect(outcomeOf(reply)).toEqual(failure(500, "Server Error"));
});

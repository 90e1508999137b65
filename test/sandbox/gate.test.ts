// The gate: accepts programs on this machine, and rejects web pages.
import { expect, test } from "vitest";
import { failure, outcomeOf } from "./resource-shapes.ts";
import { basic, sendBytes, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

function sendWith(
  sandbox: TestSandbox,
  headers: Record<string, string>,
  path = "/authorizations",
): Promise<Reply> {
  const { username, password } = sandbox.description;
  return sandbox.send("GET", path, { headers: { ...basic(username, password), ...headers } });
}

test.each(["https://evil.example.com", "null", "http://127.0.0.1", ""])(
  "an Origin of %j is rejected, even with valid credentials",
  async (origin) => {
    const sandbox = await startTestSandbox({ otp: "sms" });
    for (const path of ["/authorizations", "/user"]) {
      const reply = await sendWith(sandbox, { Origin: origin }, path);
      expect(outcomeOf(reply)).toEqual(failure(403, expect.stringMatching(/Origin/) as string));
    }
    await sandbox.send("POST", "/sandbox/code", { headers: { Origin: origin } });
    expect(sandbox.messages).toEqual([]);
  },
);

test.each([
  "evil.example.com",
  "127.0.0.1.evil.example.com",
  "127.evil.example.com",
  "localhost.evil.example.com",
  "evil.example.com:80",
  "api.example.com.",
  "0.0.0.0",
  "[::]",
  "localhost:80:80",
])("a Host of %s is rejected", async (host) => {
  const sandbox = await startTestSandbox();
  for (const path of ["/authorizations", "/sandbox/code"]) {
    const reply = await sendWith(sandbox, { Host: host }, path);
    expect(outcomeOf(reply)).toEqual(failure(403, expect.stringContaining("Host header") as string));
  }
});

test.each(["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:8080", "[::1]", "[::1]:443"])(
  "a Host of %s is accepted",
  async (host) => {
    const sandbox = await startTestSandbox();
    expect((await sendWith(sandbox, { Host: host })).status).toBe(200);
  },
);

test("HTTP/1.0 requests may omit Host", async () => {
  const sandbox = await startTestSandbox();
  const { base_url, username, password } = sandbox.description;
  const { Authorization } = basic(username, password);
  const received = await sendBytes(
    base_url,
    `GET /authorizations HTTP/1.0\r\nUser-Agent: t\r\nAuthorization: ${Authorization}\r\n\r\n`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test.each(["", " "])("a User-Agent of %j is rejected", async (agent) => {
  const sandbox = await startTestSandbox();
  const reply = await sendWith(sandbox, { "User-Agent": agent });
  expect(outcomeOf(reply)).toEqual(failure(403, expect.stringContaining("User-Agent") as string));
});

test("a User-Agent is required, except for the control resource", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const ask = (line: string) =>
    sendBytes(
      sandbox.description.base_url,
      `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
  expect(await ask("GET /user")).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask("POST /sandbox/code")).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ["127.0.0.1", "evil.example.com"],
  ["evil.example.com", "127.0.0.1"],
  ["127.0.0.1", "127.0.0.1"],
])("two Hosts, %s and %s, are rejected", async (one, other) => {
  const sandbox = await startTestSandbox();
  const received = await sendBytes(
    sandbox.description.base_url,
    `GET /user HTTP/1.1\r\nHost: ${one}\r\nHost: ${other}\r\nConnection: close\r\n\r\n`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 400 [^]*more than one Host/);
});

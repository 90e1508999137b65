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
])("a Host of %s is rejected", async (host) => {
  const sandbox = await startTestSandbox({ hosts: ["api.example.com"] });
  for (const path of ["/authorizations", "/sandbox/code"]) {
    const reply = await sendWith(sandbox, { Host: host }, path);
    expect(outcomeOf(reply)).toEqual(
      failure(403, "The sandbox does not accept the name in the Host header."),
    );
  }
});

test.each([
  "localhost",
  "LOCALHOST:1",
  "127.0.0.1",
  "127.1.2.3:8080",
  "[::1]",
  "[::1]:443",
  "api.example.com",
  "API.Example.com:443",
])("a Host of %s is accepted", async (host) => {
  const sandbox = await startTestSandbox({ hosts: ["api.example.com"] });
  expect((await sendWith(sandbox, { Host: host })).status).toBe(200);
});

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

test("a web page can approve no token, and the form sends the sandbox's own Origin", async () => {
  const sandbox = await startTestSandbox();
  const { base_url } = sandbox.description;
  const { token } = await sandbox.makePersonalToken("any");
  const refused = await sandbox.asToken("GET", "/orgs/lanternfish/members", token);
  const address = (refused.headers["x-service-sso"] ?? "").slice(`required; url=${base_url}`.length);
  const approve = (origin: string) => sandbox.send("POST", address, { headers: { Origin: origin } });
  expect((await approve("https://evil.example.com")).status).toBe(403);
  expect((await approve("null")).status).toBe(403);
  expect((await sandbox.asToken("GET", "/orgs/lanternfish/members", token)).status).toBe(403);
  expect((await approve(base_url)).status).toBe(200);
  expect((await sandbox.asToken("GET", "/orgs/lanternfish/members", token)).status).toBe(200);
});

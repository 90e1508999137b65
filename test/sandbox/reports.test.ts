// Reports of leaked tokens to github.com: who may send them, how many, and their effect.
import { expect, test } from "vitest";
import { basic, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

const path = "/credentials/revoke";

function report(sandbox: TestSandbox, credentials: unknown): ReturnType<TestSandbox["send"]> {
  return sandbox.send("POST", path, { body: { credentials } });
}

test.each(["service", "github"] as const)("%s has no such endpoint", async (operator) => {
  const sandbox = await startTestSandbox({ operator });
  expect((await report(sandbox, ["x"])).status).toBe(404);
});

test("a reported token is revoked, with its grant if it was the last, and its owner is notified", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  const values = sandbox.description.tokens.map(({ token }) => token);
  expect((await sandbox.asToken("GET", "/user", values[0])).status).toBe(200);
  const reply = await report(sandbox, [...values, "ghp_unknown"]);
  expect([reply.status, reply.json()]).toEqual([202, {}]);
  for (const value of values) expect((await sandbox.asToken("GET", "/user", value)).status).toBe(401);
  const { notices } = (await sandbox.send("GET", "/sandbox/notices")).json() as {
    readonly notices: readonly unknown[];
  };
  expect(notices).toEqual(
    values.map((token) => ({
      login: "octavia",
      token_last_eight: token.slice(-8),
      sent_at: "2026-11-20T19:02:04Z",
    })),
  );
});

test("a report with credentials is rejected and revokes nothing", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  const [token = ""] = sandbox.description.tokens.map((one) => one.token);
  for (const headers of [{ Authorization: `token ${token}` }, basic("octavia", "x"), { Cookie: "a=b" }]) {
    const reply = await sandbox.send("POST", path, { headers, body: { credentials: [token] } });
    expect(reply.status).toBe(403);
  }
  expect((await sandbox.asToken("GET", "/user", token)).status).toBe(200);
});

test.each([[undefined], [[]], [["a", 5]], [[""]], ["ghp_x"], [Array.from({ length: 1001 }, () => "a")]])(
  "anything but a list of 1 to 1,000 tokens is 422",
  async (credentials) => {
    const sandbox = await startTestSandbox({ operator: "github.com" });
    expect((await report(sandbox, credentials)).status).toBe(422);
  },
);

test("reports are limited per hour, and the headers report when the limit resets", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com", reportsPerHour: 2 });
  const [token = ""] = sandbox.description.tokens.map((one) => one.token);
  const first = await report(sandbox, ["a"]);
  expect([first.status, first.headers["x-ratelimit-limit"], first.headers["x-ratelimit-remaining"]]).toEqual([
    202,
    "2",
    "1",
  ]);
  expect((await report(sandbox, ["b"])).status).toBe(202);
  const late = await report(sandbox, [token]);
  expect([late.status, late.headers["x-ratelimit-remaining"]]).toEqual([403, "0"]);
  expect(Number(late.headers["x-ratelimit-reset"])).toBe(sandbox.clock.now / 1000 + 3600);
  expect((await sandbox.asToken("GET", "/user", token)).status).toBe(200);
  sandbox.clock.now += 3_600_000;
  expect((await report(sandbox, [token])).status).toBe(202);
});

test("the default limit is that of github.com", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  expect((await report(sandbox, ["a"])).headers["x-ratelimit-limit"]).toBe("60");
});

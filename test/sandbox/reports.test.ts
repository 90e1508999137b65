// Reports of leaked tokens to github.com: who may send them, and their effect.
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

test("a reported token is revoked", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  const values = sandbox.description.tokens.map(({ token }) => token);
  expect((await sandbox.asToken("GET", "/user", values[0])).status).toBe(200);
  const reply = await report(sandbox, [...values, "ghp_unknown"]);
  expect([reply.status, reply.json()]).toEqual([202, {}]);
  for (const value of values) expect((await sandbox.asToken("GET", "/user", value)).status).toBe(401);
});

test("a report with credentials is rejected and revokes nothing", async () => {
  const sandbox = await startTestSandbox({ operator: "github.com" });
  const [token = ""] = sandbox.description.tokens.map((one) => one.token);
  for (const headers of [{ Authorization: `token ${token}` }, basic("octavia", "x")]) {
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

// Start and stop, the control requests, faults, and what only tests use: hooks and lies.
import { Octokit } from "@octokit/rest";
import { checkToken, deleteToken, resetToken } from "@octokit/oauth-methods";
import { expect, test } from "vitest";
import { parseFault } from "../../src/sandbox/faults.ts";
import { fault, openAccount } from "../support/account.ts";
import { startTestSandbox } from "./sandbox-client.ts";

test("@octokit/rest reads and writes", async () => {
  const { base_url: baseUrl, tokens } = (await startTestSandbox({ operator: "github", headerWord: "GitHub" }))
    .description;
  const octokit = new Octokit({ auth: tokens[0]?.token, baseUrl });
  expect((await octokit.rest.users.getAuthenticated()).data.login).toBe("octavia");
  expect(await octokit.paginate(octokit.rest.orgs.listMembers, { org: "harbourworks" })).toHaveLength(64);
  expect((await octokit.graphql<{ viewer: { login: string } }>("{ viewer { login } }")).viewer.login).toBe(
    "octavia",
  );
});

test("@octokit/oauth-methods checks, resets and deletes tokens", async () => {
  const { base_url: baseUrl, ...description } = (await startTestSandbox({ operator: "github" })).description;
  const { client_id: clientId, client_secret: clientSecret } = description;
  const options = {
    clientType: "oauth-app",
    clientId,
    clientSecret,
    request: new Octokit({ baseUrl }).request,
  } as const;
  const token = description.tokens[0]?.token ?? "";
  expect((await checkToken({ ...options, token })).data.user?.login).toBe("octavia");
  const { token: next } = (await resetToken({ ...options, token })).data;
  await expect(checkToken({ ...options, token })).rejects.toMatchObject({ status: 404 });
  expect((await deleteToken({ ...options, token: next })).status).toBe(204);
});

test("tokens are made to rehearse with, active and of the application", async () => {
  for (const operator of ["service", "github", "github.com", "oauth"] as const) {
    const sandbox = await startTestSandbox({ operator });
    const reply = await sandbox.send("POST", "/sandbox/tokens", { body: { count: 3 } });
    const { tokens } = reply.json() as { tokens: string[] };
    expect(new Set(tokens).size).toBe(3);
    const active = sandbox.store.tokens().map(({ lastEight }) => lastEight);
    expect(active.slice(-3)).toEqual(tokens.map((token) => token.slice(-8)));
    for (const count of [0, -1, 1.5, "3", 100_001, null])
      expect((await sandbox.send("POST", "/sandbox/tokens", { body: { count } })).status).toBe(422);
  }
});

test.each([
  "drop-answer=1.1",
  "drop-answer",
  "status=200:1",
  "status=503",
  "delay=x",
  "lie=1",
  "",
  "delay=1:",
  "status=503:-1",
  "drop-answer=.",
])("%j is not a fault", (text) => expect(parseFault(text)).toBe(null));

test("a status is not processed, a dropped answer is, and a delay comes after processing", async () => {
  const refused = await startTestSandbox({
    faults: [fault("status=503:1"), fault("status=429:1"), fault("drop-answer=1")],
  });
  const reply = await refused.asAccount("POST", "/authorizations", { note: "n" });
  expect([reply.status, reply.headers["retry-after"]]).toEqual([503, "1"]);
  const account = await openAccount({ faults: [fault("drop-answer=1")] });
  const { store, description } = account.sandbox;
  const before = store.tokens().length;
  await expect(
    fetch(`${description.base_url}/authorizations/1`, {
      method: "DELETE",
      headers: { Authorization: `Basic ${btoa(`${description.username}:${description.password}`)}` },
    }),
  ).rejects.toThrow("fetch failed");
  expect(store.tokens()).toHaveLength(before - 1);
  await account.sandbox.close();
  const slow = await startTestSandbox({ faults: [fault("delay=120"), fault("delay=80")] });
  const started = performance.now();
  expect((await slow.asToken("GET", "/user")).status).toBe(200);
  expect(performance.now() - started).toBeGreaterThan(195);
});

/** The statuses of a hundred requests. */
async function statuses(seed: number): Promise<string> {
  const sandbox = await startTestSandbox({ seed, otp: "app", faults: [fault("status=503:0.3")] });
  const seen: number[] = [];
  for (let number = 0; number < 100; number += 1) seen.push((await sandbox.asToken("GET", "/user")).status);
  for (let number = 0; number < 20; number += 1)
    expect((await sandbox.send("POST", "/sandbox/code")).status).toBe(200);
  return seen.join(" ");
}

test("a seed repeats which requests have faults, and control requests have none", async () => {
  const first = await statuses(1);
  expect(first.match(/503/g)?.length).toBeGreaterThan(15);
  expect(first.match(/503/g)?.length).toBeLessThan(45);
  expect([(await statuses(1)) === first, (await statuses(2)) === first]).toEqual([true, false]);
});

test("tests see each write, and answer or change each request", async () => {
  const writes: unknown[] = [];
  const seen: string[] = [];
  const sandbox = await startTestSandbox({
    onWrite: ({ change, token, value }) => void writes.push([change, token.id, value]),
    onRequest: async ({ message, body }, carryOut) => {
      seen.push(`${message.method} ${message.url} ${body}`);
      if (message.url === "/user") return Response.json({ login: "somebody" });
      const answer = await carryOut();
      return message.url?.endsWith("/2") === true ? new Response("{}", { status: 418 }) : answer;
    },
  });
  const { id, token } = await sandbox.makePersonalToken("n");
  expect((await sandbox.asToken("GET", "/user", "nobody's")).json()).toEqual({ login: "somebody" });
  expect((await sandbox.asAccount("DELETE", "/authorizations/2")).status).toBe(418);
  expect((await sandbox.asAccount("DELETE", `/authorizations/${id}`)).status).toBe(204);
  expect(writes).toEqual([
    ["added", id, token],
    ["removed", 2, null],
    ["removed", id, null],
  ]);
  expect(seen[0]).toBe('POST /authorizations {"note":"n","scopes":[]}');
});

test("closing releases the port; a port that is taken is reported", async () => {
  const { sandbox } = await openAccount();
  const port = Number(new URL(sandbox.description.base_url).port);
  await expect(openAccount({ port })).rejects.toMatchObject({ code: "EADDRINUSE", syscall: "listen" });
  await sandbox.close();
  const again = await openAccount({ port });
  await again.sandbox.close();
});

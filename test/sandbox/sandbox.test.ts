// Start and stop, the contents of a new sandbox, the control requests, faults, and the hook of tests.
import { describe, expect, test } from "vitest";
import { parseFault } from "../../src/sandbox/faults.ts";
import { fault } from "../support/account.ts";
import { rowsOf, startOfTests, startTestSandbox } from "./sandbox-client.ts";

const daysSince = (time: string): number => (startOfTests - Date.parse(time)) / 86_400_000;

describe("a new sandbox", () => {
  test("describes itself and the active tokens of its first application", async () => {
    const sandbox = await startTestSandbox({ otp: "app", grants: 2, authorizations: 9 });
    const { base_url, client_id, tokens } = sandbox.description;
    expect(sandbox.description).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      username: "octavia",
      password: expect.stringMatching(/^[\w-]{32}$/) as string,
      otp: "app",
      totp_secret: expect.stringMatching(/^[A-Z2-7]{32}$/) as string,
      client_id: expect.stringMatching(/^[0-9a-f]{20}$/) as string,
      client_secret: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      tokens,
      organizations: [
        { id: 4711, login: "harbourworks", enforces_sso: false },
        { id: 4712, login: "lanternfish", enforces_sso: true },
        { id: 4713, login: "tidewatch", enforces_sso: true },
      ],
    });
    const all = rowsOf(await sandbox.asAccount("GET", "/authorizations"));
    const ofFirst = all.filter(({ app }) => app.client_id === client_id);
    expect(tokens).toEqual(
      ofFirst.map(({ id, scopes, fingerprint }) => ({
        id,
        token: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        token_last_eight: tokens.find((one) => one.id === id)?.token.slice(-8),
        scopes,
        fingerprint,
      })),
    );
    expect(tokens).toHaveLength(6);
    for (const { token } of tokens) expect((await sandbox.asToken("GET", "/user", token)).status).toBe(200);
    expect((await startTestSandbox()).description.base_url).not.toBe(base_url);
  });

  test.each(["service", "github"] as const)("of type %s: healthy in half, and varied", async (serverType) => {
    const sandbox = await startTestSandbox({ serverType, grants: 10, authorizations: 60 });
    const all = rowsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100"));
    const isHealthy = ({ note, scopes, created_at, updated_at, expires_at }: (typeof all)[number]): boolean =>
      all.filter((one) => one.note === note).length === 1 &&
      !scopes.some((scope) => scope.startsWith("admin:")) &&
      daysSince(created_at) < 365 &&
      daysSince(updated_at) < 180 &&
      (serverType === "service" || daysSince(expires_at ?? "") === -200);
    expect(all.filter((one) => isHealthy(one))).toHaveLength(30);
    expect(daysSince(all[0]?.created_at ?? "")).toBeGreaterThan(1.8 * 365);
    expect(new Set(all.map(({ scopes }) => scopes.join())).size).toBeGreaterThan(4);
    for (const wanted of [null, expect.stringMatching(/漢/)])
      expect(all.map(({ note }) => note)).toContainEqual(wanted);
    expect(all.filter(({ app }) => /^0+$/.test(app.client_id))).toHaveLength(2);
    expect(all.filter(({ updated_at, created_at }) => updated_at < created_at)).toEqual([]);
  });
});

test.each(["service", "github", "github.com", "oauth"] as const)(
  "a sandbox of the type %s makes active tokens to rehearse with",
  async (serverType) => {
    const { send, store } = await startTestSandbox({ serverType });
    const tokens = (await send("POST", "/sandbox/tokens", { body: { count: 3 } })).text.trim().split("\n");
    expect(new Set(tokens).size).toBe(3);
    const [first] = store.applications;
    expect(tokens.map((token) => store.findByValue(token)?.application)).toEqual([first, first, first]);
  },
);

async function statuses(seed: number): Promise<string> {
  const sandbox = await startTestSandbox({ seed, otp: "app", faults: [fault("status=503:0.3")] });
  const seen: number[] = [];
  for (let number = 0; number < 100; number += 1) {
    seen.push((await sandbox.asToken("GET", "/user")).status);
    expect((await sandbox.send("POST", "/sandbox/code")).status).toBe(200);
  }
  return seen.join(" ");
}

describe("faults", () => {
  test.each([
    "",
    ..."drop-answer=1.1 drop-answer status=200:1 status=503 delay=x delay=1: drop-answer=.".split(" "),
  ])("%j is none", (text) => expect(parseFault(text)).toBe(null));

  test("a status is not processed, a dropped answer is, and a delay comes after processing", async () => {
    const refused = await startTestSandbox({
      faults: [fault("status=503:1"), fault("status=429:1"), fault("drop-answer=1")],
    });
    const reply = await refused.asAccount("DELETE", "/authorizations/1");
    expect([reply.status, reply.headers["retry-after"], refused.store.tokens().length]).toEqual([
      503,
      "1",
      6,
    ]);
    const dropped = await startTestSandbox({ faults: [fault("drop-answer=1")] });
    await expect(dropped.asAccount("DELETE", "/authorizations/1")).rejects.toThrow("socket hang up");
    expect(dropped.store.tokens()).toHaveLength(5);
    const slow = await startTestSandbox({ faults: [fault("delay=120"), fault("delay=80")] });
    const started = performance.now();
    expect((await slow.asToken("GET", "/user")).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(195);
  });

  test("a seed repeats which requests have them, and control requests have none", async () => {
    const first = await statuses(1);
    const count = first.match(/503/g)?.length ?? 0;
    expect([count > 15, count < 45, (await statuses(1)) === first, (await statuses(2)) === first]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

test("tests see each request, and answer in its place or change the answer", async () => {
  const seen: string[] = [];
  const sandbox = await startTestSandbox({
    onRequest: async ({ message, body }, carryOut) => {
      seen.push(`${message.method} ${message.url} ${body}`);
      if (message.url === "/user") return Response.json({ login: "somebody" });
      await carryOut();
      return new Response("{}", { status: 418 });
    },
  });
  expect((await sandbox.asToken("GET", "/user", "nobody's")).json).toEqual({ login: "somebody" });
  expect((await sandbox.asAccount("POST", "/authorizations", { note: "n" })).status).toBe(418);
  expect(sandbox.store.tokens()).toHaveLength(7);
  expect(seen).toEqual(["GET /user ", 'POST /authorizations {"note":"n"}']);
});

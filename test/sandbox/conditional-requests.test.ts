// Conditional requests with If-None-Match, as sent by caches.
import { expect, test } from "vitest";
import { basic, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

async function readTag(sandbox: TestSandbox, path: string): Promise<string> {
  const { status, headers } = await sandbox.asAccount("GET", path);
  expect(status).toBe(200);
  return headers["etag"] ?? "";
}

test.each(["/authorizations", "/authorizations?per_page=2", "/authorizations/1", "/applications/grants"])(
  "%s is 304 while it is the same, and 200 when it has changed",
  async (path) => {
    const sandbox = await startTestSandbox();
    const account = basic(sandbox.description.username, sandbox.description.password);
    const tag = await readTag(sandbox, path);
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(await readTag(sandbox, path)).toBe(tag);
    const ask = (method: string, known: string) =>
      sandbox.send(method, path, { headers: { ...account, "If-None-Match": known } });
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const same = await ask(method, known);
        expect(same.status).toBe(304);
        expect(same.text).toBe("");
        expect(same.headers).toMatchObject({ etag: tag, status: "304 Not Modified" });
        expect(same.headerNames).not.toContain("Content-Length");
        expect(same.headerNames).not.toContain("Content-Type");
      }
    }
    for (const known of ['"other"', "", "W/", tag.slice(3, -1)]) {
      expect((await ask("GET", known)).status).toBe(200);
    }
    await sandbox.asAccount("PATCH", "/authorizations/1", { scopes: ["gist"] });
    const changed = await ask("GET", tag);
    expect(changed.status).toBe(200);
    expect(changed.headers["etag"]).not.toBe(tag);
  },
);

test("a response may be cached privately, for a minute", async () => {
  const sandbox = await startTestSandbox();
  const { headers, headerNames } = await sandbox.asToken("GET", "/user");
  expect(headers).toMatchObject({
    "cache-control": "private, max-age=60, s-maxage=60",
    vary: "Accept, Authorization, Cookie, X-Service-OTP",
  });
  expect(headerNames).toContain("ETag");
  const tag = headers["etag"] ?? "";
  const stranger = await sandbox.send("GET", "/user", { headers: { "If-None-Match": tag } });
  expect(stranger.status).toBe(401);
});

test("a 304 does not count against the rate limit", async () => {
  const sandbox = await startTestSandbox();
  const first = await sandbox.asToken("GET", "/user");
  const token = sandbox.description.tokens[0]?.token ?? "";
  const same = await sandbox.send("GET", "/user", {
    headers: { Authorization: `token ${token}`, "If-None-Match": first.headers["etag"] ?? "" },
  });
  expect(same.status).toBe(304);
  expect(same.headers["x-ratelimit-remaining"]).toBe(first.headers["x-ratelimit-remaining"]);
});

test("writes, errors, GraphQL and the control resources are not cacheable", async () => {
  const sandbox = await startTestSandbox();
  const replies = [
    await sandbox.asAccount("POST", "/authorizations", { note: "n" }),
    await sandbox.asAccount("PATCH", "/authorizations/1", {}),
    await sandbox.asAccount("DELETE", "/authorizations/2"),
    await sandbox.asAccount("GET", "/authorizations/999"),
    await sandbox.asToken("POST", "/graphql", undefined, { query: "{ viewer { login } }" }),
    await sandbox.send("GET", "/sandbox/codes"),
  ];
  for (const { headers } of replies) {
    expect(headers).not.toHaveProperty("etag");
    expect(headers).not.toHaveProperty("cache-control");
  }
});

// Unusual requests of existing clients that real operators accept, one test for each.
import { expect, test } from "vitest";
import { authorizationOf, challenge, invalid, noContent, outcomeOf, rowsOf } from "./resource-shapes.ts";
import { basic, computeTotp, sendBytes, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

function credentialsOf({ description }: TestSandbox): { Authorization: string } {
  return basic(description.username, description.password);
}

test("a Host without a port, or another name of loopback, does not change URLs in responses", async () => {
  const sandbox = await startTestSandbox();
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    const reply = await sandbox.send("POST", "/authorizations", {
      headers: { ...credentialsOf(sandbox), Host: host },
      body: { note: host },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers["location"]).toBe(authorizationOf(reply).url);
    expect(authorizationOf(reply).url.startsWith(`${sandbox.description.base_url}/`)).toBe(true);
  }
});

test.each([undefined, "application/x-www-form-urlencoded", "text/plain", "application/json; charset=latin1"])(
  "a body of type %s is read as JSON",
  async (type) => {
    const sandbox = await startTestSandbox();
    const reply = await sandbox.send("POST", "/authorizations", {
      headers: { ...credentialsOf(sandbox), ...(type === undefined ? {} : { "Content-Type": type }) },
      body: { note: "été" },
    });
    expect(authorizationOf(reply).note).toBe("été");
  },
);

test("a body may be chunked", async () => {
  const sandbox = await startTestSandbox();
  const received = await sendBytes(
    sandbox.description.base_url,
    [
      "POST /authorizations HTTP/1.1",
      "Host: localhost",
      "User-Agent: tests",
      `Authorization: ${credentialsOf(sandbox).Authorization}`,
      "Transfer-Encoding: chunked",
      "Connection: close",
      "",
      '5\r\n{"not\r\n7\r\ne":"c"}\r\n0\r\n\r\n',
    ].join("\r\n"),
  );
  expect(received).toContain("HTTP/1.1 201 Created\r\n");
  expect(received).toContain('"note": "c"');
});

test("bodies of GET, DELETE and reset are ignored", async () => {
  const sandbox = await startTestSandbox();
  const { client_id, client_secret, tokens } = sandbox.description;
  const path = `/applications/${client_id}/tokens/${tokens[0]?.token}`;
  const headers = basic(client_id, client_secret);
  for (const body of ["{}", "not JSON", "[]"]) {
    expect((await sandbox.send("GET", path, { headers, body })).status).toBe(200);
  }
  expect((await sandbox.asAccount("GET", "/authorizations", "{")).status).toBe(200);
  expect((await sandbox.send("POST", path, { headers, body: "{" })).status).toBe(200);
  expect(outcomeOf(await sandbox.asAccount("DELETE", "/authorizations/5", {}))).toEqual(noContent);
});

test("an empty body is an empty object", async () => {
  const sandbox = await startTestSandbox();
  expect(outcomeOf(await sandbox.asAccount("POST", "/authorizations"))).toEqual(
    invalid("missing_field", "description"),
  );
  expect((await sandbox.asAccount("PATCH", "/authorizations/1")).status).toBe(200);
});

test("a one-time password is required before route and body are checked", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  for (const [method, status] of [
    ["POST", 422],
    ["PATCH", 404],
  ] as const) {
    const headers = credentialsOf(sandbox);
    const without = await sandbox.send(method, "/authorizations", { headers });
    expect(outcomeOf(without)).toEqual(challenge("app"));
    expect((await sandbox.asAccount(method, "/authorizations")).status).toBe(status);
  }
});

test("a one-time password of null is ignored if none is required", async () => {
  const sandbox = await startTestSandbox();
  const headers = { ...credentialsOf(sandbox), "X-Service-OTP": "null" };
  expect((await sandbox.send("GET", "/authorizations", { headers })).status).toBe(200);
});

test("a page size for a resource that is not a list is ignored", async () => {
  const sandbox = await startTestSandbox();
  expect((await sandbox.asAccount("GET", "/authorizations/1?per_page=100")).status).toBe(200);
  expect((await sandbox.asAccount("GET", "/applications/grants/1?per_page=100")).status).toBe(200);
});

test("a second question mark is part of the query", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/authorizations?per_page=2&page=3?per_page=5");
  expect(rowsOf(reply).map(({ id }) => id)).toEqual([5, 6]);
});

test("header names and schemes are case-insensitive", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const code = computeTotp(sandbox.description.totp_secret ?? "", sandbox.clock.now);
  const { Authorization } = credentialsOf(sandbox);
  for (const scheme of ["basic", "BASIC", "Basic"]) {
    const headers = { AUTHORIZATION: Authorization.replace("Basic", scheme), "x-SERVICE-otp": code };
    expect((await sandbox.send("GET", "/authorizations", { headers })).status).toBe(200);
  }
});

test("POST updates like PATCH", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("POST", "/authorizations/4", { scopes: ["gist"] });
  expect(reply.status).toBe(200);
  expect(authorizationOf(reply)).toMatchObject({ id: 4, token: "", scopes: ["gist"] });
});

test("empty client credentials count as not sent", async () => {
  const sandbox = await startTestSandbox();
  const body = { note: "n", client_id: "", client_secret: "", note_url: "", fingerprint: "" };
  const reply = await sandbox.asAccount("POST", "/authorizations", body);
  expect(reply.status).toBe(201);
  expect(authorizationOf(reply)).toMatchObject({ note_url: null, fingerprint: "" });
  expect(authorizationOf(reply).app.client_id).toBe("0".repeat(20));
});

test("after a note is rejected as used, a client's retry with a number succeeds", async () => {
  const sandbox = await startTestSandbox();
  const create = (note: string) => sandbox.asAccount("POST", "/authorizations", { note });
  await create("tool");
  await create("tool 2");
  const statuses = [];
  for (const note of ["tool", "tool 2", "tool 3"]) statuses.push((await create(note)).status);
  expect(statuses).toEqual([422, 422, 201]);
});

test("paths may have the enterprise prefix or extra leading slashes", async () => {
  const sandbox = await startTestSandbox();
  for (const path of ["/api/v3/authorizations", "//authorizations", "//api/v3//authorizations"]) {
    expect((await sandbox.asAccount("GET", path)).status).toBe(200);
  }
  expect((await sandbox.asAccount("GET", "/api/v3x/authorizations")).status).toBe(404);
});

test("a request target in absolute form, as sent to a proxy, is accepted", async () => {
  const sandbox = await startTestSandbox();
  const target = `${sandbox.description.base_url}/authorizations/1`;
  expect((await sandbox.asAccount("GET", target)).status).toBe(200);
});

test("HEAD is GET without a body", async () => {
  const sandbox = await startTestSandbox();
  const get = await sandbox.asAccount("GET", "/authorizations?per_page=2");
  const head = await sandbox.asAccount("HEAD", "/authorizations?per_page=2");
  expect(head.status).toBe(200);
  expect(head.text).toBe("");
  expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  expect(head.headers["link"]).toBe(get.headers["link"]);
});

// Who gets in: programs of this machine; the account, with one-time passwords; tokens. And which bodies are read.
import { describe, expect, test } from "vitest";
import {
  basic,
  notFound,
  outcomeOf,
  refused,
  type Reply,
  startTestSandbox,
  type TestSandbox,
} from "./sandbox-client.ts";

const sendWith = (
  { send, description }: TestSandbox,
  headers: Record<string, string>,
  path: string,
): Promise<Reply> =>
  send("POST", path, { headers: { ...basic(description.username, description.password), ...headers } });

describe("the gate", () => {
  test.each(["https://evil.example.com", "null", "http://127.0.0.1", ""])(
    "refuses the Origin %j",
    async (origin) => {
      const sandbox = await startTestSandbox({ otp: "sms" });
      for (const path of ["/authorizations", "/user", "/sandbox/code", "/sandbox/tokens"]) {
        const { status, text } = await sendWith(sandbox, { Origin: origin }, path);
        expect([status, text]).toEqual([403, expect.stringContaining("an Origin header")]);
      }
      expect(sandbox.messages).toEqual([]);
    },
  );

  const hosts = "evil.test 127.evil.test 127.0.0.1.evil.test localhost.evil.test:80 localhost. 0.0.0.0 [::]";
  test.each(hosts.split(" "))("refuses the Host %s", async (host) => {
    const sandbox = await startTestSandbox();
    for (const path of ["/authorizations", "/sandbox/code"])
      expect(outcomeOf(await sendWith(sandbox, { Host: host }, path))).toEqual(
        refused(403, "The sandbox does not accept the name in the Host header."),
      );
  });
});

describe("the account", () => {
  test.each([
    ["GET", "/applications/grants"],
    ["DELETE", "/applications/grants/1"],
    ["GET", "/authorizations/1"],
    ["POST", "/authorizations"],
    ["PUT", "/authorizations/clients/x/y"],
    ["PATCH", "/authorizations/1"],
  ])("%s %s is 404 without its password, and then asks for a code", async (method, path) => {
    const sandbox = await startTestSandbox({ otp: "app" });
    const { username, password, client_id, client_secret, tokens } = sandbox.description;
    const token = tokens[0]?.token ?? "";
    for (const headers of [
      {},
      basic(username, ""),
      basic(username, `${password} `),
      basic(username.toUpperCase(), password),
      basic(username, token),
      basic(token, "x-oauth-basic"),
      basic(client_id, client_secret),
      { Authorization: `token ${token}` },
      { Authorization: `Bearer ${password}` },
      { Authorization: "Basic \u00ff\u00fe" },
    ]) {
      const reply = await sandbox.send(method, path, { headers });
      expect([outcomeOf(reply), reply.headers["x-service-otp"]]).toEqual([notFound, undefined]);
    }
    const reply = await sandbox.send(method, path, { headers: basic(username, password), body: "no JSON" });
    expect([reply.status, reply.headers["x-service-otp"]]).toEqual([401, "required; app"]);
  });
});

const ask = ({ send, description }: TestSandbox, code: string, method = "GET", path = "/authorizations") =>
  send(method, path, {
    headers: { ...basic(description.username, description.password), "X-Service-OTP": code },
  });

describe("one-time passwords", () => {
  test("an app's code is valid for its period and the next", async () => {
    const sandbox = await startTestSandbox({ otp: "app" });
    for (const [step, status] of [
      [0, 200],
      [0, 200],
      [-1, 200],
      [-2, 401],
      [1, 401],
    ] as const) {
      const reply = await ask(sandbox, sandbox.codeAt(sandbox.clock.now + step * 30_000));
      expect([step, reply.status]).toEqual([step, status]);
    }
    for (const code of ["", "null", "000", "abcdef", "0000000"])
      expect((await ask(sandbox, code)).status).toBe(401);
    const { text } = await sandbox.send("POST", "/sandbox/code");
    expect(text).toBe(`${sandbox.codeAt(sandbox.clock.now)}\n`);
  });

  test("a text message is sent only for changes by the account, and is valid for five minutes", async () => {
    const sandbox = await startTestSandbox({ otp: "sms" });
    const { username, client_id } = sandbox.description;
    for (const method of ["GET", "DELETE"])
      expect((await ask(sandbox, "", method, "/authorizations/1")).headers["x-service-otp"]).toBe(
        "required; sms",
      );
    await sandbox.send("POST", "/authorizations", { headers: basic(username, "wrong") });
    await sandbox.asApplication("POST", `/applications/${client_id}/tokens/x`);
    expect(sandbox.messages).toEqual([]);
    await ask(sandbox, "", "POST");
    const [first = ""] = sandbox.messages;
    sandbox.clock.now += 60_000;
    expect((await ask(sandbox, first)).status).toBe(200);
    const second = (await sandbox.send("POST", "/sandbox/code")).text.trim();
    expect(sandbox.messages).toEqual([first, second]);
    sandbox.clock.now += 239_999;
    expect([(await ask(sandbox, first)).status, (await ask(sandbox, second)).status]).toEqual([200, 200]);
    sandbox.clock.now += 1;
    // With a probability of one in a million, both messages contain the same code.
    expect((await ask(sandbox, first === second ? "" : first)).status).toBe(401);
  });
});

describe("a token's owner", () => {
  test("is known by a token in every format, and its scopes are reported", async () => {
    const sandbox = await startTestSandbox({ otp: "app" });
    const { username, tokens } = sandbox.description;
    const [{ token, id } = { token: "", id: 0 }] = tokens;
    await sandbox.asAccount("PATCH", `/authorizations/${id}`, { scopes: ["repo", "user:email"] });
    for (const headers of [
      { Authorization: `token ${token}` },
      { Authorization: `bearer ${token}` },
      basic(username, token),
    ]) {
      const { status, headers: received, json } = await sandbox.send("GET", "/user", { headers });
      expect([status, received["x-oauth-scopes"], json]).toMatchObject([
        200,
        "repo, user:email",
        { login: username },
      ]);
    }
  });

  test("is 401 otherwise; a password is accepted only without one-time passwords", async () => {
    const sandbox = await startTestSandbox();
    const { username, tokens } = sandbox.description;
    const token = tokens[0]?.token ?? "";
    for (const headers of [
      {},
      basic(username, "wrong"),
      basic("someone-else", token),
      { Authorization: `token ${"0".repeat(40)}` },
      { Authorization: `Digest ${token}` },
    ])
      expect(outcomeOf(await sandbox.send("GET", "/user", { headers }))).toEqual(
        refused(401, "Bad credentials"),
      );
    expect((await sandbox.asAccount("GET", "/user")).status).toBe(200);
    const strict = await startTestSandbox({ otp: "app" });
    expect((await strict.asAccount("GET", "/user")).status).toBe(401);
  });
});

describe("bodies", () => {
  test.each([
    ['{"note":', "Problems parsing JSON"],
    ["nothing", "Problems parsing JSON"],
    ["[]", "Body should be a JSON object"],
    ["null", "Body should be a JSON object"],
    ["7", "Body should be a JSON object"],
  ])("%j is 400: %s", async (body, message) => {
    const sandbox = await startTestSandbox();
    expect(outcomeOf(await sandbox.asAccount("POST", "/authorizations", body))).toEqual(
      refused(400, message),
    );
  });
});

// One-time passwords: from an app, by text message, or off; and the control resource that replaces the phone.
import { expect, test } from "vitest";
import { authorizationsOf, challenge, outcomeOf } from "./resource-shapes.ts";
import { basic, computeTotp, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

function withCode(
  { send, description }: TestSandbox,
  code: string | null,
  method = "GET",
  path = "/authorizations",
  body?: unknown,
): Promise<Reply> {
  const otp = code === null ? {} : { "X-Service-OTP": code };
  return send(method, path, {
    headers: { ...basic(description.username, description.password), ...otp },
    body,
  });
}

async function readCode({ send }: TestSandbox): Promise<string> {
  const reply = await send("POST", "/sandbox/code");
  expect(reply.status).toBe(200);
  return (reply.json() as { code: string }).code;
}

test("an app's code is valid for its period and the next", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const secret = sandbox.description.totp_secret ?? "";
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const { now } = sandbox.clock;
  const codeOfStep = (step: number): string => computeTotp(secret, now + step * 30_000);
  expect((await withCode(sandbox, codeOfStep(0))).status).toBe(200);
  expect((await withCode(sandbox, codeOfStep(0))).status, "again").toBe(200);
  expect((await withCode(sandbox, codeOfStep(-1))).status).toBe(200);
  for (const step of [-2, -3, 1, 2])
    expect(outcomeOf(await withCode(sandbox, codeOfStep(step)))).toEqual(challenge("app"));
  sandbox.clock.now = Math.floor(now / 30_000) * 30_000 + 59_999;
  expect((await withCode(sandbox, codeOfStep(0))).status).toBe(200);
  sandbox.clock.now += 1;
  expect(outcomeOf(await withCode(sandbox, codeOfStep(0)))).toEqual(challenge("app"));
});

test.each([null, "", "null", "000", "abcdef", "0000000", "１２３４５６"])(
  "%j is not a valid code",
  async (code) => {
    const sandbox = await startTestSandbox({ otp: "app" });
    const encoded = code === null ? null : Buffer.from(code, "utf8").toString("latin1");
    expect(outcomeOf(await withCode(sandbox, encoded))).toEqual(challenge("app"));
  },
);

test.each([
  ["GET", "/applications/grants"],
  ["GET", "/authorizations/1"],
  ["POST", "/authorizations"],
  ["PUT", "/authorizations/clients/x"],
  ["PATCH", "/authorizations/1"],
  ["DELETE", "/authorizations/1"],
])("%s %s requires a code before anything else", async (method, path) => {
  const sandbox = await startTestSandbox({ otp: "app" });
  expect(outcomeOf(await withCode(sandbox, null, method, path, "not even JSON"))).toEqual(challenge("app"));
  const all = await withCode(sandbox, computeTotp(sandbox.description.totp_secret ?? "", sandbox.clock.now));
  expect(authorizationsOf(all)).toHaveLength(6);
});

test("a text message is sent only for requests that change something", async () => {
  const sandbox = await startTestSandbox({ otp: "sms" });
  for (const method of ["GET", "DELETE", "HEAD"]) {
    const reply = await withCode(sandbox, null, method, "/authorizations/1");
    expect(reply.status).toBe(401);
    expect(reply.headers["x-service-otp"]).toBe("required; sms");
  }
  expect(sandbox.messages).toEqual([]);
  for (const [index, method] of ["POST", "PATCH"].entries()) {
    const code = index === 1 ? "000000x" : null;
    const reply = await withCode(
      sandbox,
      code,
      method,
      index === 1 ? "/authorizations/1" : "/authorizations",
    );
    expect(outcomeOf(reply)).toEqual(challenge("sms"));
    expect(sandbox.messages).toHaveLength(index + 1);
  }
  expect(sandbox.messages[0]).toMatch(/^\d{6}$/);
});

test("requests without the password, and of applications, send no text message", async () => {
  const sandbox = await startTestSandbox({ otp: "sms" });
  await sandbox.send("POST", "/authorizations", { headers: basic(sandbox.description.username, "wrong") });
  await sandbox.asApplication("POST", `/applications/${sandbox.description.client_id}/tokens/x`);
  expect(sandbox.messages).toEqual([]);
});

test("a texted code is valid for five minutes, together with newer ones", async () => {
  const sandbox = await startTestSandbox({ otp: "sms" });
  await withCode(sandbox, null, "POST");
  const first = sandbox.messages[0] ?? "";
  const created = await withCode(sandbox, first, "POST", "/authorizations", { note: "texted" });
  expect(created.status).toBe(201);
  sandbox.clock.now += 60_000;
  await withCode(sandbox, null, "PATCH", "/authorizations/1");
  const second = sandbox.messages[1] ?? "";
  sandbox.clock.now += 239_999;
  expect((await withCode(sandbox, first)).status).toBe(200);
  expect((await withCode(sandbox, second)).status).toBe(200);
  sandbox.clock.now += 1;
  // With a probability of one in a million, both messages contain the same code.
  const outcome = outcomeOf(await withCode(sandbox, first === second ? "none" : first));
  expect(outcome).toEqual(challenge("sms"));
  expect((await withCode(sandbox, second)).status).toBe(200);
});

test("the control resource sends a text message unless a code stays valid for some seconds", async () => {
  const sandbox = await startTestSandbox({ otp: "sms" });
  const code = await readCode(sandbox);
  expect(sandbox.messages).toEqual([code]);
  expect((await withCode(sandbox, code)).status).toBe(200);
  expect(await readCode(sandbox)).toBe(code);
  sandbox.clock.now += 298_000;
  const fresh = await readCode(sandbox);
  expect(sandbox.messages).toEqual([code, fresh]);
});

test("the control resource returns the app's code", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  expect(await readCode(sandbox)).toBe(computeTotp(sandbox.description.totp_secret ?? "", sandbox.clock.now));
});

test("with two-factor authentication off, there are no codes and the header is ignored", async () => {
  const sandbox = await startTestSandbox({ otp: "none" });
  for (const code of ["null", "123456", ""]) expect((await withCode(sandbox, code)).status).toBe(200);
  expect((await sandbox.send("POST", "/sandbox/code")).status).toBe(409);
  expect((await sandbox.send("GET", "/sandbox/other")).status).toBe(404);
});

test("the header has the operator's name", async () => {
  const sandbox = await startTestSandbox({ otp: "app", headerWord: "GitHub" });
  const { username, password, totp_secret } = sandbox.description;
  const refused = await sandbox.send("GET", "/authorizations", { headers: basic(username, password) });
  expect(refused.headers["x-github-otp"]).toBe("required; app");
  const code = computeTotp(totp_secret ?? "", sandbox.clock.now);
  const reply = await sandbox.send("GET", "/authorizations", {
    headers: { ...basic(username, password), "x-github-otp": code },
  });
  expect(reply.status).toBe(200);
});

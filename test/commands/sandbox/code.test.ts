// `grantctl sandbox code`: a one-time password that a running sandbox accepts.
import { expect, onTestFinished, test } from "vitest";
import { openAccount, type Account } from "../../support/account.ts";
import { startRecordingServer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";

async function open(otp: "none" | "app" | "sms"): Promise<Account> {
  const account = await openAccount({ otp });
  onTestFinished(() => account.sandbox.close());
  return account;
}

test.each(["app", "sms"] as const)("prints a valid code with --otp %s", async (otp) => {
  const { environment } = await open(otp);
  const codes = await runMain(["sandbox", "code"], { environment });
  expect([codes.code, codes.stderr]).toEqual([0, ""]);
  expect(codes.stdout).toMatch(/^\d{6}\n$/);
  const list = await runMain(["grant", "list", "--otp", codes.stdout.trim()], { environment });
  expect(list.code).toBe(0);
});

test("exits with 1 for a sandbox without one-time passwords", async () => {
  const { environment } = await open("none");
  const run = await runMain(["sandbox", "code"], { environment });
  expect([run.code, run.stdout]).toEqual([1, ""]);
});

test("requires and sends no credentials", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: { code: "012345" } }));
  const run = await server.run(["sandbox", "code"]);
  expect([run.code, run.stdout]).toEqual([0, "012345\n"]);
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("rejects a base URL of another machine before any request", async () => {
  const run = await runMain(["sandbox", "code", "--base-url", "https://service.test"]);
  expect([run.code, run.stdout]).toEqual([2, ""]);
});

test.each([
  ["a page", { status: 200, body: "<html>" }],
  ["something else", { status: 200, body: { code: 123_456 } }],
])("exits with 1 for a response that is %s", async (_, arranged) => {
  const server = await startRecordingServer(() => arranged);
  const run = await server.run(["sandbox", "code"]);
  expect([run.code, run.stdout]).toEqual([1, ""]);
});

test("exits with 1 if the server is not a sandbox", async () => {
  const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
  const run = await server.run(["sandbox", "code"]);
  expect([run.code, run.stdout]).toEqual([1, ""]);
});

// `grantctl token revoke-grant`: the grant behind a token, on its own address.
import { expect, test } from "vitest";
import { credentials, startRecordingServer } from "../../support/recording-server.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { runMain } from "../../support/test-host.ts";

const [first, second] = [tokenValue(1), tokenValue(2)] as const;

test("DELETE on the grants, not on the tokens", async () => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  const run = await runMain(["token", "revoke-grant", "--yes"], {
    environment: server.environment,
    input: first,
  });
  expect(run).toEqual({ code: 0, stdout: `revoked\t${first.slice(-8)}\n`, stderr: "" });
  expect(server.lines()).toEqual([`DELETE /applications/${credentials.clientId}/grants/${first}`]);
});

test("a second token of the same user is already gone with the grant", async () => {
  const server = await startRecordingServer((_, position) => ({ status: position === 0 ? 204 : 404 }));
  const run = await runMain(["token", "revoke-grant", "--yes", "--concurrency", "1"], {
    environment: server.environment,
    input: `${first}\n${second}\n`,
  });
  expect(run).toMatchObject({
    code: 0,
    stdout: `revoked\t${first.slice(-8)}\nalready-gone\t${second.slice(-8)}\n`,
  });
});

test("--dry-run checks the token and revokes nothing", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: checkedJson(first) }));
  const run = await runMain(["token", "revoke-grant", "--dry-run"], {
    environment: server.environment,
    input: first,
  });
  expect(run).toMatchObject({ code: 0, stdout: `would-revoke\t${first.slice(-8)}\n` });
  expect(server.lines()).toEqual([`GET /applications/${credentials.clientId}/tokens/${first}`]);
});

test("without a terminal and --yes nothing is sent", async () => {
  const server = await startRecordingServer();
  const run = await runMain(["token", "revoke-grant"], { environment: server.environment, input: first });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
});

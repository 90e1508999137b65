// `grantctl token revoke`: revokes tokens, each with its own outcome.
import { expect, test } from "vitest";
import { credentials, credentialsOf, startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { pathOf } from "./known-tokens.ts";

const [first, second, third] = [tokenValue(1), tokenValue(2), tokenValue(3)] as const;
const eight = (token: string): string => token.slice(-8);
const all = [first, second, third].join("\n");

test("sends DELETE with the application's credentials, and prints a line without the value", async () => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  const run = await server.run(["token", "revoke", "--yes"], { input: first });
  expect(run).toEqual({ code: 0, stdout: `revoked\t${eight(first)}\n`, stderr: "" });
  expect(server.lines()).toEqual([`DELETE ${pathOf(first)}`]);
  expect(credentialsOf(server.requests[0])).toBe(`Basic ${credentials.clientId}:${credentials.clientSecret}`);
});

test.each([
  [[], `revoked\t${eight(first)}\nrevoked\t${eight(second)}\n`],
  [
    ["--format", "ndjson"],
    `{"status":"revoked","token_last_eight":"${eight(first)}"}\n{"status":"revoked","token_last_eight":"${eight(second)}"}\n`,
  ],
  [["--json", "status"], '[\n{"status":"revoked"},\n{"status":"revoked"}\n]\n'],
  [["--format", "csv"], `STATUS,LAST EIGHT\r\nrevoked,${eight(first)}\r\nrevoked,${eight(second)}\r\n`],
])("prints several tokens with %j", async (flags, stdout) => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  const run = await server.run(["token", "revoke", "--yes", ...flags], { input: `${first}\n${second}\n` });
  expect(run).toMatchObject({ code: 0, stdout });
});

test.each([
  ["404 after a success", [204, 404, 204], ["revoked", "already-gone", "revoked"], 0],
  ["404 before a success", [404, 204, 404], ["already-gone", "revoked", "already-gone"], 0],
  ["404 alone", [404, 404, 404], ["unproven", "unproven", "unproven"], 9],
  ["a refusal proves nothing", [404, 403, 404], ["unproven", "refused", "unproven"], 9],
  ["13 wins", [204, 500, 403], ["revoked", "unknown", "refused"], 13],
  ["401 stops", [204, 401, 204], ["revoked", "authentication", "not-tried"], 9],
] as const)("%s: maps %j to %j and exits with %i", async (_, statuses, states, code) => {
  const server = await startRecordingServer(({ path: asked }) => ({
    status: statuses[[first, second, third].findIndex((token) => asked.endsWith(token))] ?? 500,
  }));
  const run = await server.run(["token", "revoke", "--yes", "--concurrency", "1"], { input: all });
  expect(run.stdout).toBe(
    [first, second, third].map((token, index) => `${states[index]}\t${eight(token)}\n`).join(""),
  );
  expect(run.code).toBe(code);
});

test.each([
  ["a web page", "<!doctype html><title>App</title>"],
  ["JSON of something else", { status: "ok" }],
  ["nothing", undefined],
])("%s with 200 for every request does not verify the credentials", async (_, body) => {
  const server = await startRecordingServer(({ method }) =>
    method === "GET" ? { status: 200, body } : { status: 404, body: { message: "Not Found" } },
  );
  const run = await server.run(["token", "revoke", "--yes", "--concurrency", "1"], {
    input: Array.from({ length: 8 }, (__, index) => tokenValue(index + 1)).join("\n"),
  });
  expect(run.stdout.replaceAll(/\t.*/g, "").split("\n").slice(0, 6)).toEqual([
    ...Array.from({ length: 5 }, () => "unproven"),
    "protocol",
  ]);
  expect([run.code, run.stdout.includes("already-gone")]).toEqual([9, false]);
});

test("a token that --resume finds active was not changed, whatever refuses its second revocation", async () => {
  let status = 500;
  const server = await startRecordingServer(({ method }) =>
    method === "DELETE" ? { status, body: {} } : { status: 200, body: authorizationJson({ token: first }) },
  );
  const interrupted = await server.run(["token", "revoke", "--yes"], { input: first });
  expect(interrupted.code).toBe(13);
  const id = /recover show ([\w-]+)/.exec(interrupted.stderr)?.[1] ?? "";
  status = 403;
  const resumed = await server.run(["token", "revoke", "--yes", "--resume", id], { input: first });
  expect(resumed.code).toBe(1);
  expect((await server.run(["recover", "list", "--json"])).stdout).toBe("[]\n");
});

// `grantctl authorization update`: one kind of scope change per run, and no other changes.
import { expect, test } from "vitest";
import { type Answer, startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson } from "../../support/resources.ts";

/** Applies the changes in the request to the authorization. */
const answer: Answer = ({ body }) => {
  const { add_scopes, remove_scopes, ...fields } = JSON.parse(body || "{}") as Record<string, unknown>;
  const before = ["repo", "user"].filter((scope) => !((remove_scopes ?? []) as string[]).includes(scope));
  return {
    status: 200,
    body: authorizationJson({ scopes: [...before, ...((add_scopes ?? []) as string[])], ...fields }),
  };
};
const words = ["authorization", "update", "42"];

test.each([
  [["--scope", "repo", "--scope", "gist"], { scopes: ["repo", "gist"] }],
  [["--add-scope", "repo,gist"], { add_scopes: ["repo", "gist"] }],
  [["--remove-scope", "repo"], { remove_scopes: ["repo"] }],
  [["--note", "n"], { note: "n" }],
  [
    ["--note-url", "https://n.test/", "--fingerprint", "f"],
    { note_url: "https://n.test/", fingerprint: "f" },
  ],
])("%j sends only %j", async (flags, body) => {
  const server = await startRecordingServer(answer);
  const run = await server.run([...words, ...flags, "--json", "id"]);
  expect(run).toEqual({ code: 0, stdout: '{"id":42}\n', stderr: "" });
  expect(server.lines()).toEqual(["PATCH /authorizations/42"]);
  expect(server.bodyOf(0)).toEqual(body);
});

test("an empty --scope removes all scopes and reports it", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run([...words, "--scope", ""]);
  expect([run.code, server.bodyOf(0)]).toEqual([0, { scopes: [] }]);
  expect(run.stderr).toBe("warning: --scope is empty: all scopes are removed\n");
});

test("prints a list line to a pipe, and one line for each field on a terminal", async () => {
  const server = await startRecordingServer(answer);
  const piped = await server.run([...words, "--note", "nightly backup"]);
  expect(piped.stdout).toBe(
    "42\tnightly backup\tTidewatch CI\trepo,user\t12ab34cd\t\t2025-02-03T04:05:06Z\n",
  );
  const terminal = await server.run([...words, "--note", "nightly backup"], { columns: 100 });
  expect(terminal.stdout).toMatch(/^note +nightly backup$/m);
});

test.each([
  [[...words]],
  [[...words, "--scope", "repo", "--add-scope", "gist"]],
  [[...words, "--add-scope", "repo", "--remove-scope", "gist"]],
  [[...words, "--scope", "repo", "--remove-scope", "gist"]],

  [["authorization", "update", "--note", "n"]],
  [[...words, "--note", "n", "--json", "nosuch"]],
])("%j exits with code 2 and sends nothing", async (line) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(line);
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
});

test.each([
  [{ status: 404, body: { message: "Not Found" } }, 3],

  [{ status: 500 }, 13],
] as const)("%j exits with code %i and is not retried", async (arranged, code) => {
  const server = await startRecordingServer(() => Promise.resolve(arranged));
  const run = await server.run([...words, "--note", "n"]);
  expect([run.code, run.stdout, server.writes().length]).toEqual([code, "", 1]);
});

test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
  [["--note", "n"], { note: "nightly backup" }],
  [["--note", ""], { note: "nightly backup" }],
  [["--note-url", "https://n.test/"], { note_url: "https://notes.test/7" }],
  [["--fingerprint", "f"], { fingerprint: "" }],
  [["--fingerprint", "f"], { fingerprint: null }],
  [["--fingerprint", ""], { fingerprint: "f" }],
  [["--scope", "repo"], { scopes: ["repo", "user"] }],
  [["--scope", "repo,user"], { scopes: ["repo"] }],
  [["--scope", "repo"], { scopes: [] }],
  [["--scope", ""], { scopes: ["repo"] }],
  [["--add-scope", "gist"], { scopes: ["repo", "user"] }],
  [["--add-scope", "admin:org"], { scopes: ["repo", "read:org"] }],
  [["--remove-scope", "user"], { scopes: ["repo", "user"] }],
  [["--remove-scope", "gist,user"], { scopes: ["user"] }],
  [["--note", "n"], { note: "n", id: 43 }],
])("%j with %j in the response exits with code 13 and is not retried", async (flags, shown) => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson(shown) }));
  const run = await server.run([...words, ...flags]);
  expect([run.code, run.stdout, server.lines()]).toEqual([13, "", ["PATCH /authorizations/42"]]);
});

test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
  [["--note", " n "], { note: "n" }],
  [["--note", "n"], { note: null }],
  [["--note", "n"], { note: undefined }],
  [["--note", ""], { note: null }],
  [["--note-url", "HTTPS://n.test"], { note_url: "https://n.test/" }],
  [["--note-url", "n"], { note_url: null }],
  [["--fingerprint", ""], { fingerprint: null }],
  [["--scope", "user,user:email"], { scopes: ["user"] }],
  [["--scope", "user"], { scopes: ["user", "user:email"] }],
  [["--scope", "admin:enterprise,manage_runners:enterprise"], { scopes: ["admin:enterprise"] }],
  [["--scope", "repo"], { scopes: null }],
  [["--scope", "repo"], { scopes: undefined }],
  [["--add-scope", "public_repo,read:org"], { scopes: ["repo", "admin:org"] }],
  [["--remove-scope", "user:email"], { scopes: ["repo", "user"] }],
  [["--note", "n"], { note: "n", scopes: ["gist"] }],
])("%j with %j in the response succeeds", async (flags, shown) => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson(shown) }));
  const run = await server.run([...words, ...flags, "--json", "id"]);
  expect([run.code, run.stdout]).toEqual([0, '{"id":42}\n']);
});

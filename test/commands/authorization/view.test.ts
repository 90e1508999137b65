// `grantctl authorization view`: prints one authorization without its value.
import { expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson } from "../../support/resources.ts";

test("reads the authorization with this id", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson() }));
  const run = await server.run(["authorization", "view", "42", "--json", "id,note"]);
  expect(run).toEqual({ code: 0, stdout: '{"id":42,"note":"nightly backup"}\n', stderr: "" });
  expect(server.lines()).toEqual(["GET /authorizations/42"]);
});

test("prints a line for each field with a value on a terminal", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson() }));
  const run = await server.run(["authorization", "view", "42"], { columns: 100 });
  const fields = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  expect(fields).toEqual([
    "id",
    "url",
    "app.name",
    "app.client_id",
    "app.url",
    "hashed_token",
    "token_last_eight",
    "note",
    "note_url",
    "created_at",
    "updated_at",
    "scopes",
  ]);
});

test("reports empty scopes on a terminal, and prints unchanged data to a pipe", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson({ scopes: [] }) }));
  const view = async (...flags: string[]): Promise<string> =>
    (await server.run(["authorization", "view", "42", ...flags], { columns: 100 })).stdout;
  expect(await view()).toMatch(/\nscopes +none\n/);
  expect(JSON.parse(await view("--json", "scopes"))).toEqual({ scopes: [] });
  expect(await view("--format", "tsv")).not.toContain("none");
});

test.each([
  ["view", ["42"], []],
  ["view", ["42"], ["--json"]],
  ["view", ["42"], ["--json", "token"]],
  ["list", [], ["--json"]],
  ["list", [], ["--format", "ndjson"]],
  ["update", ["42", "--note", "nightly backup"], ["--json"]],
])("%s %j %j prints no value even if the server returns one", async (verb, words, flags) => {
  const token = "5ec1e7".repeat(6).padEnd(40, "9");
  const item = authorizationJson({ token });
  const server = await startRecordingServer(() => ({ status: 200, body: verb === "list" ? [item] : item }));
  for (const columns of [null, 100]) {
    const run = await server.run(["authorization", verb, ...words, ...flags], { columns });
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toContain(token);
  }
});

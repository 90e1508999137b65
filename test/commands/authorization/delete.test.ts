// `grantctl authorization delete`: works like `grant delete`, at its own endpoint.
import { expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson } from "../../support/resources.ts";

test("accepts the JSON output of list as input", async () => {
  const server = await startRecordingServer(({ method }) =>
    method === "GET"
      ? { status: 200, body: [authorizationJson({ id: 3 }), authorizationJson({ id: 4 })] }
      : { status: 204 },
  );
  for (const flags of [["--json"], ["--json", "id"], ["--format", "ndjson"]]) {
    const list = await server.run(["authorization", "list", ...flags]);
    const run = await server.run(["authorization", "delete", "-", "--yes"], { input: list.stdout });
    expect(run).toMatchObject({ code: 0, stdout: "deleted\t3\ndeleted\t4\n" });
  }
});

test.each(["--expires-within", "--older-than"])(
  "%s selects from the list; with ids it exits with code 2",
  async (flag) => {
    const server = await startRecordingServer();
    const run = await server.run(["authorization", "delete", "1", flag, "30d", "--yes"]);
    expect([run.code, server.lines()]).toEqual([2, []]);
    expect(run.stderr).toContain("filters cannot be combined with IDs");
  },
);

test("rejects ids and password both on standard input, and reads neither", async () => {
  const server = await startRecordingServer();
  const run = await server.run(["authorization", "delete", "-", "--yes", "--password-stdin"], {
    input: "correct horse battery\n1\n2\n",
  });
  expect([run.code, run.stderr, server.requests]).toEqual([
    2,
    "grantctl: standard input cannot contain both the IDs and the password\n",
    [],
  ]);
});

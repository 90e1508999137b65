// `grantctl grant view`: one grant.
import { expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { grantJson } from "../../support/resources.ts";

test("requests the grant with all digits of its id", async () => {
  const id = "98765432109876543210987654321";
  const server = await startRecordingServer(() => ({
    status: 200,
    body: JSON.stringify(grantJson()).replace('"id":42', `"id":${id}`),
  }));
  const run = await server.run(["grant", "view", id, "--json", "id"]);
  expect(run).toEqual({ code: 0, stdout: `{"id":${id}}\n`, stderr: "" });
  expect(server.lines()).toEqual([`GET /applications/grants/${id}`]);
  const asTable = await server.run(["grant", "view", id], { columns: 100 });
  expect(asTable.stdout).toContain(id);
  const asTsv = await server.run(["grant", "view", id]);
  expect(asTsv.stdout.split("\t")[0]).toBe(id);
});

test.each([
  ["tsv", "42\tTidewatch CI\trepo,user\t2024-11-20T19:02:04Z\t2025-02-03T04:05:06Z\n"],
  [
    "csv",
    'ID,APP,SCOPES,CREATED,UPDATED\r\n42,Tidewatch CI,"repo,user",2024-11-20T19:02:04Z,2025-02-03T04:05:06Z\r\n',
  ],
  ["json", `${JSON.stringify(grantJson())}\n`],
  ["ndjson", `${JSON.stringify(grantJson())}\n`],
])("prints the grant in a pipe as %s", async (format, stdout) => {
  const server = await startRecordingServer(() => ({ status: 200, body: grantJson() }));
  const run = await server.run(["grant", "view", "42", "--format", format]);
  expect(run).toEqual({ code: 0, stdout, stderr: "" });
});

test("prints a line per field on a terminal, and indented JSON that equals the data", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: grantJson() }));
  const record = await server.run(["grant", "view", "42"], { columns: 100 });
  expect(record.stdout).toMatch(/^id {2,}42\n/);
  expect(record.stdout).toMatch(/^app\.name +Tidewatch CI$/m);
  expect(record.stdout).toMatch(/^scopes +repo,user$/m);
  const later = { now: () => Date.parse("2024-11-23T19:02:05Z") };
  const dated = await server.run(["grant", "view", "42"], { columns: 100, ...later });
  expect(dated.stdout).toMatch(/^created_at +2024-11-20T19:02:04Z \(3 days ago\)$/m);
  // The other one is in the future.
  expect(dated.stdout).toMatch(/^updated_at +2025-02-03T04:05:06Z$/m);
  const kept = await server.run(["grant", "view", "42", "--format", "table"], later);
  expect(kept.stdout).toMatch(/^created_at +2024-11-20T19:02:04Z$/m);
  const json = await server.run(["grant", "view", "42", "--json"], { columns: 100 });
  expect(JSON.parse(json.stdout)).toEqual(grantJson());
  expect(json.stdout).toContain('\n  "id": 42,\n');
});

test.each(["0", "-1", "1.5", "abc", "1e3", "", " 1", "1 ", "01", "+1", "１", "0x10", "1/2", "..", "%31"])(
  "rejects the id %j with exit code 2 and a one-line message, before any request",
  async (id) => {
    const server = await startRecordingServer();
    const run = await server.run(["grant", "view", "--", id]);
    expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
    expect(run.stderr).toBe(
      "grantctl: an ID must be a positive integer\nhint: Run `grantctl grant list` to see the IDs.\n",
    );
  },
);

test("exits with 3 if the grant is not found, and reports that the credentials may be wrong", async () => {
  const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
  const run = await server.run(["grant", "view", "42"]);
  expect([run.code, run.stdout]).toEqual([3, ""]);
  expect(run.stderr).toMatch(/^grantctl: grant 42: .*credentials.*\nhint: .+\n$/);
});

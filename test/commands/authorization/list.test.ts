// `grantctl authorization list`: the requests and the output for its flags.
import { expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson } from "../../support/resources.ts";

const items = [
  authorizationJson(),
  authorizationJson({ id: 7, app: null, note: null, note_url: null, fingerprint: null, scopes: null }),
];
const answer = (): { status: number; body: unknown } => ({ status: 200, body: items });

test("requests pages of 100 from its own endpoint", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["authz", "ls"]);
  expect(run.code).toBe(0);
  expect(server.lines()).toEqual(["GET /authorizations?per_page=100"]);
});

test.each([
  [
    "tsv",
    "42\tnightly backup\tTidewatch CI\trepo,user\t12ab34cd\t\t2025-02-03T04:05:06Z\n7\t\t\t\t12ab34cd\t\t2025-02-03T04:05:06Z\n",
  ],
  [
    "csv",
    'ID,NOTE,APP,SCOPES,LAST EIGHT,FINGERPRINT,UPDATED\r\n42,nightly backup,Tidewatch CI,"repo,user",12ab34cd,,2025-02-03T04:05:06Z\r\n7,,,,12ab34cd,,2025-02-03T04:05:06Z\r\n',
  ],
  ["ndjson", items.map((item) => `${JSON.stringify(item)}\n`).join("")],
  ["json", `[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]\n`],
])("prints %s to a pipe", async (format, stdout) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["authorization", "list", "--format", format]);
  expect(run).toEqual({ code: 0, stdout, stderr: "" });
});

test("--format sets the format of the --json fields", async () => {
  const server = await startRecordingServer(answer);
  const words = ["authorization", "list", "--json", "id,note,app.client_id"];
  const csv = await server.run([...words, "--format", "csv"]);
  expect(csv.stdout).toBe("ID,NOTE,APP.CLIENT_ID\r\n42,nightly backup,0123456789abcdef0123\r\n7,,\r\n");
  const json = await server.run(words);
  expect(JSON.parse(json.stdout)).toEqual([
    { id: 42, note: "nightly backup", app: { client_id: "0123456789abcdef0123" } },
    { id: 7, note: null, app: { client_id: null } },
  ]);
});

test("prints a table with a header that fits the terminal", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["authorization", "list", "--no-color"], {
    columns: 100,
    now: () => Date.parse("2025-02-06T04:05:05Z"),
  });
  const lines = run.stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^ID +NOTE +APP +SCOPES +LAST EIGHT +FINGERPRINT +UPDATED$/);
  expect(lines[1]).toMatch(/^42 +nightly backup +Tidewatch CI +repo,user +12ab34cd +2 days ago$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
});

test.each([
  [200, "ID NOTE APP SCOPES LAST EIGHT FINGERPRINT UPDATED"],
  [78, "ID NOTE APP SCOPES LAST EIGHT UPDATED"],
  [66, "ID NOTE APP SCOPES UPDATED"],
  [50, "ID NOTE APP SCOPES"],
  [34, "ID NOTE SCOPES"],
  [22, "ID NOTE"],
])("drops the least important columns at %i columns, and each line fits", async (columns, header) => {
  const long = "note app or scope that is long".repeat(9);
  const data = [
    authorizationJson(),
    authorizationJson({ id: 7, note: long, app: { name: long }, scopes: [long] }),
  ];
  const server = await startRecordingServer(() => ({ status: 200, body: data }));
  const run = await server.run(["authorization", "list", "--no-color"], { columns });
  const lines = run.stdout.trimEnd().split("\n");
  expect(lines[0]?.replaceAll(/ +/g, " ")).toBe(header);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  expect(run.stderr).toBe("2 authorizations\n");
});

test("keeps the selected fields and truncates their text", async () => {
  const server = await startRecordingServer(answer);
  const words = ["authorization", "list", "--no-color", "--format", "table", "--json"];
  const run = await server.run([...words, "created_at,note,app.name,url,id"], { columns: 40 });
  const [header = "", row = ""] = run.stdout.split("\n");
  expect(header).toMatch(/^CREATE… +NOTE +APP\.NAME +URL +ID$/);
  expect(row).toMatch(/… +nightl… +Tidewat… +https:\/… +42$/);
});

test("never truncates a selected id", async () => {
  const id = "12345678901234567890";
  const body = `[${JSON.stringify(authorizationJson({ note: "n".repeat(60) })).replace('"id":42', `"id":${id}`)}]`;
  const server = await startRecordingServer(() => ({ status: 200, body }));
  const words = ["authorization", "list", "--no-color", "--format", "table", "--json", "note,id"];
  const run = await server.run(words, { columns: 30 });
  expect(run.stdout).toBe(`NOTE      ID\nnnnnnnn…  ${id}\n`);
});

test("prints valid, indented JSON with the same data on a terminal", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["authorization", "list", "--json"], { columns: 100 });
  expect(JSON.parse(run.stdout)).toEqual(items);
  expect(run.stdout).toContain('"id": 42');
});

test("keeps every digit of ids beyond 2^53 in every format, on later pages too", async () => {
  const ids = ["1", "9007199254740993", "12345678901234567890"];
  const server = await startRecordingServer(({ path }) => {
    const page = Number(/[?&]page=(\d)/.exec(path)?.[1] ?? "1");
    const link = { Link: `<https://x.test/?page=${page + 1}>; rel="next"` };
    return {
      status: 200,
      body: `[${JSON.stringify(authorizationJson()).replace('"id":42', `"id":${ids[page - 1]}`)}]`,
      ...(page < ids.length ? { headers: link } : {}),
    };
  });
  for (const format of ["table", "tsv", "csv", "json", "ndjson"]) {
    const piped = await server.run(["authorization", "list", "--format", format]);
    for (const id of ids) expect(`${format}: ${piped.stdout}`).toMatch(new RegExp(`(?<!\\d)${id}(?!\\d)`));
  }
  const terminal = await server.run(["authorization", "list", "--no-color"], { columns: 100 });
  const shown = terminal.stdout.trimEnd().split("\n").slice(1);
  expect(shown.map((line) => line.split(" ")[0])).toEqual(ids);
});

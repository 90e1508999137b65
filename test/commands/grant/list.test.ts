// `grantctl grant list`: the requests for each flag, and the output.
import { expect, test } from "vitest";
import { PassThrough } from "node:stream";
import { main } from "../../../src/main.ts";
import { credentialsOf, startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { grantJson } from "../../support/resources.ts";
import { createTestHost } from "../../support/test-host.ts";

/** Grants 1 to `count` on pages of `size`, with both links. */
function pagesOf(count: number, size: number): Answer {
  const last = Math.ceil(count / size);
  return ({ path }) => {
    const page = Number(new URLSearchParams(path.split("?")[1]).get("page") ?? "1");
    const ids = Array.from({ length: Math.max(0, Math.min(size, count - (page - 1) * size)) }, (_, index) =>
      grantJson({ id: (page - 1) * size + index + 1 }),
    );
    const link =
      page < last
        ? `<https://x.test/g?page=${page + 1}>; rel="next", <https://x.test/g?page=${last}>; rel="last"`
        : "";
    return { status: 200, body: ids, ...(link === "" ? {} : { headers: { Link: link } }) };
  };
}

test("requests pages of 100 with the account's credentials, without a one-time password or a body", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const run = await server.run(["grant", "list"]);
  expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(server.lines()).toEqual(["GET /applications/grants?per_page=100"]);
  const [request] = server.requests;
  expect(credentialsOf(request)).toBe("Basic octavia:correct horse battery");
  expect(request?.body).toBe("");
  expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual([
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "host",
    "user-agent",
  ]);
});

test.each([
  ["grant", [], "no grants"],
  ["authorization", [], "no authorizations"],
  ["grant", ["--scope", "repo"], "no grants match the filters"],
  ["authorization", ["--note", "ci"], "no authorizations match the filters"],
])("%s list %j reports an empty result only on a terminal", async (noun, flags, text) => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const list = (columns: number | null, ...more: string[]) =>
    server.run([noun, "list", ...flags, ...more], { columns });
  expect(await list(80)).toEqual({ code: 0, stdout: "", stderr: `${text}\n` });
  for (const silent of [await list(80, "--quiet"), await list(null)])
    expect(silent).toEqual({ code: 0, stdout: "", stderr: "" });
  // A table in a pipe has its header even if there are no rows.
  const table = await list(null, "--format", "table");
  expect(table).toMatchObject({ code: 0, stderr: "" });
  expect(table.stdout).toMatch(/^ID +[A-Z ]+\n$/);
  expect(await list(80, "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
});

test("sends the base URL's path prefix, the one-time password, the header word and extra headers", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const environment = { GRANTCTL_HEADER_WORD: "GitHub", GRANTCTL_HEADERS: "X-Trace: a b\n\nX-Other: c" };
  const words = ["grant", "list", "--otp", "123456", "--base-url", `${server.root}/api/v3/`];
  await server.run(words, { environment });
  expect(server.lines()).toEqual(["GET /api/v3/applications/grants?per_page=100"]);
  expect(server.requests[0]?.headers).toMatchObject({
    "x-github-otp": "123456",
    "x-trace": "a b",
    "x-other": "c",
  });
});

test.each([
  [[], [1, 2, 3, 4, 5, 6, 7], 3],
  [["--limit", "1"], [1], 1],
  [["--limit", "3"], [1, 2, 3], 1],
  [["--limit", "4"], [1, 2, 3, 4], 2],
  [["--limit", "99"], [1, 2, 3, 4, 5, 6, 7], 3],
] as const)("%j returns %j with %i requests", async (flags, ids, requests) => {
  const server = await startRecordingServer(pagesOf(7, 3));
  const run = await server.run(["grant", "list", "--json", "id", "--concurrency", "2", ...flags]);
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toEqual(ids.map((id) => ({ id })));
  expect(server.requests).toHaveLength(requests);
});

const answer = (): { status: number; body: unknown } => ({
  status: 200,
  body: [grantJson(), grantJson({ id: 7, app: null, scopes: [] })],
});

test.each([
  [
    [],
    "42\tTidewatch CI\trepo,user\t2024-11-20T19:02:04Z\t2025-02-03T04:05:06Z\n7\t\t\t2024-11-20T19:02:04Z\t2025-02-03T04:05:06Z\n",
  ],
  [
    ["--json", "id,app.name"],
    '[\n{"id":42,"app":{"name":"Tidewatch CI"}},\n{"id":7,"app":{"name":null}}\n]\n',
  ],
  [
    ["--format", "ndjson", "--json", "id,scopes"],
    '{"id":42,"scopes":["repo","user"]}\n{"id":7,"scopes":[]}\n',
  ],
  [["--format", "tsv", "--json", "scopes,id"], "repo,user\t42\n\t7\n"],
  [["--format", "csv", "--json", "id,scopes"], 'ID,SCOPES\r\n42,"repo,user"\r\n7,\r\n'],
  [["--format", "table", "--json", "id,app.name"], "ID  APP.NAME\n42  Tidewatch CI\n7\n"],
])("prints the exact output for %j in a pipe", async (flags, stdout) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["grant", "list", ...flags]);
  expect(run).toEqual({ code: 0, stdout, stderr: "" });
});

test("prints a table with a header and relative times on a terminal", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["grant", "list", "--no-color"], {
    columns: 100,
    now: () => Date.parse("2025-02-03T04:05:08Z"),
  });
  expect(run.code).toBe(0);
  expect(run.stderr).toBe("2 grants\n");
  expect(run.stdout.split("\n").map((line) => line.trimEnd())).toEqual([
    "ID  APP           SCOPES     CREATED       UPDATED",
    "42  Tidewatch CI  repo,user  2 months ago  just now",
    "7                            2 months ago  just now",
    "",
  ]);
});

test("prints dates instead of relative times in a table in a pipe, and cuts nothing", async () => {
  const name = "n".repeat(300);
  const server = await startRecordingServer(() => ({
    status: 200,
    body: [grantJson({ app: { name, client_id: "0123456789abcdef0123", url: "" } })],
  }));
  const run = await server.run(["grant", "list", "--format", "table"]);
  const [header = "", row = ""] = run.stdout.split("\n");
  expect(header).toMatch(/^ID +APP +SCOPES +CREATED +UPDATED$/);
  expect(row).toBe(`42  ${name}  repo,user  2024-11-20  2025-02-03`);
});

test.each([
  [{}, [], true],
  [{ NO_COLOR: "1" }, [], false],
  [{ NO_COLOR: "" }, [], true],
  [{ TERM: "dumb" }, [], false],
  [{}, ["--no-color"], false],
])("colours on a terminal with %j and %j: %s", async (variables, flags, hasColours) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["grant", "list", ...flags], { environment: variables, columns: 100 });
  expect(run.stdout.includes("\u001b[")).toBe(hasColours);
});

test.each([
  [{}, [], false],
  [{ FORCE_COLOR: "1" }, [], true],
  [{ FORCE_COLOR: "0" }, [], false],
  [{ FORCE_COLOR: "false" }, [], false],
])("colours of a table in a pipe with %j and %j: %s", async (variables, flags, hasColours) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(["grant", "list", "--format", "table", ...flags], { environment: variables });
  expect(run.stdout.includes("\u001b[")).toBe(hasColours);
});

test.each([["csv", "ID,APP,SCOPES,CREATED,UPDATED\r\n"]])(
  "prints an empty list as %s as %j and exits with 0",
  async (format, stdout) => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const run = await server.run(["grant", "list", "--format", format]);
    expect(run).toEqual({ code: 0, stdout, stderr: "" });
  },
);

test("prints the first ndjson line before the response with the second page", async () => {
  let release: () => void = noRelease;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await startRecordingServer(async (request, position) => {
    if (request.path.includes("page=2")) await held;
    return pagesOf(4, 2)(request, position);
  });
  const recorded = createTestHost({
    argv: ["grant", "list", "--format", "ndjson", "--json", "id"],
    environment: server.environment,
  });
  const ended = main(recorded.host);
  await expect.poll(() => recorded.stdout()).toBe('{"id":1}\n{"id":2}\n');
  release();
  await expect(ended).resolves.toBe(0);
  expect(recorded.stdout()).toBe('{"id":1}\n{"id":2}\n{"id":3}\n{"id":4}\n');
});

test("does not read standard input", async () => {
  const server = await startRecordingServer(answer);
  const { host } = createTestHost({ argv: ["grant", "list"], environment: server.environment });
  const stream = new PassThrough();
  stream.on("newListener", (event) => {
    throw new Error(`somebody listens for ${String(event)} on standard input`);
  });
  await expect(main({ ...host, stdin: { stream, isTerminal: false } })).resolves.toBe(0);
});

function noRelease(): void {
  throw new Error("nothing is held yet");
}

// Filters of the two lists: the items that match, in every format, and no more requests than
// necessary.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { startRecordingServer, type Answer, type RecordingServer } from "../support/recording-server.ts";
import { authorizationJson, grantJson } from "../support/resources.ts";
import { runMain } from "../support/test-host.ts";

const now = Date.UTC(2026, 5, 1);

function app(name: string | null, clientId: string): Record<string, unknown> {
  return { url: "https://x.test/", name, client_id: clientId };
}

const items = [
  { id: 1, app: app("Tidewatch CI", "0123456789abcdef0123"), scopes: ["repo", "user"], note: "CI on host1" },
  { id: 2, app: app("tidewatch ci", "0123456789abcdef0124"), scopes: ["repo"], note: "ci on host10" },
  { id: 3, app: app("Tidewatch CI Beta", "0123456789abcdef0125"), scopes: ["user"], fingerprint: "mac" },
  { id: 4, app: null, scopes: null, note: null, fingerprint: null },
  { id: 5, app: app("Cafe\u0301", "0123456789ABCDEF0123"), scopes: ["repo:status"], fingerprint: "macbook" },
  { id: 6, app: app(null, "ffffffffffffffffffff"), scopes: [], note: "*.[ci]" },
  { id: 7, app: app("0123456789abcdef0123x", "fffffffffffffffffff0"), scopes: ["REPO"], note: "straße" },
].map((item) => ({
  created_at: `2026-05-0${item.id}T00:00:00Z`,
  updated_at: `2026-05-2${item.id}T00:00:00Z`,
  ...item,
}));

/** Serves all items on one page, for both lists. */
const serveItems: Answer = ({ path }) => ({
  status: 200,
  body: items.map((item) => (path.startsWith("/applications") ? grantJson(item) : authorizationJson(item))),
});

async function idsOf(server: RecordingServer, ...words: string[]): Promise<unknown> {
  const run = await server.run([...words, "--format", "ndjson", "--json", "id", "--quiet"], {
    now: () => now,
  });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return run.stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { id: number }).id]));
}

test.each([
  [
    ["--app", "Tidewatch CI"],
    [1, 2],
  ],
  [
    ["--app", "TIDEWATCH ci"],
    [1, 2],
  ],
  [["--app", "Tidewatch"], []],
  [["--app", "0123456789abcdef0123"], [1]],
  [["--app", "0123456789ABCDEF0123"], [5]],
  [["--app", "caf\u00e9"], [5]],
  [
    ["--scope", "repo"],
    [1, 2],
  ],
  [["--scope", "repo", "--scope", "user"], [1]],
  [["--scope", "user, repo"], [1]],
  [["--scope", "nosuch"], []],
  [
    ["--older-than", "2026-05-03"],
    [1, 2],
  ],
  [
    ["--older-than", "2026-05-03T00:00:01Z"],
    [1, 2, 3],
  ],
  [
    ["--older-than", "2026-05-03T01:00:00+01:00"],
    [1, 2],
  ],
  [
    ["--older-than", "28d"],
    [1, 2, 3],
  ],
  [["--older-than", "90d"], []],
  [["--not-updated-for", "10d"], [1]],
  [
    ["--not-updated-for", "216h"],
    [1, 2],
  ],
  [["--app", "tidewatch ci", "--older-than", "2026-05-02"], [1]],
  [["--older-than", "2026-05-04", "--not-updated-for", "2026-05-22"], [1]],
  [["--scope", "repo", "--limit", "1"], [1]],
] as const)("both lists with %j return %j", async (flags, ids) => {
  const server = await startRecordingServer(serveItems);
  expect(await idsOf(server, "grant", "list", ...flags)).toEqual(ids);
  expect(await idsOf(server, "authorization", "list", ...flags)).toEqual(ids);
});

test.each([
  [
    ["--note", "ci on host1"],
    [1, 2],
  ],
  [["--note", "HOST10"], [2]],
  [["--note", "*.[ci]"], [6]],
  [["--note", ".*"], []],
  [["--note", "STRAßE"], [7]],
  [["--fingerprint", "mac"], [3]],
  [["--fingerprint", "MAC"], []],
  [["--note", "host", "--scope", "user"], [1]],
] as const)("the list of authorizations with %j returns %j", async (flags, ids) => {
  const server = await startRecordingServer(serveItems);
  expect(await idsOf(server, "authorization", "list", ...flags)).toEqual(ids);
});

test.each([
  ["json", '[\n{"id":1},\n{"id":2}\n]\n'],
  ["ndjson", '{"id":1}\n{"id":2}\n'],
  ["tsv", "1\n2\n"],
  ["csv", "ID\r\n1\r\n2\r\n"],
  ["table", "ID\n1\n2\n"],
])("applies a filter by a field that is not in the output as %s", async (format, stdout) => {
  const server = await startRecordingServer(serveItems);
  const words = ["grant", "list", "--older-than", "2026-05-03", "--json", "id", "--format", format];
  const run = await server.run(words);
  expect(run).toEqual({ code: 0, stdout, stderr: "" });
});

test("passes the filtered items to --jq", async () => {
  const server = await startRecordingServer(serveItems);
  const words = ["grant", "list", "--scope", "repo", "--jq", "length"];
  const run = await server.run(words);
  expect(run).toEqual({ code: 0, stdout: "2\n", stderr: "" });
});

test("does not send filters to the server", async () => {
  const server = await startRecordingServer(serveItems);
  await idsOf(server, "authorization", "list", "--note", "x", "--app", "y", "--sort", "id", "--reverse");
  expect(server.lines()).toEqual(["GET /authorizations?per_page=100"]);
});

test.each([null, undefined, "", "yesterday", "2020-02-30T00:00:00Z", "2020-01-01", "2020-01-01T00:00:00"])(
  "matches no age for an item with the dates %j, and prints a warning",
  async (date) => {
    const server = await startRecordingServer(() => ({
      status: 200,
      body: [grantJson({ id: 1, created_at: date, updated_at: date }), grantJson({ id: 2 })],
    }));
    for (const flag of ["--older-than", "--not-updated-for"]) {
      const run = await runMain(["grant", "list", flag, "1d", "--json", "id", "--quiet"], server);
      expect(run).toEqual({
        code: 0,
        stdout: '[\n{"id":2}\n]\n',
        stderr: "warning: 1 item is left out: the server reports no readable date for it\n",
      });
    }
    // Items that another filter leaves out are not mentioned.
    const run = await runMain(["grant", "list", "--older-than", "1d", "--app", "nosuch", "--quiet"], server);
    expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
  },
);

describe("an application that is not in the list", () => {
  test.each([
    ["Tidewatch", "; similar: Tidewatch CI, tidewatch ci, Tidewatch CI Beta"],
    ["nosuch", ""],
  ])("%s is reported%s", async (name, meant) => {
    const server = await startRecordingServer(serveItems);
    const run = await runMain(["grant", "list", "--app", name], server);
    expect(run).toEqual({
      code: 0,
      stdout: "",
      stderr: `no application here has the name or client ID ${name}${meant}\n`,
    });
  });

  test("is reported with a limited number of sanitised similar names", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `Tide\u001b[31m${index}`);
    const server = await startRecordingServer(() => ({
      status: 200,
      body: names.map((name, id) => grantJson({ id, app: app(name, "f".repeat(20)) })),
    }));
    const { stderr } = await runMain(["grant", "list", "--app", "tide"], server);
    expect(stderr).not.toContain("\u001b");
    expect(stderr.match(/Tide/g)).toHaveLength(5);
  });

  test("is not reported if other filters left it out", async () => {
    const server = await startRecordingServer(serveItems);
    const run = await runMain(["grant", "list", "--app", "Tidewatch CI", "--scope", "nosuch"], server);
    expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

test.each([
  ["grant", ["--app", ""], "--app is empty"],
  ["grant", ["--scope", ""], "--scope is empty"],
  ["grant", ["--scope", "repo,"], "--scope is empty"],
  ["authorization", ["--note", ""], "--note is empty"],
  ["authorization", ["--fingerprint", ""], "--fingerprint is empty"],
  ["grant", ["--older-than", ""], "must be an age or a date"],
  ["grant", ["--older-than", "90"], "has no unit"],
  ["grant", ["--older-than", "2026-06-02"], "in the future"],
  ["grant", ["--not-updated-for", "9999-01-01"], "in the future"],
  ["grant", ["--note", "x"], "a grant covers all tokens"],
  ["grant", ["--fingerprint", "x"], "a grant covers all tokens"],
  ["grant", ["--unused-for", "90d"], "does not report when a token was last used"],
  ["authorization", ["--last-used", "90d"], "does not report when a token was last used"],
  ["grant", ["--sort", "nosuch"], "cannot sort by nosuch"],
  ["grant", ["--sort", "note"], "cannot sort by note"],
  ["grant", ["--sort", "constructor"], "cannot sort by constructor"],
  ["grant", ["--sort", ""], "cannot sort by"],
] as const)("%s list rejects %j before any request: %s", async (noun, flags, message) => {
  const server = await startRecordingServer();
  const run = await server.run([noun, "list", ...flags], { now: () => now });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toContain(message);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
});

/** Pages of ten grants; every `step`th has the scope `wanted`. */
function sparsePages(pages: number, step: number): Answer {
  return ({ path }) => {
    const page = Number(new URLSearchParams(path.split("?")[1]).get("page") ?? "1");
    const body = Array.from({ length: 10 }, (_, index) => {
      const id = (page - 1) * 10 + index + 1;
      return grantJson({ id, scopes: id % step === 0 ? ["wanted"] : [] });
    });
    const link = `<https://x.test/?page=${page + 1}>; rel="next", <https://x.test/?page=${pages}>; rel="last"`;
    return { status: 200, body, ...(page < pages ? { headers: { Link: link } } : {}) };
  };
}

test.each([
  // The match is on page 1, so no further page is read.
  [["--limit", "1"], 5, [5], 1],
  [["--limit", "2"], 5, [5, 10], 1],
  [["--limit", "3"], 5, [5, 10, 15], 2],
  [["--limit", "4"], 5, [5, 10, 15, 20], 2],
  [["--limit", "2"], 10, [10, 20], 2],
  // The match is on page 4, so page 5 is not read.
  [["--limit", "1"], 35, [35], 4],
  // Sorting requires all pages.
  [["--limit", "2", "--sort", "id"], 35, [35, 70], 30],
  [["--limit", "2", "--reverse"], 35, [280, 245], 30],
] as const)("%j with every %ith item matching returns %j from %i pages", async (flags, step, ids, pages) => {
  const server = await startRecordingServer(sparsePages(30, step));
  expect(await idsOf(server, "grant", "list", "--scope", "wanted", ...flags)).toEqual(ids);
  expect(server.requests).toHaveLength(pages);
});

test("prefetches no more pages than --limit may need", async () => {
  const server = await startRecordingServer(sparsePages(1000, 35));
  expect(await idsOf(server, "grant", "list", "--scope", "wanted", "--limit", "3")).toEqual([35, 70, 105]);
  expect(server.requests.length).toBeGreaterThanOrEqual(11);
  expect(server.requests.length).toBeLessThanOrEqual(11 + 3);
});

test("reads the whole list without a limit, even if few items match", async () => {
  const server = await startRecordingServer(sparsePages(30, 300));
  expect(await idsOf(server, "grant", "list", "--scope", "wanted")).toEqual([300]);
  expect(server.requests).toHaveLength(30);
});

describe("deletion of old grants by an account owner", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount({ now: () => now, grants: 4, authorizations: 6 });
  });
  afterAll(() => account.sandbox.close());

  test.each([
    ["90d", 4],
    ["1y", 3],
    ["10y", 0],
  ])("selects the same grants older than %s in the list and the deletion: %i", async (age, count) => {
    const world = { environment: account.environment, now: () => now };
    const listed = await runMain(
      ["grant", "list", "--older-than", age, "--json", "id", "--jq", ".[].id"],
      world,
    );
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    const run = await runMain(["grant", "delete", "-", "--dry-run"], { ...world, input: listed.stdout });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(
      listed.stdout
        .split("\n")
        .slice(0, -1)
        .map((id) => `would-delete\t${id}\n`)
        .join(""),
    );
    expect(listed.stdout.split("\n")).toHaveLength(count + 1);
    expect(run.stderr).toMatch(
      count === 0
        ? /^no grant to delete\n$/
        : new RegExp(`^would delete ${count} grants \\(".*\\) at http.*\n$`),
    );
  });
});

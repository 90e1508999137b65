// Lists that break off, and their messages: the incomplete result, the defect
// in the response, and the pages in the output of --debug.
import { hints } from "../../src/errors/hints.ts";
import { describe, expect, test } from "vitest";
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../support/recording-server.ts";
import { authorizationJson, grantJson } from "../support/resources.ts";
import { runBinary } from "../support/binary.ts";
import { runUntilStruck } from "../support/struck.ts";
import { runMain } from "../support/test-host.ts";

/** Six pages of two grants each; the test may replace the responses of single pages. */
function sixPages(
  others: Readonly<Record<number, ArrangedAnswer | Promise<ArrangedAnswer> | "cut" | "never">>,
  item: (id: number) => object = (id) => grantJson({ id }),
): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => {
    const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
    const other = others[page];
    if (other === "never") return new Promise(() => undefined);
    if (other === "cut") return Promise.resolve(other);
    if (other !== undefined) return other;
    const next = page < 6 ? `<x?page=${page + 1}>; rel=next, ` : "";
    return {
      status: 200,
      body: [item(page * 10), item(page * 10 + 1)],
      headers: { Link: `${next}<x?page=6>; rel=last` },
    };
  });
}

const where = "the list is incomplete, it broke off after 2 pages, 4 items: ";

describe("a list that fails on page 3", () => {
  test.each<readonly [string, ArrangedAnswer | "cut" | "never", number, string]>([
    ["a 500", { status: 500, body: { message: "boom" } }, 11, "the server failed: boom (status 500)"],
    ["a long 500", { status: 500, body: { message: "b".repeat(2000) } }, 11, "the server failed: bbb"],
    ["a cut answer", "cut", 8, "the connection broke"],
    ["no response", "never", 8, "no complete response came within 0.3 s"],
    ["a 401", { status: 401, body: {} }, 4, "the server rejected the credentials"],
    ["a 404", { status: 404, body: {} }, 3, "no access to the list of grants"],
    ["a 429", { status: 429, body: {} }, 7, "rate limited by the server"],
    ["bad JSON", { status: 200, body: "[{" }, 11, "is not JSON"],
    ["an object", { status: 200, body: {} }, 11, "(page 3 is not an array)"],
    [
      "a link that nobody can follow",
      { status: 200, body: [], headers: { Link: "<x?page=3>; rel=next" } },
      11,
      "the link after page 3",
    ],
  ])(
    "%s: is reported as incomplete, with the number of pages and items",
    async (name, third, code, reason) => {
      for (const words of [
        ["grant", "list"],
        ["grant", "list", "--json"],
        ["grant", "list", "--format", "csv", "--app", "nobody"],
        ["grant", "list", "--sort", "id", "--format", "ndjson"],
      ]) {
        const run = await runUntilStruck(
          // A short time limit only for a response that never arrives; all others may be slow on a busy machine.
          third === "never" ? 0.3 : 100,
          async (seconds) => {
            const { environment, requests } = await sixPages({ 3: third });
            const flags = ["--timeout", String(seconds)];
            return { ...(await runMain([...words, ...flags], { environment })), requests, seconds };
          },
          ({ stderr }) => stderr.includes(where),
        );
        expect([run.code, run.stdout.trimEnd().endsWith("]")]).toEqual([code, false]);
        // Page 3 arrived in this case, without a valid link.
        const expected = name.startsWith("a link") ? where.replace("2 pages", "3 pages") : where;
        expect(run.stderr).toContain(expected);
        expect(run.stderr).toContain(reason.replace("0.3 s", `${run.seconds} s`));
      }
    },
  );

  test("prints the same report for api --paginate", async () => {
    const server = await sixPages({ 3: { status: 500, body: { message: "boom" } } });
    const run = await server.run(["api", "/user/issues", "--auth", "none", "--paginate"]);
    expect(run.code).toBe(11);
    expect(run.stderr.split("\n")[0]).toBe(`grantctl: ${where}the server failed: boom (status 500)`);
  });

  test("a failure on page 1 is not reported as an incomplete list", async () => {
    const server = await sixPages({ 1: { status: 500, body: {} } });
    const run = await server.run(["grant", "list"]);
    expect([run.code, run.stdout, run.stderr.split("\n")[0]]).toEqual([
      11,
      "",
      "grantctl: the server failed: status 500",
    ]);
  });

  test("stops the run at once, even if other pages are waiting for a retry", async () => {
    const refusal = { status: 401, body: {} };
    const server = await sixPages({
      // By then the other page is waiting for a retry, for longer than the test may take.
      3: new Promise((resolve) => {
        setTimeout(resolve, 1000, refusal);
      }),
      4: { status: 429, body: {}, headers: { "Retry-After": "600" } },
      5: "never",
    });
    const run = await runBinary(["grant", "list"], { environment: server.environment });
    expect(run.code).toBe(4);
  });
});

describe("a response that breaks the specification", () => {
  test.each<readonly [string, object]>([
    ["id is not an integer", { id: null }],
    ["created_at is not a string", { created_at: 1_700_000_000 }],
    ["app is not an object", { app: "secret-value" }],
    ["app.name is not a string", { app: { name: 7 } }],
    ["scopes is not a list of strings", { scopes: ["secret-value", 7] }],
  ])("is reported with page, item and field: %s", async (problem, wrong) => {
    const server = await sixPages({}, (id) => grantJson({ id, ...(id === 31 ? wrong : {}) }));
    const run = await server.run(["grant", "list", "--json", "id"]);
    expect(run.code).toBe(11);
    const { error } = JSON.parse(run.stderr) as { error: { message: string } };
    expect(error.message).toBe(
      `${where}GET /applications/grants: the response does not match the API (item 2 of page 3: ${problem})`,
    );
  });

  test("is reported with its field for a single item and for a write", async () => {
    const body = authorizationJson({ note: 7, token: "secret-value" });
    const server = await startRecordingServer(() => ({ status: 200, body }));
    const read = await server.run(["authorization", "view", "1"]);
    expect([read.code, read.stderr.split("\n")[0]]).toEqual([
      11,
      "grantctl: GET /authorizations/:authorization_id: the response does not match the API (note is not a string)",
    ]);
    const write = await server.run(["authorization", "update", "1", "--note", "n"]);
    expect(write.code).toBe(13);
    expect(write.stderr).toContain("the response does not match the API (note is not a string):");
  });
});

describe("--debug", () => {
  test("shows each page, why a response is missing, and the exit code", async () => {
    const server = await sixPages({ 3: { status: 500, body: {} }, 4: "never", 5: "never", 6: "never" });
    const run = await server.run(["grant", "list", "--debug"]);
    const lines = run.stderr.split("\n").filter((line) => line.includes("/applications/grants"));
    const shown = lines.map((line) => line.replace(/^debug: GET \/applications\/grants ([^,]*),.*$/, "$1"));
    expect(shown.slice(0, 3)).toEqual([
      "per_page=100 → 200",
      "page=2 per_page=100 → 200",
      "page=3 per_page=100 → 500",
    ]);
    expect(shown.slice(3)).toEqual(
      [4, 5, 6].map((page) => `page=${page} per_page=100 → no response: cancelled`),
    );
    expect(run.stderr).not.toContain("the same again");
    expect(run.stderr).toMatch(/\ndebug: exit code 11 after \d+ ms\n$/);
    expect(server.requests).toHaveLength(6);
  });

  test.each<readonly [string, "cut" | "never" | null, string]>([
    ["a connection that broke", "cut", "no response: the connection was closed"],
    ["the time limit", "never", "no response: the time limit of "],
    ["nobody there", null, "no response: connection refused"],
  ])("%s", async (_, answer, outcome) => {
    const server = await sixPages(answer === null ? {} : { 1: answer });
    const address = answer === null ? { GRANTCTL_BASE_URL: "http://127.0.0.1:1" } : {};
    const run = await runUntilStruck(
      answer === "never" ? 0.2 : 100,
      (seconds) =>
        server.run(["grant", "list", "--debug", "--timeout", String(seconds)], {
          environment: address,
        }),
      () => answer !== "never" || server.requests.length > 0,
    );
    expect(run.code).toBe(8);
    expect(run.stderr).toContain(`per_page=100 → ${outcome}`);
    expect(run.stderr).toContain(", sent 0 B");
  });

  test("shows only the numeric paging parameters of a query", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const path = "/x?page=hunter2&per_page=3&q=hunter2";
    const run = await server.run(["api", path, "--auth", "none", "--debug"]);
    expect(run.stderr).toContain("GET /x per_page=3 → 200");
    expect(run.stderr).not.toContain("hunter2");
  });
});

function slowDown(headers: Readonly<Record<string, string>>): ArrangedAnswer {
  return { status: 429, body: { message: "slow" }, headers };
}

describe("429", () => {
  test("is reported with the wait time, and with a hint that nothing was changed for a write", async () => {
    const said = "grantctl: rate limited by the server: slow (status 429)";
    const silent = await startRecordingServer(() => slowDown({}));
    expect((await silent.run(["grant", "list"])).stderr).toBe(`${said}\n`);
    const long = await startRecordingServer(() => slowDown({ "Retry-After": "61" }));
    const tooLong = await long.run(["grant", "list"]);
    const why = `${said}; retry after 61 s, which is longer than grantctl waits\n`;
    expect(tooLong.stderr).toBe(why);
    const create = ["authorization", "create", "--note", "n"];
    const write = await long.run(create);
    expect(write).toMatchObject({ code: 7, stderr: `${why}hint: ${hints.nothingChanged}\n` });
  });
});

describe("a list that ends before the announced last page", () => {
  const page3 = [grantJson({ id: 30 })];
  const warning =
    "warning: the server announced 6 pages and returned 3; items may have been deleted meanwhile\n";

  test("succeeds with a warning", async () => {
    const server = await sixPages({ 3: { status: 200, body: page3 } });
    for (const words of [
      ["grant", "list"],
      ["api", "/x", "--auth", "none", "--paginate"],
    ]) {
      const run = await server.run(words);
      expect(run).toMatchObject({ code: 0, stderr: warning });
    }
  });

  test.each([
    ["grant", "list", "--json", "id"],
    ["api", "/x", "--auth", "none", "--paginate"],
  ])("is incomplete if its last page is full and has no links: %s %s", async (...words) => {
    const full = [grantJson({ id: 30 }), grantJson({ id: 31 })];
    const server = await sixPages({ 3: { status: 200, body: full } });
    const run = await server.run(words);
    expect(run.code).toBe(11);
    expect(run.stderr).toContain("page 3 of 6 has no link to the next page");
    expect(run.stdout).toContain("31");
  });

  test("has no warning if the server announced the end or if --limit was reached", async () => {
    const shrunk = { status: 200, body: page3, headers: { Link: "<x?page=3>; rel=last" } };
    const server = await sixPages({ 3: shrunk });
    const run = await server.run(["grant", "list"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const short = await sixPages({ 3: { status: 200, body: page3 } });
    const few = await runMain(["grant", "list", "--limit", "4"], { environment: short.environment });
    expect(few).toMatchObject({ code: 0, stderr: "" });
  });
});

test("rejects a limit that no list reaches", async () => {
  const run = await runMain(["grant", "list", "--limit", "99999999999999999999"]);
  expect(run.code).toBe(2);
  expect(run.stderr.split("\n")[0]).toBe("grantctl: --limit: must be at most 999999999");
});

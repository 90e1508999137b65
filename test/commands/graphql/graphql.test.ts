// `grantctl graphql`: its requests, its output, and its messages for errors.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../../support/account.ts";
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain, type World } from "../../support/test-host.ts";

type Run = Awaited<ReturnType<typeof runMain>>;

const token = "a1b2c3d4".repeat(5);
const query = "{ viewer { login } }";

async function runOn(
  answer: ArrangedAnswer | readonly ArrangedAnswer[],
  words: readonly string[],
  world: Omit<World, "argv"> = {},
): Promise<Run & { readonly server: RecordingServer }> {
  const answers = Array.isArray(answer) ? answer : [answer];
  const server = await startRecordingServer((_, position) => answers[Math.min(position, answers.length - 1)]);
  const environment = { ...server.environment, GRANTCTL_TOKEN: token, ...world.environment };
  return { ...(await runMain(["graphql", ...words], { ...world, environment })), server };
}

const failing = (errors: unknown, data: unknown = null): ArrangedAnswer => ({
  status: 200,
  body: { data, errors },
});

const page = (nodes: readonly number[], pageInfo: unknown): ArrangedAnswer => ({
  status: 200,
  body: { data: { list: { nodes, pageInfo } } },
});

const ok = { status: 200, body: { data: { viewer: { login: "octavia" } } } };

test("prints the response envelope unchanged and in its order", async () => {
  const body = {
    extensions: { cost: 1 },
    errors: [{ type: "X", path: ["a"], message: "no", locations: [{ column: 2, line: 1, at: 0 }] }],
    data: { b: 1, a: null },
  };
  const { code, stdout } = await runOn({ status: 200, body }, [query]);
  expect([code, stdout]).toEqual([1, `${JSON.stringify(body)}\n`]);
});

describe("the requests", () => {
  test("send the query unchanged from an argument, a file or standard input", async () => {
    const file = join(makeFolder(), "q.graphql");
    const text = `# ä\r\n${query}\n`;
    writeFileSync(file, `\ufeff${text}`);
    for (const [words, input] of [
      [[text], ""],
      [[`@${file}`], ""],
      [["@-"], text],
      [["-"], text],
      [[], `\ufeff${text}`],
    ] as const) {
      const { code, stdout, server } = await runOn(ok, words, { input });
      expect([words, code, stdout]).toEqual([words, 0, '{"data":{"viewer":{"login":"octavia"}}}\n']);
      expect(server.lines()).toEqual(["POST /graphql"]);
      expect(server.bodyOf(0)).toEqual({ query: text, variables: {} });
      expect(server.requests[0]?.headers).toMatchObject({
        authorization: `token ${token}`,
        "content-type": "application/json; charset=utf-8",
      });
    }
  });

  test("contain typed, untyped and nested variables with all digits, the operation name and the path", async () => {
    const { server } = await runOn(
      ok,
      [
        query,
        "-f",
        "s=1",
        "-F",
        "n=9007199254740993",
        "-F",
        "i[a][]=true",
        "-F",
        "t=@-",
        "--operation-name",
        "Q",
        "--path",
        "api/graphql",
      ],
      { input: "text\n" },
    );
    expect(server.lines()).toEqual(["POST /api/graphql"]);
    expect(server.requests[0]?.body).toBe(
      JSON.stringify({
        query,
        variables: { s: "1", n: 0, i: { a: [true] }, t: "text\n" },
        operationName: "Q",
      }).replace('"n":0', '"n":9007199254740993'),
    );
  });

  test.each([
    [[], " \n"],
    [[""], ""],
    [["@/nonexistent/file"], ""],
    [["-", "-F", "a=@-"], query],
    [[query, "-f", "a"], ""],
    [[query, "--path", "//elsewhere.example/graphql"], ""],
    [[query, "--path", "https://elsewhere.example/graphql"], ""],
    [[query, "--paginate"], ""],
    [["query($endCursor: String) { a(after: $endCursor) { id } }", "--paginate"], ""],
    [[query, "--format", "table"], ""],
    // --json takes the word behind it as its field list, so the query is missing.
    [["--json", query], query],
    [[query, "--jq", ".["], ""],
  ])("rejects %j before any request", async (words, input) => {
    const { code, stdout, server } = await runOn(ok, words, { input });
    expect([code, stdout, server.requests]).toEqual([2, "", []]);
  });

  test("reports a missing query at once if standard input is a terminal", async () => {
    const { code, stderr, server } = await runOn(ok, [], { input: null });
    expect([code, server.requests]).toEqual([2, []]);
    expect(stderr).toMatch(/^grantctl: there is no query\nhint: For example: `grantctl graphql/);
  });

  test("treats a field named query as a variable, and prints how to pass a query", async () => {
    const { code, stderr, server } = await runOn(ok, ["-f", `query=${query}`]);
    expect([code, server.requests]).toEqual([2, []]);
    expect(stderr).toContain("Set the query's variables with -f and -F.");
  });

  test.each([503])("retries a query after %i, but never a mutation", async (status) => {
    const answers = [{ status, body: {} }, ok];
    expect(await runOn(answers, ["{ mutation }"])).toMatchObject({ code: 0 });
    const mutation = await runOn(answers, ["query Q { a } mutation M { b }"]);
    expect([mutation.code, mutation.stdout, mutation.server.requests.length]).toEqual([13, "", 1]);
  });

  test("--dry-run sends a query but no mutation", async () => {
    expect((await runOn(ok, [query, "--dry-run"])).server.requests).toHaveLength(1);
    const { code, stdout, stderr, server } = await runOn(ok, ["mutation { b }", "--dry-run"]);
    expect([code, stdout, stderr, server.requests]).toEqual([0, "", "would send the mutation\n", []]);
  });
});

describe("the output", () => {
  test("is the whole response, also with --json and for --jq, with all digits of ids", async () => {
    const body = '{"data":{"id":9007199254740993},"extensions":{"cost":1}}';
    const of = async (...flags: string[]): Promise<string> =>
      (await runOn({ status: 200, body }, [query, ...flags])).stdout;
    expect(await of()).toBe(`${body}\n`);
    expect(await of("--json")).toBe(`${body}\n`);
    expect(await of("--jq", ".data.id, .extensions.cost")).toBe("9007199254740993\n1\n");
  });

  test("escapes control sequences on a terminal", async () => {
    const body = { data: { note: "\u001b[2J\u202e" } };
    const { stdout } = await runOn({ status: 200, body }, [query], { columns: 80 });
    expect(stdout).toBe('{\n  "data": {\n    "note": "\\u001b[2J\\u202e"\n  }\n}\n');
  });

  test.each<readonly [string, ArrangedAnswer, number, number]>([
    ["HTML", { status: 200, body: "<html>" }, 11, 13],

    ["a list", { status: 200, body: [] }, 11, 13],
    ["neither data nor errors", { status: 200, body: { message: "x" } }, 11, 13],
    ["no errors and no data", { status: 200, body: { errors: [] } }, 11, 13],
    ["errors of another form", { status: 200, body: { data: null, errors: ["x"] } }, 11, 13],
    ["201", { status: 201, body: { data: {} } }, 11, 13],

    ["403", { status: 403, body: { message: "no" } }, 1, 1],

    ["500", { status: 500, body: {} }, 11, 13],
  ])("%s %i exits with %i for a query and %i for a mutation", async (_, answer, ofQuery, ofMutation) => {
    const first = await runOn(answer, [query]);
    expect([first.code, first.stdout]).toEqual([ofQuery, ""]);
    const second = await runOn(answer, ["mutation { b }"]);
    expect([second.code, second.stdout, second.server.requests.length]).toEqual([ofMutation, "", 1]);
  });

  test("does not claim that nothing was sent if --jq fails after a mutation", async () => {
    expect((await runOn(ok, [query, "--jq", ".data[0]"])).code).toBe(2);
    const { code, stdout, stderr } = await runOn(ok, ["mutation { b }", "--jq", ".data[0]"]);
    expect([code, stdout]).toEqual([12, ""]);
    expect(stderr).toMatch(/"message":"the server made the change, but .*: --jq: /);
  });
});

describe("errors", () => {
  test("are reported with position and marked line, print partial data, and exit with 1", async () => {
    const text = "{\r\n\tviewer { login }\r\n\tgrants { nope }\r\n}";
    const errors = [
      {
        message: 'Cannot query field "nope"',
        locations: [
          { line: 3, column: 11 },
          { line: 1, column: 1 },
        ],
      },
      { message: "no place" },
      { message: "no locations", locations: [] },
      { message: "null", locations: null },
      { message: "beyond", locations: [{ line: 99, column: 1 }] },
    ];
    const { code, stdout, stderr } = await runOn(failing(errors, { viewer: { login: "o" }, grants: null }), [
      text,
    ]);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { data: { viewer: { login: "o" }, grants: null }, errors },
    ]);
    expect(stderr).toBe(
      [
        'grantctl: Cannot query field "nope" (3:11)',
        "   grants { nope }",
        "            ^",
        "grantctl: no place",
        "grantctl: no locations",
        "grantctl: null",
        "grantctl: beyond (99:1)",
        "",
      ].join("\n"),
    );
  });

  test("are reported even if the jq program fails on the response", async () => {
    const { code, stdout, stderr } = await runOn(failing([{ message: "no" }]), [query, "--jq", ".data.x[]"]);
    expect([code, stdout, JSON.parse(stderr)]).toMatchObject([1, "", { error: { message: "no" } }]);
  });

  test("print the response even without data, and with --json are reported as one object", async () => {
    const errors = [{ message: "first" }, { message: "second" }];
    const bare = await runOn(failing(errors), [query]);
    expect([bare.code, JSON.parse(bare.stdout)]).toEqual([1, { data: null, errors }]);
    expect(bare.stderr).toBe("grantctl: first\ngrantctl: second\n");
    const json = await runOn(failing(errors), [query, "--json"]);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([1, { data: null, errors }]);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { class: "refused", exit_code: 1, message: "first; second" },
    });
  });

  test.each([{ type: "RATE_LIMITED" }, { extensions: { code: "RATE_LIMITED" } }])(
    "exit with 7 for a rate limit: %j",
    async (more) => {
      const errors = [{ message: "first" }, { message: "API rate limit exceeded", ...more }];
      const bare = await runOn(failing(errors), [query]);
      expect(bare).toMatchObject({ code: 7, stderr: "grantctl: first\ngrantctl: API rate limit exceeded\n" });
      const json = await runOn(failing(errors), [query, "--json"]);
      expect([json.code, JSON.parse(json.stderr)]).toMatchObject([7, { error: { class: "rate-limited" } }]);
    },
  );

  test("keep their messages in a response with another status", async () => {
    const body = { errors: [{ message: "no such field", locations: [{ line: 1, column: 3 }] }] };
    const { code, stderr } = await runOn({ status: 400, body }, [query]);
    expect([code, stderr]).toEqual([
      1,
      "grantctl: the server rejected the request: no such field (status 400)\n",
    ]);
  });

  test("have control characters escaped and secrets redacted", async () => {
    const errors = [
      { message: `a\u001b[2J\u009b31m\u202e\nhint: run rm ${token}`, locations: [{ line: 1, column: 2 }] },
    ];
    const { code, stderr } = await runOn(failing(errors), ["{ \u202e }"]);
    expect(code).toBe(1);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stderr).not.toContain(token);
    expect(stderr.split("\n")).toHaveLength(4);
  });
});

describe("--paginate", () => {
  const paged =
    "query($endCursor: String) { list(after: $endCursor) { nodes pageInfo { hasNextPage endCursor } } }";

  test("follows the cursor to the last page and prints one array, or one line per page with --jq", async () => {
    const answers = [
      page([1], { hasNextPage: true, endCursor: "a" }),
      page([2], { hasNextPage: false, endCursor: "b" }),
    ];
    const { code, stdout, server } = await runOn(answers, [
      paged,
      "--paginate",
      "--jq",
      "[.[].data.list.nodes[]]",
    ]);
    expect([code, stdout]).toEqual([0, "[1,2]\n"]);
    expect(server.requests.map((_, index) => server.bodyOf(index))).toMatchObject([
      { variables: { endCursor: null } },
      { variables: { endCursor: "a" } },
    ]);
    const lines = await runOn(answers, [paged, "--paginate", "--format", "ndjson"]);
    expect(lines.stdout.split("\n").map((line) => line.slice(0, 8))).toEqual(['{"data":', '{"data":', ""]);
    const array = await runOn(answers, [paged, "--paginate"]);
    expect(JSON.parse(array.stdout)).toMatchObject([
      { data: { list: { nodes: [1] } } },
      { data: { list: { nodes: [2] } } },
    ]);
  });

  test("reads one page if the list is null", async () => {
    const { code, stdout } = await runOn({ status: 200, body: { data: { list: null } } }, [
      paged,
      "--paginate",
    ]);
    expect([code, stdout]).toEqual([0, '[\n{"data":{"list":null}}\n]\n']);
  });

  test.each<readonly [string, readonly ArrangedAnswer[], number]>([
    ["a cursor that repeats", [page([1], { hasNextPage: true, endCursor: "a" })], 11],
    ["more without a cursor", [page([1], { hasNextPage: true, endCursor: null })], 11],
    [
      "a page without pageInfo after one that had it",
      [page([1], { hasNextPage: true, endCursor: "a" }), { status: 200, body: { data: { list: null } } }],
      11,
    ],
    [
      "an error on the second page",
      [
        page([1], { hasNextPage: true, endCursor: "a" }),
        { status: 200, body: { data: null, errors: [{ message: "no" }] } },
      ],
      1,
    ],
    [
      "a second page that fails",
      [page([1], { hasNextPage: true, endCursor: "a" }), { status: 500, body: {} }],
      11,
    ],
  ])("leaves the array open, fails and reports the incomplete list: %s", async (_, answers, code) => {
    const run = await runOn(answers, [paged, "--paginate", "--retries", "0"]);
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(/grantctl: the list is incomplete, it broke off after (?:1 page|2 pages)\b/);
    const asJson = await runOn(answers, [paged, "--paginate", "--retries", "0", "--json"]);
    expect(asJson.stderr).toMatch(/^{"error":.*"message":"the list is incomplete, .*}\n$/);
    expect(run.stdout).toMatch(/^\[\n/);
    expect(() => JSON.parse(run.stdout) as unknown).toThrow(SyntaxError);
    expect(run.server.requests.length).toBeLessThanOrEqual(2);
  });
});

describe("against the sandbox", () => {
  let account: Account;
  let environment: Record<string, string>;
  beforeAll(async () => {
    account = await openAccount({ grants: 12 });
    const [first] = account.sandbox.description.tokens;
    environment = { ...account.environment, GRANTCTL_TOKEN: first?.token ?? "" };
  });
  afterAll(() => account.sandbox.close());

  test("runs a query, and reports an invalid one with its position", async () => {
    const good = await runMain(["graphql", query, "--jq", ".data.viewer.login"], { environment });
    expect(good).toEqual({ code: 0, stdout: `${account.sandbox.description.username}\n`, stderr: "" });
    const wrong = await runMain(["graphql", "{\n  viewer { logn }\n}"], { environment });
    expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([1, { errors: [{}] }]);
    expect(wrong.stderr).toMatch(/^grantctl: .*"logn".* \(2:12\)\n {4}viewer \{ logn \}\n {13}\^\n$/);
  });

  test("rejects a value of the wrong type and reports the expected type", async () => {
    const text = "query($n: Int!) { viewer { grants(first: $n) { nodes { id } } } }";
    const wrong = await runMain(["graphql", text, "-f", "n=2"], { environment });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("Int");
    const right = await runMain(
      ["graphql", text, "-F", "n=2", "--jq", "[.data.viewer.grants.nodes[].id]|length"],
      {
        environment,
      },
    );
    expect(right).toEqual({ code: 0, stdout: "2\n", stderr: "" });
  });

  test("--paginate returns every grant once", async () => {
    const text =
      "query($endCursor: String) { viewer { grants(first: 5, after: $endCursor) { nodes { id } pageInfo { hasNextPage endCursor } } } }";
    const expression = "[.[].data.viewer.grants.nodes[].id] | unique | length";
    const run = await runMain(["graphql", text, "--paginate", "--jq", expression], { environment });
    expect(run).toEqual({ code: 0, stdout: "12\n", stderr: "" });
  });
});

// `--jq` for all commands that print JSON: its input and output, and no loss of token values.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createJq } from "../../src/jq/jq.ts";
import { runBinary } from "../support/binary.ts";
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../support/recording-server.ts";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "../support/resources.ts";
import { inTurn } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { failureOf } from "../support/failure-of.ts";
import { runMain } from "../support/test-host.ts";
import { openJqWriter } from "../../src/printing/list-writers.ts";

const bigId = "9007199254740993";
const exact = (text: string): string => text.replaceAll('"id":0,', `"id":${bigId},`);
const value = tokenValue(7);

/** Responds to every operation with success. */
function answerAll({ method, path }: { method: string; path: string }): ArrangedAnswer {
  if (method === "DELETE") return { status: 204 };
  const grant = grantJson({ id: 0 });
  const authorization = authorizationJson({ id: 0 });
  const [route = ""] = path.split("?");
  if (route === "/applications/grants")
    return { status: 200, body: exact(JSON.stringify([grant, grantJson()])) };
  const id = Number(route.split("/").at(-1));
  if (id === 1 || id === 2)
    return { status: 200, body: route.includes("grants") ? grantJson({ id }) : authorizationJson({ id }) };
  if (route.startsWith("/applications/grants/")) return { status: 200, body: exact(JSON.stringify(grant)) };
  if (route.includes("/tokens/")) {
    const token = route.split("/").at(-1) ?? "";
    // Each token has its own authorization and new value.
    const isFirst = token !== other;
    const made = isFirst ? value : tokenValue(8);
    const body = checkedJson(method === "POST" ? made : token, { id: isFirst ? 0 : 43 });
    return { status: 200, body: exact(JSON.stringify(body)) };
  }
  if (method === "POST" || method === "PUT") {
    const body = authorizationJson({ id: 0, token: value, note: "n", scopes: [] });
    return { status: 201, body: exact(JSON.stringify(body)) };
  }
  const isList = route === "/authorizations";
  return {
    status: 200,
    body: exact(JSON.stringify(isList ? [authorization, authorizationJson()] : authorization)),
  };
}

const old = tokenValue(1);
const other = tokenValue(2);
const many = `${old}\n${other}\n`;

describe("input and output", () => {
  test.each<readonly [string, string, string, string]>([
    ["grant list", ".[].id", `${bigId}\n42\n`, ""],
    ["grant list --format ndjson", ".id", `${bigId}\n42\n`, ""],
    ["grant list --json id,app.name", '.[0]|keys|join(",")', "app,id\n", ""],

    ["grant view 9007199254740993 --format ndjson", ".id", `${bigId}\n`, ""],
    ["grant view 1", ".scopes", '["repo","user"]\n', ""],

    ["grant view 1", "empty", "", ""],
    ["grant delete 1 --yes", ".status", "deleted\n", ""],
    [
      "grant delete 1 2 --yes --format ndjson",
      "[.status,.id]|tostring",
      '["deleted",1]\n["deleted",2]\n',
      "",
    ],
    ["grant delete 1 2 --dry-run", "map(.status)", '["would-delete","would-delete"]\n', ""],
    ["authorization list", "map(.note)|unique", '["nightly backup"]\n', ""],
    ["authorization view 9007199254740993", ".id", `${bigId}\n`, ""],
    ["authorization update 1 --add-scope repo", ".note", "nightly backup\n", ""],
    ["authorization create --note n", ".token", `${value}\n`, ""],

    ["authorization get-or-create", ".token", `${value}\n`, ""],
    ["token check", ".token_last_eight", `${old.slice(-8)}\n`, old],
    ["token check", ".token", "\n", old],
    ["token check --format ndjson", ".status", "live\nlive\n", many],
    ["token check", 'map(.status)|join("+")', "live+live\n", many],
    ["token reset --yes", ".token", `${value}\n`, old],
    ["token reset --yes --format ndjson", ".token", `${value}\n${tokenValue(8)}\n`, many],
    ["token revoke --yes", ".status", "revoked\n", old],
    [
      "token revoke --yes --format ndjson",
      ".token_last_eight",
      `${old.slice(-8)}\n${other.slice(-8)}\n`,
      many,
    ],
    ["config list", "type", "array\n", ""],
    ["auth status", 'map(select(.setting=="username").value)|.[]', "octavia\n", ""],
    ["recover list", "length", "0\n", ""],
    ["doctor", "type", "array\n", ""],
  ])("%s --jq %s", async (line, expression, expected, input) => {
    const server = await startRecordingServer(answerAll);
    const run = await server.run([...line.split(" "), "--jq", expression], { input });
    expect(run.stdout).toBe(expected);
    // The doctor may report findings here.
    expect(line === "doctor" ? 0 : run.code).toBe(0);
  });
});

describe("an invalid program", () => {
  test.each([
    ["grant list", 0],
    ["grant delete 1 --yes", 1],
    ["authorization create --note n", 2],
    ["authorization get-or-create", 3],
    ["token reset --yes", 4],
    ["token revoke --yes", 5],
    ["api /x", 6],
    ["api graphql -f query={a}", 7],
  ])("exits with code 2 for %s and sends nothing", { tags: "soak" }, async (line, row) => {
    const programs: readonly (readonly [string, readonly string[]])[] = [
      [".[", []],
      ["nosuch(1)", []],
      [".", ["--format", "tsv"]],
      [".", ["--format", "table"]],
      [".", ["--format", "csv"]],
    ];
    for (const [expression, flags] of inTurn(programs, 2, row)) {
      const server = await startRecordingServer(answerAll);
      const words = [...line.split(" "), "--jq", expression, ...flags];
      const run = await server.run(words, { input: old });
      expect([expression, run.code, run.stdout, server.requests]).toEqual([expression, 2, "", []]);
      const { error } = JSON.parse(run.stderr) as { error: Record<string, unknown> };
      expect([error["class"], error["exit_code"]]).toEqual(["usage", 2]);
      expect(error["message"]).toMatch(/^--jq[^\n]*[^:\n]$/);
      // The input is irrelevant to an invalid program.
      expect(error["hint"]).toMatch(flags.length === 0 ? /`grantctl help formatting`/ : /--format/);
    }
  });
});

test("prints every error as one object, and nothing else on standard error", async () => {
  const server = await startRecordingServer(({ path }) =>
    path.startsWith("/authorizations") ? { status: 404, body: {} } : answerAll({ method: "GET", path }),
  );
  for (const [words, kind] of [
    [["authorization", "view", "1", "--jq", "."], "not-found"],
    [["authorization", "view", "1", "--jq=."], "not-found"],
    [["grant", "list", "--lmit", "--jq", "."], "usage"],
    [["grant", "list", "--jq"], "usage"],
  ] as const) {
    const run = await server.run(words);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { class: kind, exit_code: run.code } });
  }
  // An argument after `--` is not a flag.
  expect((await server.run(["grant", "view", "--", "--jq"])).stderr).toMatch(/^grantctl: /);
});

describe("programs that exceed the memory limit", () => {
  // Fails in one step; a gradual increase takes seconds of CPU time.
  const greedy = "[]|.[100000000]=1|length";

  test("exit with code 2 like a usage error, and print nothing else", async () => {
    const server = await startRecordingServer(answerAll);
    const run = await runBinary(["grant", "list", "--jq", greedy], { environment: server.environment });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { message: "--jq: jq ran out of memory" } });
  });

  test("report the limit and the workaround for a long list, without collecting all of it", async () => {
    const jq = await createJq("length", (work) => work());
    const written: string[] = [];
    const writer = openJqWriter<string>(
      (results) => Promise.resolve(void written.push(...results)),
      { toText: (item) => item, toValue: (item) => item },
      jq,
      true,
    );
    const item = JSON.stringify("x".repeat(30_000_000));
    await writer.add([item, item]);
    const failure = await failureOf(() => writer.add([item, item]));
    expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
    expect(failure.message).toMatch(
      /^--jq: jq ran out of memory: at least \d+ MB of JSON at once, of which about 45 MB fit/,
    );
    expect(failure.details.hint).toContain("--format ndjson");
    expect(written).toEqual([]);
  });

  test("are not run again", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    const jq = await createJq(`if . == 1 then (${greedy}) else . end`, (work) => work());
    expect(jq.run("2")).toEqual(["2"]);
    expect(() => jq.run("1")).toThrow("--jq: jq ran out of memory");
    expect(() => jq.run("2")).toThrow("--jq: jq ran out of memory");
  });
});

test("fails with no output on an input of the wrong type", async () => {
  const server = await startRecordingServer(answerAll);
  const run = await server.run(["grant", "list", "--jq", ".[].id.x"]);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toContain("Cannot index number");
});

test("a program that processes one item at a time does not wait for the whole list", async () => {
  // The second page fails, but items before it are printed.
  const server = await startRecordingServer(({ path }) => {
    if (path.includes("page=2")) return { status: 500, body: {} };
    const link = `<http://127.0.0.1/applications/grants?page=2>; rel="next"`;
    return { status: 200, body: [grantJson()], headers: { Link: link } };
  });
  const one = await server.run(["grant", "list", "--jq", ".[].id"]);
  expect([one.code === 0, one.stdout]).toEqual([false, "42\n"]);
  const all = await server.run(["grant", "list", "--jq", "map(.id)[]"]);
  expect([all.code === 0, all.stdout]).toEqual([false, ""]);
});

test("a program that reads one field finds it with every digit, or null if it is missing", async () => {
  const body = `[{"a":1,"b":9007199254740993},{"a":7.0},{"b":null},{"b":{"é":1.50}},{"__proto__":2}]`;
  const server = await startRecordingServer(() => ({ status: 200, body }));
  const of = (program: string): ReturnType<typeof runMain> =>
    server.run(["api", "/x", "--paginate", "--auth", "none", "--jq", program]);
  expect((await of(".[].b")).stdout).toBe('9007199254740993\nnull\nnull\n{"é":1.50}\nnull\n');
  expect((await of(".[].b|type")).stdout).toBe("number\nnull\nnull\nobject\nnull\n");
  expect((await of(".[].__proto__")).stdout).toBe("null\nnull\nnull\nnull\n2\n");
  expect((await of(".[] | .a")).stdout).toBe("1\n7.0\nnull\nnull\nnull\n");
});

test("replaces a lone surrogate and keeps a surrogate pair", async () => {
  const body = String.raw`[{"id":1,"app":{"name":"a\ud800b"}},{"id":2,"app":{"name":"\ud83e\udd80"}},{"id":3,"app":{"name":"\\ud800"}}]`;
  const server = await startRecordingServer(() => ({ status: 200, body }));
  const run = await server.run(["grant", "list", "--jq", ".[].app.name"]);
  expect(run).toEqual({ code: 0, stdout: "a\ufffdb\n\u{1f980}\n\\ud800\n", stderr: "" });
});

test("escapes control characters in strings and JSON on a terminal", async () => {
  const server = await startRecordingServer(() => ({
    status: 200,
    body: [grantJson({ app: { name: "\u001b[2J\u009b\u202e\nx" } })],
  }));
  const of = async (expression: string): Promise<string> =>
    (await server.run(["grant", "list", "--jq", expression], { columns: 80 })).stdout;
  expect(await of(".[].app.name")).toBe("\\x1b[2J\\x9b\\u202e\nx\n");
  expect(await of(".[].app")).not.toMatch(/[\u001b\u009b\u202e]/);
});

test("cannot read files or grantctl's variables", async () => {
  const server = await startRecordingServer(answerAll);
  const environment = { ...server.environment, GRANTCTL_TOKEN: "secret-token" };
  const run = await runMain(["grant", "view", "1", "--jq", "[env, $ENV]"], { environment });
  expect(run.code).toBe(0);
  expect(run.stdout).not.toMatch(/GRANTCTL|secret|octavia|correct/);
  const module = await runMain(["grant", "view", "1", "--jq", 'import "/etc/passwd" as $p; $p'], {
    environment,
  });
  expect([module.code, module.stdout]).toEqual([2, ""]);
});

test("can read other environment variables, so that a comparison with one does not match null", async () => {
  const server = await startRecordingServer(answerAll);
  const NOTE = 'a "quoted" \\(1 + 1) é\n$ENV';
  const childEnvironment = { NOTE, GRANTCTL_USERNAME: "octavia" };
  const of = async (program: string): Promise<string> =>
    (await server.run(["grant", "list", "--jq", program], { childEnvironment })).stdout;
  expect(await of("$ENV.NOTE, env.GRANTCTL_USERNAME, env.NOTE")).toBe(`${NOTE}\nnull\n${NOTE}\n`);
  expect(await of(".[] | select(.app.name == env.NOTE)")).toBe("");
  expect(await of("-1 + (env | length) - ($ENV | length)")).toBe("-1\n");
});

/** The pending items of `grantctl recover`. */
async function recovered({ environment }: RecordingServer): Promise<string> {
  const list = await runMain(["recover", "list", "--jq", ".[].id"], { environment });
  expect(list.code).toBe(0);
  const [id = ""] = list.stdout.split("\n");
  return (await runMain(["recover", "show", id], { environment })).stdout;
}

describe("a new value that jq does not print", () => {
  test.each([
    ["authorization create --note n", "", 0],
    ["authorization get-or-create", "", 1],
    ["token reset --yes", old, 2],
    ["token reset --yes --format ndjson", many, 3],
  ])("is kept: %s", { tags: "soak" }, async (line, input, row) => {
    for (const expression of inTurn([".token.x", "empty", ".tokn", '""', 'error("no")', ".a, .b"], 2, row)) {
      const server = await startRecordingServer(answerAll);
      const run = await server.run([...line.split(" "), "--concurrency", "1", "--jq", expression], { input });
      expect([expression, run.code, run.stdout]).toEqual([expression, 12, ""]);
      expect(run.stderr).toMatch(/grantctl recover show|--resume/);
      // With many tokens, the next request may be in flight when the output fails; no further ones start.
      expect(server.writes().length).toBeLessThanOrEqual(input === many ? 2 : 1);
      expect(await recovered(server)).toContain(value);
    }
  });

  test.each([
    ['error("x")', "x"],
    ['error("x" | ., "y")', "x"],
    [".token|tonumber", 'string (\\"(the token)\\") cannot be parsed as a number'],
    [".token|error", "(the token)"],
    [".token|.[2:30]|error", "he token)"],
    [".tokn", null],
  ])("%s is reported with jq's message, but without any part of the token", async (expression, words) => {
    const server = await startRecordingServer(answerAll);
    const run = await server.run(["authorization", "create", "--note", "n", "--jq", expression]);
    expect(run.code).toBe(12);
    const said = "the request succeeded, but --jq printed nothing for the new token";
    expect(run.stderr).toContain(`"message":"${said}${words === null ? "" : `: ${words}`}"`);
    expect(run.stderr).not.toContain(value.slice(4, 10));
  });

  test("no part of it appears in errors of recover show or api", async () => {
    const server = await startRecordingServer(answerAll);
    const words = ["--jq", ".token|tonumber"];
    await server.run(["authorization", "create", "--note", "n", "--jq", "empty"]);
    const [id = ""] = (await server.run(["recover", "list", "--jq", ".[].id"])).stdout.split("\n");
    for (const line of [`recover show ${id}`, "api /authorizations -X POST -f note=n --auth basic"]) {
      const run = await server.run([...line.split(" "), ...words]);
      expect([run.code, run.stdout]).toEqual([12, ""]);
      expect(run.stderr).toContain("cannot be parsed as a number");
      expect(run.stderr).not.toContain(value.slice(0, 6));
    }
  });

  test("is also kept with --output-file, which stays empty", async () => {
    const server = await startRecordingServer(answerAll);
    const file = join(makeFolder(), "new.txt");
    const words = ["authorization", "create", "--note", "n", "--output-file", file];
    const run = await server.run([...words, "--jq", "empty"]);
    expect([run.code, run.stdout]).toEqual([12, ""]);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe("");
    expect(await recovered(server)).toContain(value);
  });

  test("is prevented for several tokens without ndjson, because the array is complete only at the end", async () => {
    const server = await startRecordingServer(answerAll);
    for (const flags of [[], ["--json"], ["--format", "json"]]) {
      const words = ["token", "reset", "--yes", "--jq", ".[].token", ...flags];
      const run = await server.run(words, { input: many });
      expect([run.code, run.stdout, server.requests]).toEqual([2, "", []]);
      expect(run.stderr).toContain("--format ndjson");
    }
  });
});

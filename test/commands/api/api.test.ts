// `grantctl api`: the requests it sends, their credentials, and its output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram, program } from "../../support/binary.ts";
import {
  credentials,
  credentialsOf,
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../../support/recording-server.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { runMain, type World } from "../../support/test-host.ts";

type Run = Awaited<ReturnType<typeof runMain>>;

const token = "a1b2c3d4".repeat(5);

/** Runs `api` against a server that always returns this response. */
async function runOn(
  answer: ArrangedAnswer,
  words: readonly string[],
  world: Omit<World, "argv"> = {},
): Promise<Run & { readonly server: RecordingServer }> {
  const server = await startRecordingServer(() => answer);
  const environment = { ...server.environment, ...world.environment };
  return { ...(await runMain(["api", ...words], { ...world, environment })), server };
}

describe("credentials", () => {
  const ok = { status: 200, body: {} };
  const withToken = { environment: { GRANTCTL_TOKEN: token } };
  const asAccount = `Basic ${credentials.username}:${credentials.password}`;
  const application = `Basic ${credentials.clientId}:${credentials.clientSecret}`;

  test.each([
    [["/x"], withToken, `token ${token}`],
    [["/x", "--auth", "token"], withToken, `token ${token}`],
    [["/x", "--auth", "basic"], withToken, asAccount],
    [["/x", "--auth", "app"], withToken, application],
    [["/x"], {}, asAccount],
    [["/x"], { environment: { GRANTCTL_TOKEN: "" } }, asAccount],
    // A token sent as the password (specification, section 5.3).
    [["/x", "--auth", "basic"], { environment: { GRANTCTL_PASSWORD: token } }, `Basic octavia:${token}`],
  ])("%j %j", async (words, world, expected) => {
    const { code, server } = await runOn(ok, words, world);
    expect(code).toBe(0);
    const [request] = server.requests;
    const sent = String(request?.headers["authorization"]);
    expect(sent.startsWith("token ") ? sent : credentialsOf(request)).toBe(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("--auth none sends no credentials", async () => {
    const { code, server } = await runOn(ok, ["/x", "--auth", "none"], {
      environment: { GRANTCTL_TOKEN: token, GRANTCTL_OTP: "123456" },
    });
    expect([code, server.requests.length]).toEqual([0, 1]);
    expect(Object.keys(server.requests[0]?.headers ?? {}).toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  test("--auth token without a token exits with code 4 and sends nothing", async () => {
    const { code, stdout, stderr, server } = await runOn(ok, ["/x", "--auth", "token"]);
    expect([code, stdout, server.lines()]).toEqual([4, "", []]);
    expect(stderr).toMatch(/^grantctl: no token configured\nhint: .*--with-token/);
  });

  test.each([["two words"], ["line\nbreak"], ["ümlaut"]])("rejects the token %j with code 2", async (bad) => {
    const { code, stderr, server } = await runOn(ok, ["/x"], { environment: { GRANTCTL_TOKEN: bad } });
    expect([code, server.lines()]).toEqual([2, []]);
    expect(stderr).not.toContain(bad);
  });

  test("requests a one-time password only with the account's credentials", async () => {
    const demand = { status: 401, headers: { "X-Service-OTP": "required; app" }, body: { message: "otp" } };
    const server = await startRecordingServer(({ headers }) =>
      headers["x-service-otp"] === "123456" ? { status: 200, body: { done: true } } : demand,
    );
    const environment = { ...server.environment, GRANTCTL_OTP_COMMAND: "echo 123456" };
    const words = ["api", "-X", "POST", "/x", "-f", "a=1"];
    const account = await runMain([...words, "--auth", "basic"], { environment });
    expect([account.code, account.stdout]).toEqual([0, '{"done":true}']);
    expect(server.requests.map(({ body, headers }) => [body, headers["x-service-otp"]])).toEqual([
      ['{"a":"1"}', undefined],
      ['{"a":"1"}', "123456"],
    ]);
    for (const [kind, more] of [
      ["token", { GRANTCTL_TOKEN: token }],
      ["app", {}],
      ["none", {}],
    ] as const) {
      const before = server.requests.length;
      const run = await runMain([...words, "--auth", kind], { environment: { ...environment, ...more } });
      expect([kind, run.code, server.requests.length - before]).toEqual([kind, 4, 1]);
      expect(server.requests.at(-1)?.headers["x-service-otp"]).toBeUndefined();
    }
  });
});

describe("requests", () => {
  test.each([
    [["/x"], "GET"],
    [["/x", "-X", "delete"], "DELETE"],
    [["/x", "-X", "HEAD"], "HEAD"],
    [["/x", "-X", "OPTIONS"], "OPTIONS"],
    [["/x", "-f", "a=1"], "POST"],
    [["/x", "--input", "-"], "POST"],
  ])("%j sends %s", async (words, method) => {
    const { server } = await runOn({ status: 204 }, words, { input: "{}" });
    expect(server.lines()).toEqual([`${method} /x`]);
  });

  test("-H adds headers, and replaces defaults case-insensitively", async () => {
    const { server } = await runOn({ status: 204 }, ["/x", "-H", "ACCEPT: text/plain", "-H", "X-A: 1"]);
    expect(server.requests[0]?.headers).toMatchObject({ accept: "text/plain", "x-a": "1" });
  });

  test.each([503])("retries a read after %i, never a change", async (status) => {
    const answer = (_: unknown, position: number): ArrangedAnswer =>
      position === 0 ? { status, body: { message: "later" } } : { status: 200, body: { ok: 1 } };
    for (const [words, code, sent] of [
      [["/x"], 0, 2],
      [["-X", "POST", "/x"], 13, 1],
      [["-X", "PUT", "/x"], 13, 1],
      [["-X", "DELETE", "/x"], 13, 1],
    ] as const) {
      const server = await startRecordingServer(answer);
      const run = await server.run(["api", ...words]);
      expect([words, run.code, server.requests.length]).toEqual([words, code, sent]);
    }
  });

  test("a change without a complete response exits with code 13 and is not retried", async () => {
    const silent = await startRecordingServer(() => "cut" as unknown as ArrangedAnswer);
    const run = await silent.run(["api", "-X", "PATCH", "/x"]);
    expect([run.code, run.stdout, silent.requests.length]).toEqual([13, "", 1]);
    const raw = await startRawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":1');
    });
    onTestFinished(() => raw.close());
    const environment = { ...silent.environment, GRANTCTL_BASE_URL: raw.root };
    const cut = await runMain(["api", "-X", "PATCH", "/x"], { environment });
    expect([cut.code, cut.stdout, raw.received.length]).toEqual([13, "", 1]);
  });

  test.each([
    ["a change is finished and its answer printed", ["api", "-X", "POST", "/x"], [0, null, "{}"]],
    ["a mutation, too", ["api", "graphql", "-f", "query=mutation { a }"], [0, null, '{"data":null}']],
  ] as const)("Ctrl-C: %s", async (_, words, expected) => {
    const server = await startRecordingServer(async ({ method, path }) => {
      child.kill("SIGINT");
      // Lets the signal arrive before the response. Reads need no such delay.
      await new Promise((resolve) => method === "GET" || setTimeout(resolve, 200));
      return { status: 200, body: path === "/x" ? {} : { data: null } };
    });
    const env = { PATH: process.env["PATH"] ?? "", ...server.environment };
    const child = spawn(process.execPath, [program, ...words], { env, stdio: ["ignore", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    expect([code, signal, stdout]).toEqual(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("a failed response that requires approval does not resend a change", async () => {
    const headers = { "X-Service-SSO": "required; url=https://sso.example.com/approve" };
    const { code, server } = await runOn({ status: 502, headers, body: {} }, ["-X", "POST", "/x"]);
    expect([code, server.requests.length]).toEqual([13, 1]);
  });
});

describe("exit codes", () => {
  test.each<readonly [ArrangedAnswer, number, string]>([
    [{ status: 200, body: {} }, 0, ""],
    [{ status: 204 }, 0, ""],
    [{ status: 422, body: { message: "no" } }, 1, "rejected"],

    [{ status: 404, body: { message: "Not Found" } }, 3, "not found, or the credentials are wrong"],

    [{ status: 401, headers: { "X-Service-OTP": "required; app" }, body: {} }, 5, "one-time password"],
    [{ status: 403, headers: { "X-Service-SSO": "required; url=https://e.org/a" }, body: {} }, 6, "approval"],

    [{ status: 500, body: { message: "oops" } }, 11, "failed"],
  ])("%j exits with code %i", async (answer, code, said) => {
    const run = await runOn(answer, ["/x"]);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(said);
    expect(run.server.requests).toHaveLength(1);
    // The body of a rejection has more details than the message.
    // (A missing one-time password is not a rejection.)
    const isShown = answer.body !== undefined && code !== 5;
    expect(run.stdout).toBe(isShown ? JSON.stringify(answer.body) : "");
  });

  test("never follows redirects", async () => {
    const other = await startRecordingServer();
    const { code, server } = await runOn({ status: 302, headers: { Location: `${other.root}/x` } }, ["/x"], {
      environment: { GRANTCTL_TOKEN: token },
    });
    expect([code, server.lines(), other.lines()]).toEqual([11, ["GET /x"], []]);
  });
});

describe("output", () => {
  test("copies each byte to a pipe unchanged", async () => {
    const bodies = [
      Buffer.from('{"id":9007199254740993,  "id":1.0}'),
      Buffer.from("no json at all\r\n\u001b[31m\u202e"),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80]),
      Buffer.alloc(0),
      Buffer.from("\ufeff[]\n\n"),
      Buffer.alloc(3_000_000, "x"),
      Buffer.from(`${"[".repeat(2000)}${"]".repeat(2000)}`),
    ];
    const server = await startRecordingServer(({ path }) => ({
      status: path.startsWith("/bad") ? 422 : 200,
      body: bodies[Number(path.slice(-1))],
    }));
    const { createHash } = await import("node:crypto");
    const sums = bodies.map((body) => createHash("sha256").update(body).digest("hex"));
    const paths = [...bodies.map((_, index) => `/good/${index}`), "/bad/2"];
    const runs = await Promise.all(
      paths.map((path) =>
        runProgram("bash", ["-c", `"$NODE" "$PROGRAM" api ${path} | sha256sum | cut -c1-64`], {
          environment: { ...server.environment, NODE: process.execPath, PROGRAM: program },
        }),
      ),
    );
    expect(runs.map(({ stdout }) => stdout.trim())).toEqual([...sums, sums[2]]);
  });

  test("pretty-prints JSON on a terminal and escapes control characters", async () => {
    const body = String.raw`{"id":9007199254740993,"note":"\u001b]0;x\u0007\u202e","list":[1]}`;
    const { code, stdout } = await runOn({ status: 200, body }, ["/x"], { columns: 80 });
    expect(code).toBe(0);
    expect(stdout).toBe(
      '{\n  "id": 9007199254740993,\n  "note": "\\u001b]0;x\\u0007\\u202e",\n  "list": [\n    1\n  ]\n}\n',
    );
  });

  test.each([
    ["a\u001b[2Jb\r\nc", "a\\x1b[2Jb\nc\n"],
    ["one line\n", "one line\n"],
  ])("prints the text %j as %j on a terminal", async (body, expected) => {
    const { stdout } = await runOn({ status: 200, body }, ["/x"], { columns: 80 });
    expect(stdout).toBe(expected);
  });

  test("escapes hostile headers with -i on a terminal", async () => {
    const headers = { "X-Note": "\u009b31mred" };
    const { stdout } = await runOn({ status: 200, body: "[]", headers }, ["/x", "-i"], { columns: 80 });
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n/);
    expect(stdout).toContain("x-note: \\x9b31mred\n");
    expect(stdout).toMatch(/\n\n\[\]\n$/);
  });

  test("-i also prints the headers of rejections and empty responses", async () => {
    const refused = await runOn({ status: 422, body: { message: "no" } }, ["/x", "-i"]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^HTTP\/1\.1 422 Unprocessable Entity\n[^]*\n\n\{"message":"no"\}$/);
    const empty = await runOn({ status: 204 }, ["/x", "-X", "DELETE", "-i"]);
    expect(empty.stdout).toMatch(/^HTTP\/1\.1 204 No Content\n[^]*\n\n$/);
  });

  test("--jq prints strings raw, other values as JSON, and ids with all digits", async () => {
    const body = '[{"id":9007199254740993,"n":"a\\nb"},{"id":2,"n":null}]';
    const of = async (expression: string): Promise<string> =>
      (await runOn({ status: 200, body }, ["/x", "--jq", expression])).stdout;
    expect(await of(".[].n")).toBe("a\nb\nnull\n");
    expect(await of(".[].id")).toBe("9007199254740993\n2\n");
    expect(await of(".")).toBe('[{"id":9007199254740993,"n":"a\\nb"},{"id":2,"n":null}]\n');
    expect(await of("empty")).toBe("");
  });

  test("--format ndjson prints one item per line and applies --jq to each", async () => {
    const answer = { status: 200, body: '[{"id":9007199254740993},{"id":2}]' };
    const lines = await runOn(answer, ["/x", "--format", "ndjson"]);
    expect([lines.code, lines.stdout]).toEqual([0, '{"id":9007199254740993}\n{"id":2}\n']);
    const ids = await runOn(answer, ["/x", "--format", "ndjson", "--jq", ".id"]);
    expect([ids.code, ids.stdout]).toEqual([0, "9007199254740993\n2\n"]);
    const single = await runOn({ status: 200, body: '{ "id": 1 }' }, ["/x", "--format", "ndjson"]);
    expect([single.code, single.stdout]).toEqual([0, '{"id":1}\n']);
  });

  test("--jq exits with code 11 if the response is not JSON", async () => {
    const { code, stdout, stderr } = await runOn({ status: 200, body: "<html>" }, ["/x", "--jq", ".id"]);
    expect([code, stdout]).toEqual([11, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { message: "the response is not JSON" } });
  });

  test("rejects a response without JSON if JSON output is requested", async () => {
    const empty = { status: 200, body: "" };
    for (const words of [["--jq", ".login"], ["--json"], ["--format", "ndjson"]]) {
      const { code, stdout, stderr } = await runOn(empty, ["/x", ...words]);
      expect([words, code, stdout]).toEqual([words, 11, ""]);
      expect(stderr).toContain("is empty");
    }
    const page = await runOn({ status: 200, body: "<html>" }, ["/x", "--json"]);
    expect([page.code, page.stdout]).toEqual([11, ""]);
    expect((await runOn({ status: 204 }, ["-X", "DELETE", "/x", "--jq", "."])).code).toBe(0);
    expect((await runOn(empty, ["/x"])).code).toBe(0);
  });

  test.each([
    ["application/json", '{"login":"octa', [], 11],
    ["application/problem+json; charset=utf-8", "[1,", [], 11],
    ["application/json", '{"login":"octa', ["-X", "POST"], 13],
    ["application/json", '{"login":"octavia"}', [], 0],
    ["text/plain", '{"login":"octa', [], 0],
  ] as const)("%s ended by connection close: %s %j exits with code %i", async (type, body, words, code) => {
    const raw = await startRawServer((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n${body}`);
    });
    onTestFinished(() => raw.close());
    const run = await runMain(["api", "/x", ...words], {
      environment: { GRANTCTL_BASE_URL: raw.root, GRANTCTL_TOKEN: token },
    });
    expect([run.code, run.stdout]).toEqual([code, code === 0 ? body : ""]);
  });

  test("a --jq error after a change does not report that nothing was sent", async () => {
    const answer = { status: 200, body: [1] };
    expect((await runOn(answer, ["/x", "--jq", ".a"])).code).toBe(2);
    const change = await runOn(answer, ["-X", "POST", "/x", "--jq", ".a"]);
    expect([change.code, change.stdout, change.server.requests.length]).toEqual([12, "", 1]);
    expect(change.stderr).toContain('"message":"the server made the change, but');
  });
});

describe("graphql, compatible with `gh api graphql`", () => {
  const query = "query($n: Int!) { viewer { login } }";

  test.each(["graphql", "/graphql"])("%s sends fields other than the query as variables", async (path) => {
    const answer = { status: 200, body: { data: { viewer: { login: "octavia" } } } };
    const words = [
      path,
      "-f",
      `query=${query}`,
      "-F",
      "n=2",
      "-f",
      "operationName=",
      "--jq",
      ".data.viewer.login",
    ];
    const { code, stdout, server } = await runOn(answer, words);
    expect([code, stdout]).toEqual([0, "octavia\n"]);
    expect(server.bodyOf(0)).toEqual({ query, operationName: "", variables: { n: 2 } });
  });

  test.each([
    ["they have messages", [{ message: "first" }, { message: "second" }], "first; second"],
    ["they are texts", ["bad"], '"bad"'],
    ["they have no message", [{ type: "RATE_LIMITED" }], '{"type":"RATE_LIMITED"}'],
  ] as const)(
    "errors in a 200 response end the run with 1, and it is printed: %s",
    async (_, errors, said) => {
      const body = { data: { viewer: null }, errors };
      const { code, stdout, stderr } = await runOn({ status: 200, body }, [
        "graphql",
        "-f",
        `query=${query}`,
      ]);
      expect([code, stdout, stderr]).toEqual([1, JSON.stringify(body), `grantctl: ${said}\n`]);
    },
  );

  test("errors are reported even if jq can make nothing of the rest", async () => {
    const body = { data: { viewer: null }, errors: [{ message: "gone" }] };
    const words = ["api/graphql", "-f", `query=${query}`, "--jq", ".data.viewer.x[]"];
    const { code, stdout, stderr } = await runOn({ status: 200, body }, words);
    expect([code, stdout, JSON.parse(stderr)]).toMatchObject([1, "", { error: { message: "gone" } }]);
  });

  test("messages have control characters escaped and secrets redacted", async () => {
    const errors = [{ message: `a\u001b[2J\u202e\nhint: run rm ${token}` }];
    const environment = { GRANTCTL_TOKEN: token };
    const { stderr } = await runOn({ status: 200, body: { errors } }, ["graphql", "-f", "query={a}"], {
      environment,
    });
    expect(stderr.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stderr).not.toContain(token);
  });

  test("keeps the messages of a response with another status", async () => {
    const body = { errors: [{ message: "no such field" }] };
    const { code, stderr } = await runOn({ status: 400, body }, ["graphql", "-f", "query={a}"]);
    expect([code, stderr]).toEqual([
      1,
      "grantctl: the server rejected the request: no such field (status 400)\n",
    ]);
  });

  test.each([
    ["{ mutations { a } }", 4],
    ["mutation { a }", 1],
    ["query Q { a }mutation M { b }", 1],
    ["# \nmutation($x: Int) { a }", 1],
  ])("retries a query, but nothing that may be a mutation: %j", async (text, requests) => {
    const words = ["graphql", "-f", `query=${text}`];
    const { server } = await runOn({ status: 503, body: {} }, words);
    expect(server.requests).toHaveLength(requests);
  });

  test("merges an object of variables with the other fields", async () => {
    const words = ["graphql", "-f", "query=a", "-F", "variables[n]=2", "-f", "m=x"];
    const { server } = await runOn({ status: 200, body: { data: {} } }, words);
    expect(server.bodyOf(0)).toEqual({ query: "a", variables: { n: 2, m: "x" } });
  });

  test("sends an --input body unchanged and reports its errors", async () => {
    const body = { data: null, errors: [{ message: "no such field" }] };
    const words = ["graphql", "--input", "-", "--json"];
    const { code, stderr, server } = await runOn({ status: 200, body }, words, { input: '{"query":"{a}"}' });
    expect(server.bodyOf(0)).toEqual({ query: "{a}" });
    expect([code, JSON.parse(stderr)]).toMatchObject([
      1,
      { error: { class: "refused", message: "no such field" } },
    ]);
  });

  test("goes to /api/graphql beside the REST API of GitHub Enterprise Server", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: { data: {} } }));
    const environment = { ...server.environment, GRANTCTL_BASE_URL: `${server.root}/api/v3` };
    for (const path of ["graphql", "/graphql", "x/graphql"])
      await runMain(["api", path, "-f", "query={a}"], { environment });
    expect(server.lines()).toEqual(["POST /api/graphql", "POST /api/graphql", "POST /api/v3/x/graphql"]);
  });

  test("other paths get no special treatment of fields and errors", async () => {
    const body = { errors: [{ message: "as data" }] };
    const { code, server } = await runOn({ status: 200, body }, ["/graphql/x", "-f", "query=a", "-F", "n=2"]);
    expect([code, server.bodyOf(0)]).toEqual([0, { query: "a", n: 2 }]);
  });
});

const page = (nodes: readonly number[], pageInfo: unknown): ArrangedAnswer => ({
  status: 200,
  body: { data: { list: { nodes, pageInfo } } },
});

describe("graphql --paginate", () => {
  const query =
    "query($endCursor: String) { list(after: $endCursor) { nodes pageInfo { hasNextPage endCursor } } }";
  const first = page([1], { hasNextPage: true, endCursor: "a" });

  async function walk(
    answers: readonly ArrangedAnswer[],
    flags: readonly string[],
  ): Promise<Run & { readonly server: RecordingServer }> {
    const server = await startRecordingServer((_, position) => answers[position] ?? { status: 500 });
    const words = ["api", "graphql", "-f", `query=${query}`, "-F", "n=2", "--paginate", ...flags];
    return { ...(await server.run(words)), server };
  }

  test("follows the cursor to the last page; prints page after page, or with --slurp one array", async () => {
    const answers = [first, page([2], { hasNextPage: false, endCursor: "b" })];
    const texts = answers.map(({ body }) => JSON.stringify(body));
    const { code, stdout, server } = await walk(answers, []);
    expect([code, stdout]).toEqual([0, texts.join("")]);
    expect(server.requests.map((_, index) => server.bodyOf(index))).toEqual([
      { query, variables: { n: 2 } },
      { query, variables: { n: 2, endCursor: "a" } },
    ]);
    expect((await walk(answers, ["--jq", ".data.list.nodes[]"])).stdout).toBe("1\n2\n");
    expect((await walk(answers, ["--slurp", "--jq", "[.[].data.list.nodes[]]"])).stdout).toBe("[1,2]\n");
    for (const flag of ["--slurp", "--json"])
      expect(JSON.parse((await walk(answers, [flag])).stdout)).toEqual(answers.map(({ body }) => body));
    expect((await walk(answers, ["--format", "ndjson"])).stdout).toBe(`${texts.join("\n")}\n`);
  });

  test.each<readonly [string, readonly ArrangedAnswer[], string]>([
    ["a cursor that repeats", [first, first], "no cursor for the next page"],
    ["more without a cursor", [first, page([2], { hasNextPage: true, endCursor: null })], "no cursor"],
    ["a page without pageInfo", [first, { status: 200, body: { data: { list: null } } }], "no cursor"],
    ["errors", [first, { status: 200, body: { data: null, errors: [{ message: "no" }] } }], ": no\n"],
    ["a page that fails", [first, { status: 500, body: {} }], "status 500"],
  ])("fails and says that the list is incomplete: %s", async (_, answers, reason) => {
    const { code, stdout, stderr } = await walk(answers, ["--slurp"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^grantctl: the list is incomplete, it broke off after (?:1 page|2 pages)\b/);
    expect(stderr).toContain(reason);
    expect(stdout).toMatch(/^\[\n/);
    expect(() => JSON.parse(stdout) as unknown).toThrow(SyntaxError);
  });

  test("fails if the query selects no pageInfo", async () => {
    const { code, stderr } = await walk([{ status: 200, body: { data: { list: [] } } }], []);
    expect(code).not.toBe(0);
    expect(stderr).toContain("hint: With --paginate, the query must accept `$endCursor: String`");
  });
});

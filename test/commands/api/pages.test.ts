// `grantctl api --paginate`: prints one array across all pages; incomplete output is never valid JSON with exit code 0.
import { describe, expect, test } from "vitest";
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../../support/recording-server.ts";

/** Serves these pages with the Link headers of the specification. */
function servePages(pages: readonly string[]): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => pageOf(pages, path));
}

function numberOf(path: string): number {
  return Number(new URL(path, "http://x").searchParams.get("page") ?? "1");
}

const link = (to: number, relation: string): string =>
  `<https://elsewhere.example/l?page=${to}>; rel="${relation}"`;

function pageOf(pages: readonly string[], path: string): ArrangedAnswer {
  const page = numberOf(path);
  const links = page < pages.length ? [link(page + 1, "next"), link(pages.length, "last")] : [];
  return {
    status: 200,
    body: pages[page - 1],
    ...(links.length === 0 ? {} : { headers: { Link: links.join(", ") } }),
  };
}

const three = ['[{"id":9007199254740993},{"id":2}]', '[{"id":3,"n":"a\\ud800"}]', '[{"id":4}]'];

describe("complete lists", () => {
  test("prints one array with exact items and requests each page once", async () => {
    const server = await servePages(three);
    const run = await server.run(["api", "/l?q=1", "--paginate"]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toBe(
      '[\n{"id":9007199254740993},\n{"id":2},\n{"id":3,"n":"a\\ud800"},\n{"id":4}\n]\n',
    );
    expect(server.lines()[0]).toBe("GET /l?q=1&per_page=100");
    expect(server.lines().slice(1).toSorted()).toEqual([
      "GET /l?q=1&per_page=100&page=2",
      "GET /l?q=1&per_page=100&page=3",
    ]);
  });

  test("requests later pages concurrently and prints them in order", async () => {
    const waiting: (() => void)[] = [];
    const server = await startRecordingServer(async ({ path }) => {
      if (numberOf(path) > 1) {
        await new Promise<void>((resolve) => {
          // Responds only after all three requests have arrived, in reverse order.
          waiting.unshift(resolve);
          if (waiting.length === 3) for (const [index, go] of waiting.entries()) setTimeout(go, 20 * index);
        });
      }
      return pageOf(["[1]", "[2]", "[3]", "[4]"], path);
    });
    const run = await server.run(["api", "/l", "--paginate", "--format", "ndjson"]);
    expect([run.code, run.stdout]).toEqual([0, "1\n2\n3\n4\n"]);
  });

  test.each([
    ["--slurp", '[\n[{"id":9007199254740993},{"id":2}],\n[{"id":3,"n":"a\\ud800"}],\n[{"id":4}]\n]\n'],
    ["--format=ndjson", '{"id":9007199254740993}\n{"id":2}\n{"id":3,"n":"a\\ud800"}\n{"id":4}\n'],
    ["--jq=map(.id)", "[9007199254740993,2,3,4]\n"],
    ["--jq=length", "4\n"],
    ["--jq=.[1].n", "a\ufffd\n"],
  ])("%s", async (flag, expected) => {
    const server = await servePages(
      flag === "--jq=.[1].n" ? three.slice(1, 2).map((page) => `[0,${page.slice(1)}`) : three,
    );
    const run = await server.run(["api", "/l", "--paginate", flag]);
    expect([run.code, run.stdout, run.stderr]).toEqual([0, expected, ""]);
  });

  test("--slurp passes pages to --jq, --format ndjson passes items", async () => {
    const server = await servePages(three);
    const pages = await server.run(["api", "/l", "--paginate", "--slurp", "--jq", "map(length)"]);
    expect([pages.code, pages.stdout]).toEqual([0, "[2,1,1]\n"]);
    const items = await server.run(["api", "/l", "--paginate", "--format", "ndjson", "--jq", ".id"]);
    expect([items.code, items.stdout]).toEqual([0, "9007199254740993\n2\n3\n4\n"]);
  });

  test.each([
    ["an empty list", ["[]"], "[]\n"],
    ["empty pages", ["[]", "[1]", "[]"], "[\n1\n]\n"],
    ["one thing that is no list", ['{"id":1}'], '[\n{"id":1}\n]\n'],
    ["things that are no lists", ['{"id":1}', '{"id":2}'], '[\n{"id":1},\n{"id":2}\n]\n'],
    ["lists of lists", ["[[1],[2]]", "[[3]]"], "[\n[1],\n[2],\n[3]\n]\n"],
    ["null", ["null"], "[\nnull\n]\n"],
  ])("%s", async (_, pages, expected) => {
    const server = await servePages(pages);
    const run = await server.run(["api", "/l", "--paginate"]);
    expect([run.code, run.stdout, run.stderr]).toEqual([0, expected, ""]);
  });

  test("accepts a page with more items than a function call allows arguments", async () => {
    const server = await servePages([`[${"1,".repeat(400_000)}1]`]);
    const run = await server.run(["api", "/l", "--paginate", "--jq", "length"]);
    expect([run.code, run.stdout, run.stderr]).toEqual([0, "400001\n", ""]);
  });

  test.each(["per_page=2", "q=1&per_page=2"])("keeps %s in the path and as a field", async (query) => {
    const server = await servePages(three);
    await server.run(["api", `/l?${query}`, "--paginate"]);
    await server.run(["api", "/l", "--paginate", "-X", "GET", "-F", "per_page=2"]);
    expect(server.lines().filter((line) => line.includes("per_page=100"))).toEqual([]);
    expect(server.lines()).toHaveLength(6);
  });

  test("rejects a page parameter in the path before any request", async () => {
    const server = await servePages(three);
    const run = await server.run(["api", "/l?page=2", "--paginate"]);
    expect([run.code, server.lines()]).toEqual([2, []]);
  });
});

describe("incomplete lists", () => {
  const broken: readonly (readonly [string, (path: string) => ArrangedAnswer, number])[] = [
    ["a page that is no JSON", () => ({ status: 200, body: "<html>" }), 11],
    ["a page that is no list", () => ({ status: 200, body: { message: "later" } }), 11],
    ["a page that is refused", () => ({ status: 403, body: { message: "no" } }), 1],
    ["a page with 204", () => ({ status: 204 }), 11],
    [
      "the same page again",
      () => ({ status: 200, body: "[5]", headers: { Link: '</l?page=2>; rel="next"' } }),
      11,
    ],
    ["a link that is none", () => ({ status: 200, body: "[5]", headers: { Link: "page 3" } }), 11],
  ];

  test.each(broken)("%s leaves the array open and fails", async (_, second, code) => {
    const server = await startRecordingServer(({ path }) =>
      numberOf(path) === 2
        ? second(path)
        : { status: 200, body: "[1]", headers: { Link: '</l?page=2>; rel="next"' } },
    );
    const run = await server.run(["api", "/l", "--paginate"]);
    expect(run.code).toBe(code);
    expect(run.stdout).toMatch(/^\[\n1(,\n5)?$/);
    expect(() => JSON.parse(run.stdout) as unknown).toThrow(SyntaxError);
    expect(run.stderr).toMatch(/^grantctl: /);
    const jq = await server.run(["api", "/l", "--paginate", "--jq", ".[]"]);
    // Items before the failure may already be printed, like the lines of a list; the exit code reports the failure.
    expect(jq.code).toBe(code);
    expect(jq.stdout).toMatch(/^(1\n(5\n)?)?$/);
  });

  test("prints nothing if the first page is rejected", async () => {
    const server = await startRecordingServer(() => ({ status: 403, body: { message: "no" } }));
    const run = await server.run(["api", "/l", "--paginate"]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
  });
});

const serve = (total: string, pages: readonly string[]): Promise<RecordingServer> =>
  startRecordingServer(({ path }) => {
    const answer = pageOf(pages, path);
    return { ...answer, headers: { ...answer.headers, "X-Total-Count": total } };
  });

describe("a list with a total count", () => {
  test.each([
    ["as many came", "4", three, [], 0],
    ["more came", "3", three, [], 0],
    ["fewer came", "5", three, [], 11],
    ["fewer came, by pages", "5", three, ["--slurp"], 11],
    ["it is no number", "five", three, [], 0],
    ["it is no list", "5", ['{"items":[]}'], [], 0],
  ] as const)("%s", async (_, total, pages, flags, code) => {
    const server = await serve(total, pages);
    const run = await server.run(["api", "/l", "--paginate", ...flags]);
    expect(run.code).toBe(code);
    if (code === 0) return;
    expect(run.stderr).toContain("announced 5 items and returned 4");
    expect(run.stdout.trimEnd().endsWith("]\n]")).toBe(false);
  });
});

// Lists with hostile links, pages and ends, through the whole command: an incomplete list never exits with code 0 or
// closes its JSON array, and no page is requested twice or endlessly.
import { expect, test } from "vitest";
import { constantFrom, array, asyncProperty, assert, integer, oneof, record, string } from "fast-check";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { inFull } from "../support/soak.ts";
import { faultsOf, runOn, type Command, type HostileRun } from "./hostile-run.ts";

const list: Command = { name: "grant list", isWrite: false, words: ["grant", "list", "--json", "id"] };

function pageOf(request: string): number {
  return Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1);
}

async function listFrom(
  answer: (page: number) => string | Buffer,
): Promise<HostileRun & { readonly server: RawServer }> {
  const server = await startRawServer((socket, request) => void socket.write(answer(pageOf(request))));
  const run = await runOn(server, list, ["--timeout", "100"]);
  await server.close();
  return { ...run, server };
}

const item = (page: number): unknown => [{ id: page }];

test.each<[string, (page: number) => readonly string[]]>([
  ["to the same page", (page) => [`Link: <x?page=${page}>; rel=next`]],
  ["to the first page", () => ["Link: <x?page=1>; rel=next"]],
  ["over a page", (page) => [`Link: <x?page=${page + 2}>; rel=next`]],
  ["to no page", () => ["Link: <x>; rel=next"]],
  ["by a cursor", () => ["Link: <x?after=abc>; rel=next"]],
  ["that nobody can read", () => ["Link: \u00ff\u00fe\u0080"]],
  [
    "that contradicts another",
    (page) => [`Link: <x?page=${page}>; rel=next`, `Link: <x?page=${page + 1}>; rel=next`],
  ],
  ["that ends before the last page", () => ['Link: <x?page=50>; rel="last"']],
])("a link %s: exit code 1, and the JSON array stays open", async (_, links) => {
  const run = await listFrom((page) => jsonAnswer(200, item(page), page > 3 ? [] : links(page)));
  expect(faultsOf(run)).toEqual([]);
  expect(run.code).toBe(1);
  expect(run.stdout.trimEnd().endsWith("]")).toBe(false);
  expect(run.received.length).toBeLessThanOrEqual(10);
});

test.each<[string, string | Buffer]>([
  ["204", "HTTP/1.1 204 X\r\n\r\n"],
  ["an item that is none", jsonAnswer(200, [{ id: 3 }, null])],
  ["a redirect", jsonAnswer(302, {}, ["Location: /x"])],
  ["a cut list", 'HTTP/1.1 200 X\r\n\r\n[{"id":3}'],
])("a third page of five that is %s: exit code not 0, and the JSON array stays open", async (_, third) => {
  const server = await startRawServer((socket, request) => {
    const page = pageOf(request);
    if (page === 3) socket.end(third);
    else
      socket.write(
        jsonAnswer(
          200,
          item(page),
          page < 5 ? [`Link: <x?page=${page + 1}>; rel=next, <x?page=5>; rel=last`] : [],
        ),
      );
  });
  for (const format of [[], ["--format", "ndjson"], ["--format", "csv"]]) {
    const run = await runOn(server, list, [...format]);
    expect([3, 8, 1]).toContain(run.code);
    expect(faultsOf(run)).toEqual([]);
    expect(run.stdout.trimEnd().endsWith("]")).toBe(false);
    expect(run.stdout).not.toContain("3");
  }
  await server.close();
});

test(
  "with any links, each page is requested once, in order, and exit code 0 means that the links ended",
  { tags: "soak" },
  async () => {
    const target = oneof(
      integer({ min: -2, max: 12 }).map((page) => `x?page=${page}`),
      constantFrom(
        ..."x //evil.test/?page=2 http://u:p@evil.test:1/?page=2 javascript:x?page=3 ?page=2#?page=9".split(
          " ",
        ),
        "",
      ),
    );
    const link = record({
      target,
      rel: constantFrom("next", '"next"', '"last"', "last", '"prev next"', "NEXT", '"next', "nextish", ""),
    }).map((each) => `<${each.target}>; rel=${each.rel}`);
    const header = oneof(
      array(link, { maxLength: 3 }).map((links) => links.join(", ")),
      string({
        unit: constantFrom("<", ">", ";", ",", '"', "\\", "rel=next", "?page=2", "x", " "),
        maxLength: 20,
      }),
    );
    await assert(
      asyncProperty(array(header, { minLength: 1, maxLength: 6 }), async (headers) => {
        // Each run has its own server, because prefetched requests of a failed run may arrive after it.
        const server = await startRawServer((socket, request) => {
          const text = headers[pageOf(request) - 1] ?? "";
          socket.write(jsonAnswer(200, item(pageOf(request)), text === "" ? [] : [`Link: ${text}`]));
        });
        const run = await runOn(server, list);
        const pages = server.received.map(pageOf);
        await server.close();
        expect(run.leaks).toEqual([]);
        expect([0, 1]).toContain(run.code);
        expect(new Set(pages).size).toBe(pages.length);
        expect(Math.max(...pages)).toBeLessThanOrEqual(20);
        expect(run.stdout.trimEnd().endsWith("]")).toBe(run.code === 0);
      }),
      { numRuns: inFull(40, 150) },
    );
  },
);

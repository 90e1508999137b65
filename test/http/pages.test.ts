// Lists: which links are followed, and when pages are fetched and yielded. Incomplete lists are in test/lists and test/hostile.
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  infiniteStream,
  integer,
  nat,
  property,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOrigin } from "../../src/http/urls.ts";
import { listOperation, readLinks, type Paging } from "../../src/http/pages.ts";
import type { RawResponse, Send } from "../../src/http/request.ts";
import type { Service } from "../../src/http/service.ts";
import { expectLinear } from "../support/growth.ts";
import { inFull } from "../support/soak.ts";
import { connectTo, makeAnswer, root } from "./doubles.ts";

describe("links", () => {
  const at = "https://s.test/a";
  test.each([
    ["next first", `<${at}?page=2>; rel="next", <${at}?page=9>; rel="last"`],
    ["an unquoted rel", `<${at}?page=2>; rel=next, <${at}?page=9>; rel=last`],
    ["several relations", `<${at}?page=2>; rel="prefetch next", <${at}?page=9>; rel="last\tup"`],
    ["capitals", `<${at}?page=2>; REL="Next", <${at}?page=9>; Rel=LAST`],
    [
      "other parameters",
      `<${at}?page=2>; title="a, <b>; rel=x \\"; rel=y"; rel="next"; foo, <${at}?page=9>; foo; rel="last"; type=a`,
    ],
    [
      "commas and semicolons in addresses",
      `<${at}?x=1,2;3&page=2>; rel="next", <${at};b,c?page=9>; rel="last"`,
    ],
    ["a second rel", "<?page=2>; rel=next; rel=last, <?page=9>; rel=last; rel=next"],
    ["a second next", "<?page=2>; rel=next, <?page=3>; rel=next, <?page=9>; rel=last, <?page=8>; rel=last"],
  ])("with %s are read", (_, header) => {
    expect(readLinks(header)).toEqual({ next: 2, last: 9 });
  });

  test.each<readonly [string | undefined, number | string | null]>([
    [undefined, null],
    [" \t", null],
    ['<?page=1>; rel="first", <?page=8>; rel="prev"', null],
    ["<?page=2>", null],
    // There may be a next page, but nobody can tell which.
    ["no link", ""],
    ["<?page=2", ""],
    ...["", "?page=0", "?page=-2", "?page=2e3", "?x=1#page=2"].map(
      (query) => [`<${at}${query}>; rel=next`, ""] as const,
    ),
    [`<?page=${"9".repeat(400)}>; rel=next`, ""],
  ])("%j: the next page is %j", (header, next) => {
    expect(readLinks(header).next).toBe(next);
  });

  test.each([
    // A number, if nothing else changes.
    ["https://s.test/a?q=x&page=3", 3],
    ["/a?page=3&q=x", 3],
    ["?page=3", 3],
    ["https://other.test/a?q=x&page=3&after=y", 3],
    ["https://s.test/b?page=3&after=y", 3],
    // The whole query of the own path.
    ["https://s.test/a?q=x&after=c%3D", "?q=x&after=c%3D"],
    ["?q=x&page=3&after=y", "?q=x&page=3&after=y"],
    ["?q=other&page=3", "?q=other&page=3"],
    // Nothing to follow.
    ["https://other.test/a?after=y", ""],
    ["http://s.test/a?after=y", ""],
    ["https://s.test/a/b?after=y", ""],
    ["?q=x", ""],
  ])("in the list with q=x, %s leads to %j", (target, next) => {
    const list = new URL("https://s.test/a?q=x");
    expect(readLinks(`<${target}>; rel="next"`, list).next).toBe(next);
  });

  test("of any text give a positive number, a query of the own path, or nothing, in linear time", () => {
    const pieces = '< > " \\ , ; = rel next last ?page= & # 2 x'.split(" ");
    const own = new URL("https://s.test/a?q=x");
    assert(
      property(array(constantFrom(...pieces), { maxLength: 60 }), (parts) => {
        const { next, last } = readLinks(parts.join(""), own);
        for (const place of [next ?? 1, last ?? 1])
          expect(
            typeof place === "string"
              ? place === "" || place.startsWith("?")
              : Number.isSafeInteger(place) && place > 0,
          ).toBe(true);
      }),
      { numRuns: 500 },
    );
    for (const pattern of ["<", "<>,", '<>; rel="', '; a="', "<?page=2>; rel=prev, ", '\\"']) {
      const readMany = (size: number): void => {
        readLinks(pattern.repeat(size / pattern.length));
        readLinks(`<?page=2>; rel="${pattern.repeat(size / pattern.length)}`);
      };
      expectLinear(readMany, inFull(4_000, 16_000));
    }
  });
});

const listNumbers = listOperation("/authorizations", "the list of authorizations", (item) => {
  if (typeof item !== "number") throw new TypeError("no number");
  return item;
});

function serviceOver(send: Send): Service {
  return connectTo(send, { origin: parseOrigin(`${root}/api/v3`, false) });
}

function walk(service: Service, paging: Partial<Paging> = {}): AsyncGenerator<readonly number[]> {
  return listNumbers(service, { limit: null, concurrency: 8, ...paging });
}

/** Reads a list as fast as its pages arrive. */
function consume(pages: AsyncGenerator<readonly number[]>) {
  const items: number[] = [];
  const run = async (): Promise<unknown> => {
    try {
      for await (const page of pages) items.push(...page);
      return "complete";
    } catch (error) {
      return error;
    }
  };
  return { items, end: run() };
}

function pageIn(path: string): number {
  return Number(new URL(path, root).searchParams.get("page") ?? "1");
}

function relation(name: string, page: number, address = `${root}/api/v3/authorizations`): string {
  return `<${address}?page=${page}>; rel="${name}"`;
}

/** Page `page` of `last` pages; its only item is its own number. */
function pageAnswer(page: number, last: number | null, hasNext = last !== null && page < last): RawResponse {
  const links = [
    ...(last === null ? [] : [relation("last", last)]),
    ...(hasNext ? [relation("next", page + 1)] : []),
  ];
  return makeAnswer(200, [page], links.length === 0 ? {} : { link: links.join(", ") });
}

/** Lets all pending work proceed. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

/** A server whose responses arrive when the test releases them. */
function createGate() {
  const asked: number[] = [];
  const waiting = new Map<number, (answer: RawResponse) => void>();
  const service = serviceOver(
    (request) =>
      new Promise((resolve) => {
        const page = pageIn(request.target.path);
        asked.push(page);
        waiting.set(page, resolve);
      }),
  );
  const answer = async (page: number, response: RawResponse): Promise<void> => {
    waiting.get(page)?.(response);
    waiting.delete(page);
    await settled();
  };
  return { service, asked, waiting, answer };
}

describe("pages", () => {
  test("are fetched ahead once the first has come, and yielded in order, whatever order they come in", async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 30 }),
        integer({ min: 1, max: 9 }),
        infiniteStream(nat(1_000)),
        async (count, concurrency, choices) => {
          const { service, asked, waiting, answer } = createGate();
          const { items, end } = consume(walk(service, { concurrency }));
          await settled();
          expect([...waiting.keys()]).toEqual([1]);
          for (let answered = 0; answered < count; answered += 1) {
            expect(waiting.size).toBeLessThanOrEqual(concurrency);
            const isReading = answered > 0 && answered === items.length;
            expect(waiting.size).toBeGreaterThanOrEqual(
              isReading ? Math.min(concurrency, count - answered) : 1,
            );
            const page = [...waiting.keys()][(choices.next().value ?? 0) % waiting.size] ?? 0;
            await answer(page, pageAnswer(page, count));
          }
          expect(await end).toBe("complete");
          expect(items).toEqual(Array.from({ length: count }, (_, index) => index + 1));
          expect(asked.toSorted((one, other) => one - other)).toEqual(items);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("are read to the new end of a list that grows, and report their position", async () => {
    const positions: unknown[] = [];
    const service = serviceOver(({ target }) => {
      const page = pageIn(target.path);
      return Promise.resolve(pageAnswer(page, page < 2 ? 2 : 4, page < 4));
    });
    const { items, end } = consume(walk(service, { onPage: (...position) => void positions.push(position) }));
    expect([await end, items]).toEqual(["complete", [1, 2, 3, 4]]);
    expect(positions).toEqual([
      [1, 2],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });
});

const listItems = listOperation("/authorizations", "the list", (item) => item);

/** Reads a list whose pages are these, and resolves with its end, the number of its items, and that of its requests. */
async function readPages(answer: (page: number, asked: number) => RawResponse) {
  let [asked, seen] = [0, 0];
  const service = serviceOver(({ target }) => Promise.resolve(answer(pageIn(target.path), (asked += 1))));
  const read = async (): Promise<unknown> => {
    for await (const items of listItems(service, { limit: null, concurrency: 8 })) seen += items.length;
    return "complete";
  };
  return [await read().catch((error: unknown) => error), seen, asked];
}

const repeats = expect.objectContaining({
  kind: "protocol",
  message: expect.stringContaining("items of earlier pages again") as string,
});

/** Items with a field that is another one in each response. */
const itemsFrom = (first: number, size: number, asked: number) =>
  Array.from({ length: Math.max(0, size) }, (_, at) => ({ id: first + at, asked }));

test.each<[string, number, number, number, unknown, number]>([
  ["a short one", 100, 250, 3, "complete", 250],
  ["an empty one", 100, 200, 3, "complete", 200],
  ["nothing, as it is not full", 100, 99, 1, "complete", 99],
  ["one that is longer than was asked for", 200, 450, 3, "complete", 450],
  ["itself, as the server does not page", 250, Infinity, 2, "complete", 250],
  ["itself, as a cache may do", 100, Infinity, 2, repeats, 100],
])("a page without links is followed by %s", async (...row) => {
  const [, size, count, pages, ending, seen] = row;
  const run = await readPages((page, asked) => {
    const first = count === Infinity ? 0 : (page - 1) * size;
    // A gateway may have emptied the header.
    const headers = asked % 2 === 0 ? { link: " " } : {};
    return makeAnswer(200, itemsFrom(first, Math.min(size, count - first), asked), headers);
  });
  expect(run).toEqual([ending, seen, pages]);
});

const inTurn = (page: number, asked: number) => itemsFrom((page % 2) * 100, 100, asked);

test("a list without links to which an item is added in front ends with an item that was its last", async () => {
  const run = await readPages((page, asked) =>
    makeAnswer(200, page === 1 ? itemsFrom(1, 100, asked) : itemsFrom(100, 1, asked)),
  );
  expect(run).toEqual(["complete", 100, 2]);
});

test("a list whose pages come again, in turn, breaks off, announced or not", async () => {
  expect(await readPages((page, asked) => makeAnswer(200, inTurn(page, asked)))).toEqual([repeats, 200, 3]);
  const [end, seen] = await readPages((page, asked) =>
    makeAnswer(200, inTurn(page, asked), { link: `<x?page=${page + 1}>; rel=next, <x?page=9>; rel=last` }),
  );
  expect([end, seen]).toEqual([repeats, 200]);
});

test("stopping to read a list stops its requests", async () => {
  const asked: number[] = [];
  const service = serviceOver(({ target }) => {
    asked.push(pageIn(target.path));
    return Promise.resolve(pageAnswer(pageIn(target.path), 1000));
  });
  for await (const page of walk(service, { concurrency: 3 })) if (page.includes(5)) break;
  await settled();
  expect(asked.length).toBeLessThanOrEqual(8);
});

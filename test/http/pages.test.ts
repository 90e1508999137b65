// Pagination: when pages are fetched and delivered, and how a misbehaving server is handled.
import { assert, asyncProperty, infiniteStream, integer, nat } from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { parseOrigin } from "../../src/http/origin.ts";
import { fetchPages, listValues, type ListOperation, type Paging } from "../../src/http/pages.ts";
import type { RawResponse, Send } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/http/service.ts";
import { defaultServerType } from "../../src/server-types.ts";
import { inFull } from "../support/soak.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeAnswer, root } from "./doubles.ts";

const everything: Paging = { limit: null, concurrency: 8 };
const call = { method: "GET", template: "/authorizations", subject: "the list of authorizations" } as const;

function serviceOver(send: Send): Service {
  return createService(parseOrigin(`${root}/api/v3`, false), send, {}, defaultServerType);
}

function walk(service: Service, paging: Partial<Paging> = {}): AsyncGenerator<readonly number[]> {
  const list = listValues((...[to, asked]: Parameters<ListOperation<number>>) =>
    fetchPages(to, call, asked, (item) => {
      if (typeof item !== "number") throw new TypeError("no number");
      return item;
    }),
  );
  return list(service, { ...everything, ...paging });
}

async function collect(service: Service, paging: Partial<Paging> = {}): Promise<number[]> {
  const items: number[] = [];
  for await (const page of walk(service, paging)) items.push(...page);
  return items;
}

function pageIn(path: string): number {
  return Number(new URL(path, root).searchParams.get("page") ?? "1");
}

function relation(name: string, page: number | string, address = `${root}/api/v3/authorizations`): string {
  return `<${address}?page=${page}>; rel="${name}"`;
}

/** Page `page` of `last` pages; its only item is its own number. */
function pageAnswer(page: number, last: number | null, hasNext: boolean): RawResponse {
  const links = [
    ...(last === null ? [] : [relation("last", last)]),
    ...(hasNext ? [relation("next", page + 1)] : []),
  ];
  return makeAnswer(200, [page], links.length === 0 ? {} : { link: links.join(", ") });
}

interface Gate {
  readonly service: Service;
  /** Pages in the order of their requests. */
  readonly asked: readonly number[];
  /** Pages requested but not yet answered. */
  waiting(): readonly number[];
  answer(page: number, answer: RawResponse | Error): Promise<void>;
}

/** A server whose responses arrive when the test releases them. */
function createGate(): Gate {
  const asked: number[] = [];
  const waiting = new Map<number, (answer: RawResponse | Error) => void>();
  const service = serviceOver(
    (request) =>
      new Promise((resolve, reject) => {
        const page = pageIn(request.target.path);
        if (waiting.has(page)) throw new Error(`page ${page} was asked for twice`);
        asked.push(page);
        waiting.set(page, (answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      }),
  );
  return {
    service,
    asked,
    waiting: () => [...waiting.keys()],
    async answer(page, answer) {
      const settle = waiting.get(page);
      if (settle === undefined) throw new Error(`page ${page} was not asked for`);
      waiting.delete(page);
      settle(answer);
      await settled();
    },
  };
}

/**
 * Lets all pending work proceed: a page takes one turn of the event loop to be requested and two to be read; no test
 * holds more than nine.
 */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 48; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Consumes a list as fast as its pages arrive. */
function consume(pages: AsyncGenerator<readonly number[]>): {
  readonly items: number[];
  readonly end: Promise<unknown>;
} {
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

describe("concurrent pages", () => {
  test("the first page is requested alone; then each response makes room for one more request", async () => {
    const gate = createGate();
    const { items, end } = consume(walk(gate.service, { concurrency: 3 }));
    await settled();
    expect(gate.asked).toEqual([1]);
    await gate.answer(1, pageAnswer(1, 7, true));
    expect(gate.waiting()).toEqual([2, 3, 4]);
    expect(items).toEqual([1]);
    await gate.answer(2, pageAnswer(2, 7, true));
    expect(gate.waiting()).toEqual([3, 4, 5]);
    for (const page of [3, 4, 5, 6]) await gate.answer(page, pageAnswer(page, 7, true));
    await gate.answer(7, pageAnswer(7, 7, false));
    expect(await end).toBe("complete");
    expect(gate.asked).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("all pages arrive complete and in order, within the limit, in any order of arrival", async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 30 }),
        integer({ min: 1, max: 9 }),
        infiniteStream(nat(1_000)),
        async (count, concurrency, choices) => {
          const gate = createGate();
          const { items, end } = consume(walk(gate.service, { concurrency }));
          await settled();
          for (let answered = 0; answered < count; answered += 1) {
            const waiting = gate.waiting();
            expect(waiting.length).toBeLessThanOrEqual(concurrency);
            expect(gate.asked.length - items.length).toBeLessThanOrEqual(2 * concurrency);
            const page = waiting[(choices.next().value ?? 0) % waiting.length] ?? 0;
            await gate.answer(page, pageAnswer(page, count, page < count));
          }
          expect(await end).toBe("complete");
          expect(items).toEqual(Array.from({ length: count }, (_, index) => index + 1));
          expect(gate.asked).toHaveLength(count);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** A list of `total` items with `perPage` per page, whatever page size is requested. */
function listOf(total: number, perPage: number, asked: number[], hasLast = true): Service {
  const last = Math.max(1, Math.ceil(total / perPage));
  return serviceOver((request) => {
    const page = pageIn(request.target.path);
    asked.push(page);
    const length = Math.max(0, Math.min(perPage, total - (page - 1) * perPage));
    const items = Array.from({ length }, (_, index) => (page - 1) * perPage + index);
    const links = [
      ...(page < last ? [relation("next", page + 1)] : []),
      ...(hasLast && page < last ? [relation("last", last)] : []),
    ];
    return Promise.resolve(makeAnswer(200, items, links.length === 0 ? {} : { link: links.join(", ") }));
  });
}

describe("a limit", () => {
  test.each([
    { limit: 1, total: 500, pages: 1 },
    { limit: 99, total: 500, pages: 1 },
    { limit: 100, total: 500, pages: 1 },
    { limit: 101, total: 500, pages: 2 },
    { limit: 200, total: 500, pages: 2 },
    { limit: 250, total: 500, pages: 3 },
    { limit: 499, total: 500, pages: 5 },
    { limit: 500, total: 500, pages: 5 },
    { limit: 9000, total: 500, pages: 5 },
    { limit: 5, total: 0, pages: 1 },
  ])("of $limit, of $total items, fetches $pages pages", async ({ limit, total, pages }) => {
    for (const hasLast of [true, false]) {
      for (const concurrency of [1, 2, 8]) {
        const asked: number[] = [];
        const items = await collect(listOf(total, 100, asked, hasLast), { limit, concurrency });
        expect(items).toEqual(Array.from({ length: Math.min(limit, total) }, (_, index) => index));
        await settled();
        expect(asked).toHaveLength(pages);
      }
    }
  });
});

describe("a list that changes while it is read", () => {
  test("is read to its new end when it grows", async () => {
    const asked: number[] = [];
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      asked.push(page);
      return Promise.resolve(pageAnswer(page, page < 3 ? 3 : 6, page < 6));
    });
    expect(await collect(service)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("is incomplete when it ends before the last page that was announced", async () => {
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      return Promise.resolve(page < 3 ? pageAnswer(page, 6, true) : makeAnswer(200, []));
    });
    await expect(collect(service)).rejects.toMatchObject({ kind: "protocol" });
    expect(await collect(service, { limit: 2 })).toEqual([1, 2]);
  });

  test("ends at its new end if that page says so, even if later pages fail", async () => {
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      if (page > 3) return Promise.reject(new Failure("not-found", "there is no such page"));
      return Promise.resolve(pageAnswer(page, page < 3 ? 6 : 3, page < 3));
    });
    expect(await collect(service)).toEqual([1, 2, 3]);
  });

  test.each([
    ["names a last page and no next one", '<https://s.test/x?page=6>; rel="last"'],
    ["cannot be read", "next please"],
  ])("is rejected as incomplete if a link %s", async (_, link) => {
    const service = serviceOver(() => Promise.resolve({ ...pageAnswer(1, 1, false), headers: { link } }));
    await expect(collect(service)).rejects.toMatchObject({ kind: "protocol" });
  });

  test("continues after an empty page", async () => {
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      return Promise.resolve({
        ...pageAnswer(page, 3, page < 3),
        body: Buffer.from(page === 2 ? "[]" : `[${page}]`),
      });
    });
    expect(await collect(service)).toEqual([1, 3]);
    expect(await collect(service, { limit: 2 })).toEqual([1, 3]);
  });
});

describe("a link that does not lead to the next page", () => {
  test.each([
    ["stays on the page", relation("next", 2)],
    ["skips a page", relation("next", 4)],
    ["is huge", relation("next", 999_999_999_999_999)],
    ["skips a page, with a last one", `${relation("next", 4)}, ${relation("last", 5)}`],
  ])("%s: the previous pages are delivered, then it fails", async (_, link) => {
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      return Promise.resolve(page === 1 ? pageAnswer(1, 5, true) : makeAnswer(200, [page], { link }));
    });
    const { items, end } = consume(walk(service));
    const failure = await end;
    expect(items).toEqual([1, 2]);
    expect(failure).toMatchObject({
      kind: "protocol",
      message: expect.stringContaining(
        "the list is incomplete, it broke off after 2 pages, 2 items: ",
      ) as string,
    });
  });

  test("stops at a maximum number of pages if the list is endless", { tags: "soak" }, async () => {
    const mostPages = inFull(1_000, 100_000);
    let count = 0;
    const service = serviceOver((request) => {
      count += 1;
      const page = pageIn(request.target.path);
      return Promise.resolve(pageAnswer(page, null, true));
    });
    let pages = 0;
    const failure = await failureOf(async () => {
      for await (const page of walk(service, inFull({ mostPages }, {}))) pages += page.length;
    });
    expect(failure.kind).toBe("protocol");
    expect(pages).toBe(mostPages);
    expect(count).toBeLessThanOrEqual(mostPages + 10);
  });
});

describe("the URL in a link", () => {
  test.each(["https://evil.test/steal", `${root}/somewhere/else`, "", "javascript:alert(1)"])(
    "is ignored except for its page number: %s",
    async (address) => {
      const paths: string[] = [];
      const service = serviceOver((request) => {
        paths.push(request.target.path);
        const page = pageIn(request.target.path);
        const link = `${relation("next", page + 1, address)}, ${relation("last", 3, address)}`;
        return Promise.resolve(makeAnswer(200, [page], page < 3 ? { link } : {}));
      });
      expect(await collect(service)).toEqual([1, 2, 3]);
      expect(paths.every((path) => path.startsWith("/api/v3/authorizations?"))).toBe(true);
    },
  );
});

describe("a page that fails", () => {
  test.each([
    [1, ""],
    [2, "the list is incomplete, it broke off after 1 page, 1 item: "],
    [4, "the list is incomplete, it broke off after 3 pages, 3 items: "],
  ])("as number %i is reported after the pages before it", async (bad, place) => {
    const problem = new Failure("network", "the connection broke", { status: 504, hint: "a hint" });
    const service = serviceOver((request) => {
      const page = pageIn(request.target.path);
      return page === bad ? Promise.reject(problem) : Promise.resolve(pageAnswer(page, 6, page < 6));
    });
    const { items, end } = consume(walk(service));
    const { kind, details, message } = (await end) as Failure;
    expect(items).toEqual([1, 2, 3, 4, 5].slice(0, bad - 1));
    expect([kind, details.status, details.hint]).toEqual(["network", 504, "a hint"]);
    expect(message).toBe(`${place}the connection broke`);
  });
});

test("stopping the consumer stops the requests", async () => {
  const asked: number[] = [];
  for await (const page of walk(listOf(100_000, 10, asked), { concurrency: 3 })) {
    if (page.includes(15)) break;
  }
  await settled();
  expect(asked.length).toBeLessThanOrEqual(5);
});

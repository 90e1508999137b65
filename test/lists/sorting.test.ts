// The order of a list: fields, comparison, and the items that come last.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LosslessNumber } from "lossless-json";
import { createArrangement } from "../../src/lists/sorting.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { authorizationJson } from "../support/resources.ts";
import { unicode } from "../support/unicode.ts";

const fields = ["id", "app", "app.name", "note", "created_at", "updated_at", "scopes"];

async function sorted<T extends object>(
  items: readonly T[],
  sort?: string,
  reverse?: true,
): Promise<readonly T[]> {
  const options = { ...(sort === undefined ? {} : { sort }), ...(reverse === true ? { reverse } : {}) };
  const chunks: (readonly T[])[] = [];
  const pages = pagesOf(items.map((value) => ({ value })));
  for await (const chunk of createArrangement(options, fields).arrange(pages, Infinity))
    chunks.push(chunk.map(({ value }) => value));
  return chunks.flat();
}

async function* pagesOf<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items.slice(0, 1);
  yield [];
  yield items.slice(1);
}

async function notes(list: readonly (string | null)[], reverse?: true): Promise<readonly (string | null)[]> {
  return (
    await sorted(
      list.map((note) => ({ note })),
      "note",
      reverse,
    )
  ).map(({ note }) => note);
}

test("sorts texts in natural order, the same in every locale, with empty ones last", async () => {
  const list = ["host10", null, "Zeta", "host2", "", "alpha", "\u00c4hre", "beta", "z\u00fcrich"];
  const inOrder = ["\u00c4hre", "alpha", "beta", "host2", "host10", "Zeta", "z\u00fcrich"];
  expect(await notes(list)).toEqual([...inOrder, null, ""]);
  expect(await notes(list, true)).toEqual([...inOrder.toReversed(), null, ""]);
});

test("sorts IDs by all their digits", async () => {
  const digits = ["12345678901234567890", "9", "9007199254740993", "10", "9007199254740992", "-3"];
  const items = digits.map((text) => ({
    id: Number.isSafeInteger(Number(text)) ? Number(text) : new LosslessNumber(text),
  }));
  const inOrder = ["-3", "9", "10", "9007199254740992", "9007199254740993", "12345678901234567890"];
  expect((await sorted(items, "id")).map(({ id }) => id.toString())).toEqual(inOrder);
  expect((await sorted(items, "id", true)).map(({ id }) => id.toString())).toEqual(inOrder.toReversed());
});

test.each(["created", "created_at"])("sorts %s by time, with unreadable values last", async (field) => {
  const times = [
    "2026-01-02T00:00:00+05:00",
    "never",
    "2026-01-01T23:00:00Z",
    "2025-01-01T00:00:00.5Z",
    null,
    "2025-01-01T00:00:00Z",
  ];
  const items = times.map((created_at) => ({ created_at }));
  const inOrder = [5, 3, 0, 2].map((index) => times[index]);
  expect((await sorted(items, field)).map((item) => item.created_at)).toEqual([...inOrder, "never", null]);
  expect((await sorted(items, field, true)).map((item) => item.created_at)).toEqual([
    ...inOrder.toReversed(),
    "never",
    null,
  ]);
});

test.each(["app", "app.name"])("sorts %s by the name of the application", async (field) => {
  const items = [{ app: { name: "b" } }, { app: null }, { app: { name: "A" } }];
  expect(await sorted(items, field)).toEqual([{ app: { name: "A" } }, { app: { name: "b" } }, { app: null }]);
});

test("reverses the order of the server with only --reverse", async () => {
  const items = [{ id: 2 }, { id: 1 }, { id: 3 }];
  expect(await sorted(items, undefined, true)).toEqual(items.toReversed());
});

test("keeps all items, and is stable in both directions and idempotent", async () => {
  const note = fc.oneof(fc.constantFrom("a", "A", "b", "", "1", "01"), unicode());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(note)), fc.boolean(), async (values, isReverse) => {
      const items = values.map((text, position) => ({ note: text, position }));
      const once = await sorted(items, "note", isReverse ? true : undefined);
      expect(once.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([...items.keys()]);
      expect(await sorted(once, "note", isReverse ? true : undefined)).toEqual(once);
      const wrong = once.filter((item, index) => {
        const next = once[index + 1];
        return next?.note === item.note && next.position < item.position;
      });
      expect(wrong).toEqual([]);
    }),
  );
});

test("returns the first items in chunks for a table", async () => {
  const chunks: (readonly { id: number }[])[] = [];
  for await (const chunk of createArrangement({ sort: "id" }, fields).arrange(threePages(), 250))
    chunks.push(chunk.map(({ value }) => value));
  expect(chunks.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(chunks.flat().slice(0, 3)).toEqual([{ id: 1 }, { id: 3 }, { id: 701 }]);
});

test("sorts a list across its pages before --limit, and prints every digit", async () => {
  const ids = [
    ["9007199254740993", "5"],
    ["9007199254740992", "7"],
  ];
  const server = await startRecordingServer(({ path }) => {
    const page = path.includes("page=2") ? 1 : 0;
    const body = (ids[page] ?? []).map((id) =>
      JSON.stringify(authorizationJson()).replace('"id":42', `"id":${id}`),
    );
    return {
      status: 200,
      body: `[${body.join(",")}]`,
      ...(page === 0 ? { headers: { Link: '<https://x.test/?page=2>; rel="next"' } } : {}),
    };
  });
  const words = ["authorization", "list", "--sort", "id", "--json", "id", "--format", "tsv"];
  const all = await server.run(words);
  expect(all).toEqual({ code: 0, stdout: "5\n7\n9007199254740992\n9007199254740993\n", stderr: "" });
  const largest = await server.run([...words, "--reverse", "--limit", "1"]);
  expect(largest.stdout).toBe("9007199254740993\n");
});

async function* threePages(): AsyncGenerator<readonly { value: { id: number } }[]> {
  yield [{ value: { id: 3 } }, { value: { id: 1 } }];
  yield [];
  yield Array.from({ length: 300 }, (_, index) => ({ value: { id: 1000 - index } }));
}

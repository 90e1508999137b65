// Shards: together they are the complete list, no item is in two, and they are the same on every machine, in any order
// and in any version.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { itemsOfShard } from "../../src/jobs/shard.ts";
import { isFailure } from "../../src/errors/errors.ts";
import { parseShard } from "../../src/jobs/job-options.ts";

test("the shards of known items never change between versions", () => {
  const ids = Array.from({ length: 12 }, (_, index) => String(index + 1));
  const shards = [1, 2, 3].map((index) => itemsOfShard(ids, { shard: { index, count: 3 } }));
  expect(shards).toEqual(expectedShards);
});

/** Computed with other tools: the first twelve digits of `printf %s ID | sha256sum`, modulo three. */
const expectedShards = [
  ["3", "4", "5", "6", "9", "12"],
  ["1", "7", "8"],
  ["2", "10", "11"],
];

describe("properties", () => {
  const items = fc.uniqueArray(
    fc.oneof(fc.stringMatching(/^[1-9]\d{0,25}$/), fc.stringMatching(/^[\x21-\x7e]{1,40}$/)),
  );

  test("every item is in exactly one shard, in its order", () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 40 }), (list, count) => {
        const shards = Array.from({ length: count }, (_, index) =>
          itemsOfShard(list, { shard: { index: index + 1, count } }),
        );
        expect(shards.flat().toSorted()).toEqual(list.toSorted());
        for (const shard of shards) expect(shard).toEqual(list.filter((item) => shard.includes(item)));
      }),
    );
  });

  test("an item's shard depends only on the item", () => {
    fc.assert(
      fc.property(items, items, fc.integer({ min: 1, max: 9 }), (list, others, count) => {
        const shard = { index: 1, count };
        const alone = new Set(list.filter((item) => itemsOfShard([item], { shard }).length === 1));
        const among = new Set(itemsOfShard([...others, ...list.toReversed()], { shard }));
        for (const item of list) expect(among.has(item)).toBe(alone.has(item));
      }),
    );
  });
});

test("shards are about equally large, also for consecutive IDs", () => {
  const ids = Array.from({ length: 4000 }, (_, index) => String(1000 + index));
  for (let index = 1; index <= 4; index += 1) {
    const { length } = itemsOfShard(ids, { shard: { index, count: 4 } });
    expect(length).toBeGreaterThan(900);
    expect(length).toBeLessThan(1100);
  }
});

test("1/1 and no shard select everything", () => {
  expect(itemsOfShard(["1", "2"], { shard: parseShard("1/1") })).toEqual(["1", "2"]);
  expect(itemsOfShard(["1", "2"], {})).toEqual(["1", "2"]);
});

test.each<readonly [string, string]>([
  ["0/4", "Use --shard 1/4 for the first part."],
  ["5/4", "Use --shard 4/4 for the last part."],
  ["0/0", "--shard 1/4"],
  ["1/0", "--shard 1/4"],
  ...["", "1", "/4", "1/", "1/4/2", "-1/4", "1.5/4", "a/b", "1 / 4", "1/9999999999"].map(
    (text) => [text, "--shard 1/4"] as const,
  ),
])("%j is rejected, with the hint %j", (text, hint) => {
  let failure: unknown = null;
  try {
    parseShard(text);
  } catch (error) {
    failure = error;
  }
  expect(isFailure(failure, "usage") ? failure.details.hint : failure).toContain(hint);
});

test.each([
  ["0/4", "parts are numbered from 1"],
  ["4/3", "there are only 3 parts"],
  ["2/1", "there is only 1 part"],
  ["1/0", "the number of parts must be at least 1"],
  ["1/9999999999", "takes at most 999999999 parts"],
  ["1", "must have the form i/n"],
])("%j is rejected: it %s", (text, reason) => {
  expect(() => parseShard(text)).toThrow(reason);
});

// Groups of items that arrive together: no item is lost or delayed, the order is kept, and a failure comes after the
// items before it.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { groupArrivals } from "../../src/jobs/run-items.ts";

/** Yields the pieces; a null is the end of a turn. */
async function* pieces(...all: readonly (string | null)[]): AsyncGenerator<string, void, undefined> {
  for (const piece of all) {
    if (piece === null) await turn();
    else yield piece;
  }
}

async function* failing(): AsyncGenerator<string, void, undefined> {
  yield* pieces("a", "b");
  throw new Error("a bug");
}

async function groupsOf(source: AsyncIterable<string>, most: number): Promise<readonly string[]> {
  const groups: string[] = [];
  for await (const group of groupArrivals(source, most)) groups.push(group.join(""));
  return groups;
}

test("items of one turn form one group, as do items that arrive while it is handled", async () => {
  const groups: string[] = [];
  for await (const group of groupArrivals(pieces("a", "b", null, null, "c", "d"), Infinity)) {
    groups.push(group.join(""));
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }
  expect(groups).toEqual(["ab", "cd"]);
});

test.each([
  [1, ["a", "b", "c", "d", "e"]],
  [2, ["ab", "cd", "e"]],
])("a group has at most %i items", async (most, expected) => {
  expect(await groupsOf(pieces("a", "b", "c", "d", "e"), most)).toEqual(expected);
});

test("an empty source has no groups", async () => {
  expect(await groupsOf(pieces(), 8)).toEqual([]);
});

test("a failure comes after the group before it", async () => {
  const groups: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const group of groupArrivals(failing(), 8)) groups.push(group.join(""));
  };
  await expect(reading()).rejects.toThrow("a bug");
  expect(groups).toEqual(["ab"]);
});

test("leaving the loop early closes the source", async () => {
  let hasEnded = false;
  const source = async function* (): AsyncGenerator<string, void, undefined> {
    try {
      yield* pieces("a", null, null, "b");
    } finally {
      hasEnded = true;
    }
  };
  for await (const group of groupArrivals(source(), 8)) {
    expect(group).toEqual(["a"]);
    break;
  }
  expect(hasEnded).toBe(true);
});

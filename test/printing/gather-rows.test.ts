// Buffered rows: all of them arrive, in order, in few writes; a failed write is reported to the next caller.
import { expect, test } from "vitest";
import { gatherRows, type ListWriter } from "../../src/printing/list-writers.ts";

interface Recorded extends ListWriter<number> {
  readonly writes: number[][];
}

function recorder(add: () => Promise<void> = () => Promise.resolve()): Recorded {
  const writes: number[][] = [];
  return {
    writes,
    add(rows) {
      writes.push([...rows]);
      return add();
    },
    end: () => Promise.resolve(),
  };
}

test("all rows arrive in order, in far fewer writes", async () => {
  const list = recorder();
  const gathering = gatherRows(list);
  const rows = Array.from({ length: 1000 }, (_, index) => index);
  for (const row of rows) await gathering.add([row]);
  await gathering.end();
  expect(list.writes.flat()).toEqual(rows);
  expect(list.writes.length).toBeLessThan(20);
});

test("a row is delayed only briefly", async () => {
  const list = recorder();
  const gathering = gatherRows(list);
  await gathering.add([1]);
  await expect.poll(() => list.writes).toEqual([[1]]);
  await gathering.end();
});

test("a failure is thrown at the end at the latest", async () => {
  const gathering = gatherRows(recorder(() => Promise.reject(new Error("the disk is full"))));
  await gathering.add([1]);
  await expect(gathering.end()).rejects.toThrow("the disk is full");
});

test("waits for an output that is slower than the rows", async () => {
  const taken: (() => void)[] = [];
  const slow = new Promise<void>((resolve) => {
    taken.push(resolve);
  });
  const gathering = gatherRows(recorder(() => slow));
  let isThrough = false;
  const flood = (async () => {
    for (let row = 0; row < 300; row += 1) await gathering.add([row]);
    isThrough = true;
  })();
  await new Promise((resolve) => void setTimeout(resolve, 60));
  expect(isThrough).toBe(false);
  for (const take of taken) take();
  await flood;
  await gathering.end();
});

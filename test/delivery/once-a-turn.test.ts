// Work that is done once a turn: nothing is left lying, nothing overlaps, and a failure is heard.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { onceATurn } from "../../src/delivery/reset/once-a-turn.ts";

test("what comes in one turn is one piece of work, and what comes while it is done is the next", async () => {
  const log: string[] = [];
  let waiting: string[] = [];
  const flushSoon = onceATurn(async () => {
    const pieces = waiting;
    waiting = [];
    log.push(`begins ${pieces.join("")}`);
    if (pieces.includes("a")) void add("c");
    await turn();
    log.push(`ends ${pieces.join("")}`);
  });
  const add = (piece: string): Promise<void> => {
    waiting.push(piece);
    return flushSoon();
  };
  void add("a");
  const first = add("b");
  expect(log).toEqual([]);
  await first;
  expect(log).toEqual(["begins ab", "ends ab"]);
  await add("d");
  expect(log).toEqual(["begins ab", "ends ab", "begins cd", "ends cd"]);
});

test("a failure is thrown by every call after it, and ends the work", async () => {
  let calls = 0;
  const flushSoon = onceATurn(() => {
    calls += 1;
    return Promise.reject(new Error("full"));
  });
  void flushSoon();
  await turn();
  await turn();
  await expect(flushSoon()).rejects.toThrow("full");
  await expect(flushSoon()).rejects.toThrow("full");
  expect(calls).toBe(1);
});

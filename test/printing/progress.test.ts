// The text of the progress line, in windows of any width, and the note about a wait where there is no line.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createProgress, durationText, progressText } from "../../src/printing/progress.ts";

describe("the text", () => {
  const state = { unit: "item", done: 1234, total: 10_000, rate: 210, waitMs: 0 } as const;

  test.each([
    [100, "[###---------------------------] 1,234 of 10,000  210/s  42 s left"],
    [60, "[##----------------------] 1,234 of 10,000  210/s  42 s left"],
    [46, "[#---------] 1,234 of 10,000  210/s  42 s left"],
    [45, "1,234 of 10,000  210/s  42 s left"],
    [33, "1,234 of 10,000  210/s  42 s left"],
    [32, "1,234 of 10,000  42 s left"],
    [24, "1,234 of 10,000"],
    [5, "1,234"],
  ])("in %i columns", (columns, text) => {
    expect(progressText(state, columns)).toBe(text);
  });

  test.each([
    [{ unit: "page", done: 12, total: 1000, rate: 4.25 }, "page 12 of 1,000  4.3/s  3 min 53 s left"],
    [{ unit: "page", done: 12, total: null, rate: 4 }, "page 12  4.0/s"],
    [{ done: 10, total: 10, rate: 5 }, "10 of 10  5.0/s"],
    [{ done: 0, total: 10, rate: 0 }, "0 of 10"],
    [{ done: 0, total: 0, rate: null }, "0 of 0"],
  ])("of %j", (changes, text) => {
    expect(progressText({ ...state, ...changes }, 80).replace(/^\[[#-]+\] /, "")).toBe(text);
  });

  test.each([
    [1, "1 s"],
    [59_000, "59 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [3_600_000, "1 h"],
    [90_061_000, "25 h 1 min"],
  ])("%i ms are shown as %s", (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });

  test("never exceeds the available width", () => {
    const count = fc.nat({ max: 100_000_000 });
    fc.assert(
      fc.property(
        fc.record({
          unit: fc.constantFrom("item", "page"),
          done: count,
          total: fc.option(count),
          rate: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
          waitMs: fc.nat({ max: 60_000 }),
        }),
        fc.integer({ min: 1, max: 120 }),
        (any, columns) => {
          expect(progressText(any, columns).length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

test("a long wait without a progress line is noted once, however many requests share it", () => {
  const notes: string[] = [];
  const progress = createProgress({
    line: {
      columns: 80,
      isShown: false,
      show: () => undefined,
      above: (stream) => stream,
      alone: (work) => work(),
    },
    note: (text) => void notes.push(text),
    now: () => 0,
    sleep: () => new Promise(() => undefined),
    every: () => () => undefined,
  });
  for (const milliseconds of [3000, 30_000, 30_000, 20_000]) void progress.wait(milliseconds, true);
  expect(notes).toEqual(["waiting 30 s, as the server requested"]);
});

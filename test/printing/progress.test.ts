// Progress under a fake clock: the text of the line, its timing, and its removal.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createProgress, type Progress, durationText, progressText } from "../../src/printing/progress.ts";

interface Bench {
  readonly progress: Progress;
  /** The sequence of lines shown, in order. */
  readonly shown: readonly string[];
  /** The lines that remain. */
  readonly notes: readonly string[];
  /** Advances the clock in steps of a fifth of a second. */
  readonly pass: (milliseconds: number, meanwhile?: () => void) => void;
  readonly isTicking: () => boolean;
}

function setUp(columns = 80, isShown = true): Bench {
  const shown: string[] = [];
  const notes: string[] = [];
  let time = 1_000_000;
  let tick: (() => void) | null = null;
  let period = 0;
  const progress = createProgress({
    line: {
      columns,
      isShown,
      show: (text) => {
        shown.push(text);
      },
      above: (stream) => stream,
      alone: (work) => work(),
    },
    note: (text) => {
      notes.push(text);
    },
    now: () => time,
    sleep: () => new Promise(() => undefined),
    every(milliseconds, draw) {
      [tick, period] = [draw, milliseconds];
      return () => {
        tick = null;
      };
    },
  });
  return {
    progress,
    shown,
    notes,
    pass(milliseconds, meanwhile) {
      for (let passed = 0; passed < milliseconds; passed += period) {
        meanwhile?.();
        time += period;
        tick?.();
      }
    },
    isTicking: () => tick !== null,
  };
}

test("a long wait without a status line is noted once, however many requests share it", () => {
  const { progress, notes } = setUp(80, false);
  progress.start("item", 10);
  void progress.wait(3000);
  void progress.wait(30_000, true);
  void progress.wait(30_000, true);
  void progress.wait(20_000, true);
  expect(notes).toEqual(["waiting 30 s, as the server requested"]);
  const other = setUp();
  void other.progress.wait(125_000);
  other.progress.start("item", 10);
  void other.progress.wait(300_000);
  expect(other.notes, "the line shows the second").toEqual(["waiting 2 min 5 s before trying again"]);
});

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

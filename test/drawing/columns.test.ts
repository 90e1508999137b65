// Fitting columns to a window: the order in which they are dropped or cut, and the columns that are neither.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitColumns, gap, type ColumnRequest } from "../../src/drawing/table.ts";

const wish = (width: number, changes: Partial<ColumnRequest> = {}): ColumnRequest => ({
  width,
  isWhole: false,
  priority: 1,
  isEmpty: false,
  ...changes,
});
const whole = (width: number, changes: Partial<ColumnRequest> = {}): ColumnRequest =>
  wish(width, { isWhole: true, ...changes });
const mustStay = ({ isWhole, priority }: ColumnRequest): boolean => isWhole && priority === 1;
const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
const chosen = (wishes: readonly ColumnRequest[], window: number): readonly number[] =>
  fitColumns(wishes, window).map(({ index }) => index);
const widths = (wishes: readonly ColumnRequest[], window: number): readonly number[] =>
  fitColumns(wishes, window).map(({ width }) => width);

test("all columns are drawn if there is room", () => {
  expect(chosen([whole(8), wish(20, { priority: 9 })], 30)).toEqual([0, 1]);
});

test("the column with the highest priority number is dropped first, and the last among equals", () => {
  const wishes = [
    whole(8),
    wish(30, { priority: 2 }),
    whole(12, { priority: 4 }),
    wish(30, { priority: 3 }),
    wish(30, { priority: 3 }),
  ];
  expect(chosen(wishes, 64)).toEqual([0, 1, 2, 3, 4]);
  expect(chosen(wishes, 63)).toEqual([0, 1, 3, 4]);
  expect(chosen(wishes, 49)).toEqual([0, 1, 3]);
  expect(chosen(wishes, 35)).toEqual([0, 1]);
  expect(chosen(wishes, 21)).toEqual([0]);
});

test("an empty column is dropped before any other optional column", () => {
  const wishes = [
    whole(8),
    wish(11, { priority: 2, isEmpty: true }),
    wish(30, { priority: 9 }),
    wish(30, { isEmpty: true }),
  ];
  expect(chosen(wishes, 40)).toEqual([0, 2, 3]);
});

test("required columns are cut to a few characters before they are dropped, starting with the last", () => {
  const wishes = [wish(30), wish(30), whole(8), wish(30)];
  expect(chosen(wishes, 26)).toEqual([0, 1, 2, 3]);
  expect(chosen(wishes, 25)).toEqual([0, 1, 2]);
  expect(chosen(wishes, 10)).toEqual([2]);
});

test("required whole columns are drawn, even if the window is narrower", () => {
  expect(chosen([whole(8, { priority: 2 }), whole(40)], 30)).toEqual([1]);
  expect(widths([whole(40)], 30)).toEqual([40]);
});

test("the widest texts are cut first, and only as far as necessary", () => {
  expect(widths([whole(8), wish(40), wish(12), wish(30)], 60)).toEqual([8, 17, 12, 17]);
  expect(widths([whole(8), wish(4), wish(2)], 100)).toEqual([8, 4, 2]);
});

test("any columns fit, except whole ones that are too wide", () => {
  const anyWish = fc.record({
    width: fc.integer({ min: 1, max: 60 }),
    isWhole: fc.boolean(),
    priority: fc.integer({ min: 1, max: 5 }),
    isEmpty: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(anyWish, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 8, max: 120 }),
      (wishes, window) => {
        const fitted = fitColumns(wishes, window);
        const needed = wishes.filter(mustStay).map(({ width }) => width);
        expect(total(fitted.map(({ width }) => width))).toBeLessThanOrEqual(Math.max(window, total(needed)));
        expect(fitted.filter(mustStay).map(({ width }) => width)).toEqual(needed);
      },
    ),
  );
});

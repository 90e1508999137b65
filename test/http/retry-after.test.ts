// `Retry-After`: seconds, or a date.
import { assert, property } from "fast-check";
import { expect, test } from "vitest";
import { parseRetryAfter } from "../../src/http/retry-after.ts";
import { unicode } from "../support/unicode.ts";

const now = Date.UTC(2024, 0, 31, 12, 0, 0);

test.each([
  ["0", 0],
  ["1", 1000],
  [" 120 ", 120_000],
  ["007", 7000],
  ["9999999999", 9_999_999_999_000],
  ["Wed, 31 Jan 2024 12:00:30 GMT", 30_000],
  ["Thu, 01 Feb 2024 12:00:00 GMT", 86_400_000],
  ["Wed, 31 Jan 2024 12:00:00 GMT", 0],
  ["Wed, 31 Jan 2024 11:00:00 GMT", 0],
  ["Wednesday, 31-Jan-24 12:00:30 GMT", 30_000],
  ["Wed Jan 31 12:00:30 2024", 30_000],
  ["Thu Feb  1 12:00:00 2024", 86_400_000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
])("'%s' is a wait of %i ms", (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected);
});

test("a date is in Greenwich wherever this machine is", () => {
  const before = process.env["TZ"];
  try {
    for (const zone of ["America/New_York", "Asia/Tokyo", "UTC"]) {
      process.env["TZ"] = zone;
      expect(parseRetryAfter("Wed Jan 31 12:00:30 2024", now)).toBe(30_000);
      expect(parseRetryAfter("Wednesday, 31-Jan-24 12:00:30 GMT", now)).toBe(30_000);
    }
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test.each([
  undefined,
  "",
  " ",
  "soon",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "1, 2",
  "1 s",
  "NaN",
  "Infinity",
  "2024-01-31T12:00:30Z",
  "Wed, 31 Jan 2024 12:00:30 CET",
  "Wed, 31 Foo 2024 12:00:30 GMT",
  "Wed, 31 Jan 2024 99:99:99 GMT",
  "31 Jan 2024",
  "Wed, 31 Jan 2024 12:00:30 EST",
  "Wed, 31 Jan 2024 12:00:30",
  "Wed, 31 Jan 2024 12:00:30 +0100",
  "Wed Jan 31 12:00:30 2024 EST",
  "9".repeat(11),
  "9".repeat(400),
  "١٢",
])("'%s' says nothing", (header) => {
  expect(parseRetryAfter(header, now)).toBeNull();
});

test("never throws, and never gives a negative or endless wait", () => {
  assert(
    property(unicode(), (header) => {
      const wait = parseRetryAfter(header, now);
      expect(wait === null || (Number.isFinite(wait) && wait >= 0)).toBe(true);
    }),
  );
});

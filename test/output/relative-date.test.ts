// Relative dates: the age in one unit, and only for valid dates in the past.
import { expect, test } from "vitest";
import { relativeDate } from "../../src/output/relative-date.ts";

const now = Date.parse("2026-08-02T12:00:00Z");

test.each([
  ["2026-08-02T12:00:00Z", "just now"],
  ["2026-08-02T11:59:01Z", "just now"],
  ["2026-08-02T11:59:00Z", "1 minute ago"],
  ["2026-08-02T11:00:01Z", "59 minutes ago"],
  ["2026-08-02T11:00:00Z", "1 hour ago"],
  ["2026-08-02T13:00:00.5+02:00", "59 minutes ago"],
  ["2026-08-01T12:00:01Z", "23 hours ago"],
  ["2026-08-01T12:00:00Z", "1 day ago"],
  ["2026-07-30T12:00:00Z", "3 days ago"],
  ["2026-07-03T12:00:01Z", "29 days ago"],
  ["2026-07-03T12:00:00Z", "1 month ago"],
  ["2025-08-02T12:00:01Z", "11 months ago"],
  ["2025-08-02T12:00:00Z", "12 months ago"],
  ["2024-08-03T12:00:00Z", "23 months ago"],
  ["2024-08-02T12:00:00Z", "2 years ago"],
  ["2011-09-06T20:39:23Z", "14 years ago"],
])("%s was %s", (timestamp, text) => {
  expect(relativeDate(timestamp, now)).toBe(text);
});

test.each([
  "2026-08-02T12:00:01Z",
  "9999-12-31T23:59:59Z",
  "2026-02-03",
  "2026-13-03T04:05:06Z",
  "2026-02-03T04:05:06",
  "yesterday",
  "1",
  "",
  " 2025-02-03T04:05:06Z",
])("%j has no relative date", (timestamp) => {
  expect(relativeDate(timestamp, now)).toBeNull();
});

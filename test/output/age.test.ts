// How old something is.
import { expect, test } from "vitest";
import { ageOf } from "../../src/output/age.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["2026-03-01T00:00:00Z", "today"],
  ["2026-02-28T11:59:59Z", "1 day"],
  ["2026-01-01T12:00:00Z", "59 days"],
  ["2025-12-31T12:00:00Z", "1 month"],
  ["2025-03-01T12:00:00Z", "11 months"],
  ["2024-03-02T12:00:00Z", "23 months"],
  ["2024-02-01T12:00:00Z", "2 years"],
  ["2030-01-01T00:00:00Z", "today"],
  ["soon", ""],
  [null, ""],
])("%s is %j", (timestamp, age) => {
  expect(ageOf(timestamp, now)).toBe(age);
});

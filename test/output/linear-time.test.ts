// Texts of megabytes, the worst that there are: what reads them takes linear time.
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/output/redact.ts";
import { sanitise } from "../../src/output/sanitise.ts";

/** Milliseconds that it takes with so many characters. */
function timeOf(read: (text: string) => string, unit: string, size: number): number {
  const text = unit.repeat(size / unit.length);
  const started = performance.now();
  read(text);
  return performance.now() - started;
}

test.each([
  ["harmless", "a"],
  ["all escapes", "\u001b"],
  ["bidi", "\u202e"],
  ["half pairs", "\ud800"],
  ["emoji", "\u{1f600}"],
  ["marks", "\u0301"],
  ["hearts", "\u2764\ufe0f"],
])("sanitising ten megabytes, %s", (_, unit) => {
  timeOf(sanitise, unit, 100_000);
  const small = Math.max(timeOf(sanitise, unit, 1_000_000), 5);
  // Quadratic would be a hundred times the time.
  expect(timeOf(sanitise, unit, 10_000_000) / small).toBeLessThan(40);
});

describe("redacting", () => {
  const redactor = createRedactor();
  redactor.add("canary-PASSWORD-1");
  redactor.add("a");
  for (let count = 0; count < 20_000; count += 1) redactor.add(`gho_${String(count).padStart(36, "0")}`);
  const redact = (text: string): string => redactor.redact(text);

  test.each(["plain. ", "x", "%41", "\\u0041", "canary-", "gho_", "canary-PASSWORD-1", "a "])(
    "megabytes of %j, with twenty thousand secrets",
    (unit) => {
      timeOf(redact, unit, 20_000);
      const small = Math.max(timeOf(redact, unit, 100_000), 5);
      // Quadratic would be four hundred times the time.
      expect(timeOf(redact, unit, 2_000_000) / small).toBeLessThan(100);
    },
  );

  test("ten megabytes", () => {
    expect(timeOf(redact, "a page of some text, ", 10_000_000)).toBeLessThan(20_000);
  });
});

// Ages in flags and timestamps in responses: the point in time for each, and those that are rejected as ambiguous.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFailure } from "../../src/errors/errors.ts";
import { parseAge, parseInstant } from "../../src/lists/age.ts";

const now = Date.UTC(2026, 2, 1, 12, 0, 0);

/** The point in time, or the message of the usage error. */
function pointOf(text: string): string {
  try {
    return new Date(parseAge("--older-than", text).pointBefore(now)).toISOString();
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
    return `${error.message}; ${String(error.details.hint)}`;
  }
}

test.each([
  ["0d", "2026-03-01T12:00:00.000Z"],
  ["30m", "2026-03-01T11:30:00.000Z"],
  ["12h", "2026-03-01T00:00:00.000Z"],
  ["90d", "2025-12-01T12:00:00.000Z"],
  ["2w", "2026-02-15T12:00:00.000Z"],
  ["1y", "2025-03-01T12:00:00.000Z"],
  ["007d", "2026-02-22T12:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T10:20:30.5Z", "2026-01-31T10:20:30.500Z"],
  ["2026-01-31T01:20:30+02:00", "2026-01-30T23:20:30.000Z"],
])("parses %s as %s", (typed, point) => expect(pointOf(typed)).toBe(point));

const noAges =
  "|d|-5d|+5d|1.5d|5 d| 5d|5d |5D|1mo|90days|1d12h|1e3d|٣d|5d\n|null|9999999999d|2026-02-29|1900-02-29"
    .concat(
      "|2026-04-31|2026-13-01|2026-00-10|2026-01-00|2026-01-32|2026-1-31|31-01-2026|yesterday|2026-W05-1",
    )
    .concat("|2026-01-31T25:00:00Z|2026-01-31T10:20:30+99:00|2026-01-31T10:20:61Z|2026-01-31Z");
test.each(["90", "20260131", "2026-01-31T10:20:30", ...noAges.split("|")])("rejects %j", (typed) => {
  expect(pointOf(typed)).toMatch(/^--older-than must be an age or a date; Use /);
});

test.each([null, undefined, 5, {}, "", "2026-01-31", "Mon, 01 Jan 2024", "2026-02-30T00:00:00Z"])(
  "rejects %j as a timestamp",
  (value) => expect(parseInstant(value)).toBeNull(),
);

const two = (count: number): string => String(count).padStart(2, "0");

test("any timestamp is its instant in any zone, with and without a fraction, and any text is parsed or rejected", () => {
  const date = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
  fc.assert(
    fc.property(date, fc.integer({ min: -14 * 60, max: 14 * 60 }), (time, offset) => {
      const local = new Date(time.getTime() + offset * 60_000).toISOString();
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const zone = `${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
      expect(parseInstant(local.replace("Z", zone))).toBe(time.getTime());
      const whole = time.getTime() - time.getUTCMilliseconds();
      expect(parseInstant(time.toISOString().replace(/\.\d+/, ""))).toBe(whole);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d\-:TZ+. mhdwy]{0,40}$/)), (text) => {
      expect(pointOf(text)).not.toBe("");
      expect(parseInstant(`${text}Z`)).not.toBeNaN();
    }),
    { numRuns: 500 },
  );
});

// Ages in flags: the point in time for each, and the ambiguous ones that grantctl rejects.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAge, parseInstant } from "../../src/lists/age.ts";
import { isFailure, type Failure } from "../../src/errors/errors.ts";

const now = Date.UTC(2026, 2, 1, 12, 0, 0);

function pointOf(text: string): string {
  return new Date(parseAge("--older-than", text).pointBefore(now)).toISOString();
}

test.each([
  ["0d", "2026-03-01T12:00:00.000Z"],
  ["30m", "2026-03-01T11:30:00.000Z"],
  ["12h", "2026-03-01T00:00:00.000Z"],
  ["1d", "2026-02-28T12:00:00.000Z"],
  ["90d", "2025-12-01T12:00:00.000Z"],
  ["2w", "2026-02-15T12:00:00.000Z"],
  ["1y", "2025-03-01T12:00:00.000Z"],
  ["007d", "2026-02-22T12:00:00.000Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T10:20:30Z", "2026-01-31T10:20:30.000Z"],
  ["2026-01-31t10:20:30.5z", "2026-01-31T10:20:30.500Z"],
  ["2026-01-31T01:20:30+02:00", "2026-01-30T23:20:30.000Z"],
  ["2026-01-31 10:20:30-0530", "2026-01-31T15:50:30.000Z"],
])("parses %s as %s", (typed, point) => {
  expect(pointOf(typed)).toBe(point);
});

test.each<readonly [string, string]>([
  ["90", "has no unit"],
  ["20260131", "has no unit"],
  ["2026-01-31T10:20:30", "without its zone"],
  ["2026-01-31 10:20", "without its zone"],
  ...[
    [
      "",
      "d",
      "-5d",
      "+5d",
      "1.5d",
      "5 d",
      " 5d",
      "5d ",
      "5D",
      "1mo",
      "90days",
      "1d12h",
      "1e3d",
      "٣d",
      "5d\n",
      "null",
    ],
    ["9999999999d", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"],
    ["2026-01-32", "2026-1-31", "31-01-2026", "yesterday", "2026-01-31T25:00:00Z"],
    ["2026-01-31T10:20:30+99:00", "2026-01-31T10:20:61Z", "2026-01-31Z", "2026-W05-1"],
  ]
    .flat()
    .map((text) => [text, "must be an age or a date"] as const),
])("rejects %j: %s", (typed, why) => {
  const failure = failureOf(typed);
  expect(failure?.message).toContain(why);
  expect(failure?.details.hint).toContain("--older-than");
});

describe("properties", () => {
  const units = { m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const;

  test("multiplies a number and its unit exactly", () => {
    const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
    fc.assert(
      fc.property(fc.nat(99_999), unit, (count, name) => {
        expect(now - parseAge("--older-than", `${count}${name}`).pointBefore(now)).toBe(
          count * units[name] * 1000,
        );
      }),
    );
  });

  test("parses every timestamp as its instant, in any time zone", () => {
    const date = fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.integer({ min: -14 * 60, max: 14 * 60 }), (time, offset) => {
        const local = new Date(time.getTime() + offset * 60_000).toISOString();
        fc.pre(/^\d{4}-/.test(local));
        const minutes = Math.abs(offset);
        const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
        expect(parseInstant(local.replace("Z", zone))).toBe(time.getTime());
      }),
    );
  });

  test("parses any text as an age or rejects it as a usage error, in linear time", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d\-:TZ+. mhdwy]{0,40}$/)), (text) => {
        expect(failureOf(text) ?? parseAge("--older-than", text).pointBefore(now)).not.toBeNaN();
      }),
      { numRuns: 500 },
    );
  });
});

test.each([null, undefined, 5, {}, "", "2026-01-31", "Mon, 01 Jan 2024", "2026-02-30T00:00:00Z"])(
  "rejects %j as a timestamp",
  (value) => {
    expect(parseInstant(value)).toBeNull();
  },
);

/** The usage error for a text; null if it is an age. */
function failureOf(text: string): Failure | null {
  try {
    parseAge("--older-than", text);
    return null;
  } catch (error) {
    if (isFailure(error, "usage")) return error;
    throw error;
  }
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function digits(length: number, most: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(length, "0"));
}

test("parses the usual format to the same instant as with a fraction of zero", () => {
  const form = fc.tuple(
    fc.oneof(digits(4, 9999), digits(4, 120)),
    digits(2, 13),
    digits(2, 32),
    digits(2, 25),
    digits(2, 61),
    digits(2, 61),
  );
  fc.assert(
    fc.property(form, ([year, month, day, hour, minute, second]) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
      expect(parseInstant(`${text}Z`)).toBe(parseInstant(`${text}.0Z`));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  "2026-01-31T10:20:30z",
  "2026-01-31T10:20:3aZ",
  "2026-01-31 10:20:30Z",
  "2026/01/31T10:20:30Z",
  "2026-01-31T10.20.30Z",
  "+026-01-31T10:20:30Z",
  "0000-01-01T00:00:00Z",
  "0099-12-28T23:59:59Z",
  "2026-12-31T24:00:00Z",
])("parses %s like its form with a fraction", (text) => {
  expect(parseInstant(text)).toBe(parseInstant(text.replace(/(z)$/i, ".0$1")));
});

// The wait that a response requests: `Retry-After` in seconds or as a date, and GitHub's rate-limit headers.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWait } from "../../src/http/waiting.ts";
import { unicode } from "../support/unicode.ts";
import { makeAnswer } from "./doubles.ts";

const now = Date.UTC(2024, 0, 31, 12, 0, 0);
/** More seconds than this have the same effect. */
const centuries = 9_999_999_999_000;

function parse(header: string | undefined, status = 429): number | undefined {
  const headers = header === undefined ? {} : { "retry-after": header };
  return readWait(makeAnswer(status, {}, headers), now, false).retryAfterMs;
}

test.each([
  ["0", 0],
  ["1", 1000],
  [" 120 ", 120_000],
  ["9".repeat(400), centuries],
  ["0.25", 250],
  ["1.5", 1500],
  [`${"9".repeat(20)}.5`, centuries],
  ["1, 2", 2000],
  ["soon, 3", 3000],
  ["Wed, 31 Jan 2024 12:00:30 GMT, 3", 30_000],
  ["Wednesday, 31-Jan-24 12:00:30 GMT, Wed, 31 Jan 2024 12:00:31 GMT", 31_000],
  ["Wed, 31 Jan 2024 12:00:30 GMT", 30_000],
  ["Thu, 01 Feb 2024 12:00:00 GMT", 86_400_000],
  ["Wed, 31 Jan 2024 12:00:00 GMT", 0],
  ["Wednesday, 31-Jan-24 12:00:30 GMT", 30_000],
  ["Wed Jan 31 12:00:30 2024", 30_000],
])("'%s' is a wait of %i ms", (header, expected) => {
  expect(parse(header)).toBe(expected);
});

test("a date is read as GMT in any time zone", () => {
  const before = process.env["TZ"];
  try {
    for (const zone of ["America/New_York", "Asia/Tokyo", "UTC"]) {
      process.env["TZ"] = zone;
      expect(parse("Wed Jan 31 12:00:30 2024")).toBe(30_000);
      expect(parse("Wednesday, 31-Jan-24 12:00:30 GMT")).toBe(30_000);
    }
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test.each([
  undefined,
  "",
  "soon",
  "-1",
  "1e3",
  "1 s",
  "NaN",
  "1.5.5",
  ",",
  "Infinity",
  "2024-01-31T12:00:30Z",
  "Wed, 31 Jan 2024 12:00:30 CET",
  "Wed, 31 Jan 2024 99:99:99 GMT",
  "Wed, 31 Jan 2024 12:00:30 EST",
  "Wed, 31 Jan 2024 12:00:30",
  "Wed Jan 31 12:00:30 2024 EST",
  "١٢",
])("'%s' requests no wait", (header) => {
  expect(parse(header)).toBeUndefined();
});

describe("any headers", () => {
  const part = fc.oneof(
    unicode(),
    fc.stringMatching(/^[-+]?\d{1,400}(?:\.\d{1,30})?$/),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constantFrom("", "NaN", "Infinity", "1e999", "Wed Jan 31 12:00:30 2024"),
  );
  const header = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(", "));

  test("request a whole number of milliseconds between 0 and three centuries, or no wait", () => {
    fc.assert(
      fc.property(header, header, header, fc.constantFrom(403, 429, 503), fc.boolean(), (...drawn) => {
        const [retryAfter, reset, date, status, limitsWith403] = drawn;
        const headers = {
          "retry-after": retryAfter,
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": reset,
          date,
        };
        const wait = readWait(makeAnswer(status, {}, headers), now, limitsWith403).retryAfterMs ?? 0;
        // The date and the server's clock may differ by the whole range of dates.
        expect(Number.isSafeInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a rate limit as GitHub documents it", () => {
  const second = now / 1000;
  const read = (status: number, headers: Readonly<Record<string, string>>, body: unknown = "") =>
    readWait(makeAnswer(status, body, headers), now, true);

  test.each([
    ["Retry-After", 403, { "retry-after": "30" }, 30_000],
    ["Retry-After on a 429", 429, { "retry-after": "5" }, 5000],
    ["both: the wait is said", 403, { "retry-after": "7", "x-ratelimit-remaining": "0" }, 7000],
    [
      "the second of the reset",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${second + 90}` },
      90_000,
    ],
    [
      "the server's clock is an hour ahead of ours",
      429,
      {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": `${second + 3690}`,
        date: new Date(now + 3_600_000).toUTCString(),
      },
      90_000,
    ],
    [
      "a reset that has passed",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${second - 5}` },
      0,
    ],
    [
      "a reset with twenty digits",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9".repeat(20) },
      centuries - now,
    ],
    [
      "there is room left: a refusal",
      403,
      { "x-ratelimit-remaining": "12", "x-ratelimit-reset": `${second + 90}` },
      undefined,
    ],
    ["no word of a limit", 403, {}, undefined],
    ["nonsense", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" }, undefined],
    [
      "another status",
      422,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${second + 90}` },
      undefined,
    ],
  ] as const)("%s", (_, status, headers, expected) => {
    expect(read(status, headers).retryAfterMs).toBe(expected);
    expect(read(status, headers).isLimit).toBe(status === 429 || expected !== undefined);
  });

  test.each([
    ["You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", 60_000],
    ["You have triggered an abuse detection mechanism. Please wait a few minutes.", 60_000],
    ["Maximum number of login attempts exceeded. Please try again later.", undefined],
    ["Resource not accessible by integration", undefined],
  ])("a 403 without a reset time: %s", (message, wait) => {
    const body = { message, documentation_url: "https://docs.example.com/" };
    const headers = { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": `${second + 90}` };
    expect(read(403, headers, body).retryAfterMs).toBe(wait);
    expect(read(403, {}, body).retryAfterMs).toBe(wait);
    expect(read(403, { "retry-after": "7" }, body).retryAfterMs).toBe(7000);
    expect(read(429, {}, body).retryAfterMs).toBeUndefined();
  });
});

// When a limit ends: what the headers say, by the server's clock where it tells its time.
import { expect, test } from "vitest";
import { limitEndMs } from "../../src/http/rate-limit-headers.ts";

const now = Date.UTC(2026, 10, 22, 5, 0, 0);
const second = now / 1000;

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
    1000,
  ],
  [
    "there is room left: a refusal",
    403,
    { "x-ratelimit-remaining": "12", "x-ratelimit-reset": `${second + 90}` },
    null,
  ],
  ["no word of a limit", 403, {}, null],
  ["nonsense", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" }, null],
  ["another status", 422, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${second + 90}` }, null],
] as const)("%s", (_, status, headers, wait) => {
  expect(limitEndMs({ status, headers: headers, body: Buffer.alloc(0) }, now)).toBe(wait);
});

test.each([
  ["You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", 60_000],
  ["You have triggered an abuse detection mechanism. Please wait a few minutes.", 60_000],
  ["Maximum number of login attempts exceeded. Please try again later.", null],
  ["Resource not accessible by integration", null],
])("a 403 that names no time: %s", (message, wait) => {
  const body = Buffer.from(JSON.stringify({ message, documentation_url: "https://docs.example.com/" }));
  const headers = { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": `${second + 90}` };
  expect(limitEndMs({ status: 403, headers, body }, now)).toBe(wait);
  expect(limitEndMs({ status: 403, headers: {}, body }, now)).toBe(wait);
  expect(limitEndMs({ status: 403, headers: { "retry-after": "7" }, body }, now)).toBe(7000);
  expect(limitEndMs({ status: 429, headers: {}, body }, now)).toBe(null);
});

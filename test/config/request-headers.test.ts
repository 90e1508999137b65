// `headers` and `api -H` can add any header except those that carry credentials, frame the request, or contain a line break.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFailure } from "../../src/errors/errors.ts";
import { readHeaders } from "../../src/run/connections.ts";
import { unicode } from "../support/unicode.ts";

test.each<readonly [readonly string[], object]>([
  [[], {}],
  [["X-Trace:7"], { "x-trace": "7" }],
  [["X-Trace: \t a: b \t"], { "x-trace": "a: b" }],
  [["X-Empty:"], { "x-empty": "" }],
  [["accept: application/vnd.x+json"], { accept: "application/vnd.x+json" }],
  [["USER-AGENT: me"], { "user-agent": "me" }],
  [["X-A: 1", "x-a: 2"], { "x-a": "2" }],
  [["constructor: x"], { constructor: "x" }],
])("%j", (lines, headers) => {
  expect(readHeaders(lines)).toEqual(headers);
});

const reserved =
  "aUTHORIZATION Proxy-Authorization Cookie Host Content-Length Transfer-Encoding Content-Type Connection Upgrade Expect Te X-Service-OTP x-github-otp";

test("headers of credentials and of the message cannot be set", () => {
  for (const name of reserved.split(" "))
    expect(() => readHeaders([`${name}: x`])).toThrow(`the header ${name} cannot be set`);
});

test.each([
  "",
  ":",
  ": x",
  "NoColon",
  "a b: c",
  "X-A : c",
  "X-A: a\r\nX-B: b",
  "X-A: \u0000",
  "X-\u00e9: a",
  "\nX-A: b",
])("%j is a usage failure", (line) => {
  expect(() => readHeaders([line])).toThrow(expect.objectContaining({ kind: "usage" }) as Error);
});

test("any value is sent as one line of plain text, or refused", () => {
  fc.assert(
    fc.property(unicode(), unicode(), (name, value) => {
      for (const [key, text] of Object.entries(headersOrNone([`${name}: ${value}`, `X-Fixed: ${value}`]))) {
        expect(key).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
        expect(text).toMatch(/^[\t\x20-\x7e]*$/);
      }
    }),
    { numRuns: 500 },
  );
});

function headersOrNone(lines: readonly string[]): Readonly<Record<string, string>> {
  try {
    return readHeaders(lines);
  } catch (error) {
    if (isFailure(error, "usage")) return {};
    throw error;
  }
}

// `headers` and `api -H` can add any header except those that carry credentials, frame the request, or contain a line break.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { requestHeaders } from "../../src/run/connections.ts";
import { isFailure } from "../../src/errors/errors.ts";
import { unicode } from "../support/unicode.ts";

test("sends only the default headers without others", () => {
  expect(requestHeaders("1.2.3", [])).toEqual({
    Accept: "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "grantctl/1.2.3",
  });
});

test.each([
  ["X-Trace: 7", { "X-Trace": "7" }],
  ["X-Trace:7", { "X-Trace": "7" }],
  ["X-Trace: \t a: b \t", { "X-Trace": "a: b" }],
  ["X-Empty:", { "X-Empty": "" }],
  ["accept: application/vnd.x+json", { Accept: "application/vnd.x+json" }],
  ["USER-AGENT: me", { "User-Agent": "me" }],
])("sends %j", (line, headers) => {
  expect(requestHeaders("1", [line])).toMatchObject(headers);
});

test("the last header of a name wins, whatever its case", () => {
  const headers = requestHeaders("1", ["X-A: 1", "x-a: 2"]);
  expect(Object.entries(headers).filter(([name]) => name.toLowerCase() === "x-a")).toEqual([["X-A", "2"]]);
});

test.each([
  "Authorization: Basic x",
  "aUTHORIZATION: x",
  "Proxy-Authorization: x",
  "Cookie: a=b",
  "Host: evil.test",
  "Content-Length: 1",
  "Transfer-Encoding: chunked",
  "Content-Type: text/plain",
  "Connection: close",
  "Upgrade: h2c",
  "Expect: 100-continue",
  "Te: trailers",
  "X-Service-OTP: 123456",
  "x-github-otp: 123456",
])("%j cannot be set", (line) => {
  expect(() => requestHeaders("1", [line])).toThrow(/cannot be set/);
});

test.each([
  "",
  ":",
  ": x",
  "NoColon",
  "a b: c",
  "X-A : c",
  "X-A: a\r\nX-B: b",
  "X-A: a\nb",
  "X-A: \u0000",
  "X-A: é",
  "X-\u00e9: a",
  "\nX-A: b",
])("%j is a usage failure", (line) => {
  expect(() => requestHeaders("1", [line])).toThrow(expect.objectContaining({ kind: "usage" }) as Error);
});

test("sends any value as one line of plain text", () => {
  fc.assert(
    fc.property(unicode(), unicode(), (name, value) => {
      const headers = headersOrNone([`${name}: ${value}`, `X-Fixed: ${value}`]);
      for (const [key, text] of Object.entries(headers)) {
        expect(key).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
        expect(text).toMatch(/^[\t\x20-\x7e]*$/);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(["constructor: x", "toString: x"])("sends %j like any other header", (line) => {
  const headers = requestHeaders("1", [line]);
  expect(Object.entries(headers)).toContainEqual([line.split(":")[0], "x"]);
});

/** The headers; empty if the lines are rejected with a usage failure. */
function headersOrNone(lines: readonly string[]): Readonly<Record<string, string>> {
  try {
    return requestHeaders("1", lines);
  } catch (error) {
    if (isFailure(error, "usage")) return {};
    throw error;
  }
}

// `headers` and `api -H` can add any header except those that carry credentials, frame the request, or contain a line break.
import { expect, test } from "vitest";
import { readHeaders } from "../../src/http/headers.ts";

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

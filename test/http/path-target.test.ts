// The target built from a path that a user typed: which characters are encoded, which paths are rejected, and that no
// path leaves the configured origin and its prefix.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildPathTarget, parseOrigin } from "../../src/http/urls.ts";
import { unicode } from "../support/unicode.ts";

const origin = parseOrigin("https://service.test:8443/api/v3", false);
const target = (written: string, query: readonly (readonly [string, string])[] = []): string =>
  buildPathTarget(origin, written, query).path;

test.each([
  ["user", "/api/v3/user"],
  ["/user", "/api/v3/user"],
  ["/%75ser", "/api/v3/%75ser"],
  ["", "/api/v3/"],
  ["/user/", "/api/v3/user/"],
  ["/a b/ä/€", "/api/v3/a%20b/%C3%A4/%E2%82%AC"],
  ["/a%20b/%C3%A4", "/api/v3/a%20b/%C3%A4"],
  ["/a'(b)*,;=:@!$&~.-_+", "/api/v3/a'(b)*,;=:@!$&~.-_+"],
  ["/a?b=c&d=%20 é", "/api/v3/a?b=c&d=%20%20%C3%A9"],
  ["/a?b?c=/..", "/api/v3/a?b?c=/.."],
  ["?a=b", "/api/v3/?a=b"],
  ["/@host/x", "/api/v3/@host/x"],
  ["/...", "/api/v3/..."],
  ["/a/../b", "/api/v3/b"],
  ["/a?\r\nHost: evil", "/api/v3/a?Host:%20evil"],
  ["/a./.b/.%.", "/api/v3/a./.b/.%."],
  ["https://service.test:8443/api/v3", "/api/v3"],
  ["https://service.test:8443/api/v3/user?a=1", "/api/v3/user?a=1"],
])("%j is sent as %s", (written, path) => {
  expect(target(written)).toBe(path);
});

test.each([
  ["..", /requests go only to/],
  ["/a/../../b", /requests go only to/],
  ["/%2e%2E/b", /requests go only to/],
  [String.raw`/..\b`, /requests go only to/],
  ["https://evil.test/user", /requests go only to https:\/\/service\.test:8443\/api\/v3/],
  ["https://service.test:8443/other", /requests go only to/],
  ["https://service.test:8443/api/v3evil/x", /requests go only to/],
  ["https://service.test/api/v3/user", /requests go only to/],
  ["http://service.test:8443/api/v3/user", /requests go only to/],
  ["//evil.test/user", /requests go only to/],
  ["file:///etc/passwd", /requests go only to/],
])("%j is rejected", (written, message) => {
  expect(() => target(written)).toThrow(message);
});

describe("any accepted path", () => {
  const pieces = fc.oneof(
    unicode({ maxLength: 12 }),
    fc.constantFrom("..", ".", "%2e", "//", "/", "?", "#", "\\", "@", "https://", ":", "%", "%25"),
  );

  test("stays below the prefix, is one line of ASCII, and keeps its meaning for a URL parser", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        let path: string;
        try {
          path = target(parts.join(""));
        } catch {
          return;
        }
        expect(path).toMatch(/^\/api\/v3\/[\x21-\x7e]*$/);
        const url = new URL(path, origin.root);
        expect([url.origin, `${url.pathname}${url.search}`]).toEqual([
          origin.root,
          // The parser encodes apostrophes, but only in queries.
          path.replace(/\?.*/s, (search) => search.replaceAll("'", "%27")),
        ]);
      }),
    );
  });
});

test("the displayed template contains no possible token", () => {
  const token = "0123456789abcdef0123456789abcdef01234567";
  expect(buildPathTarget(origin, `/applications/x/tokens/${token}?q=${token}`, []).template).toBe(
    "/applications/x/tokens/:value",
  );
  expect(buildPathTarget(origin, "/applications/x/tokens/short", []).template).toBe(
    "/applications/x/tokens/:value",
  );
  expect(buildPathTarget(origin, "/repos/a/b/pulls/1", []).template).toBe("/repos/a/b/pulls/1");
  expect(buildPathTarget(origin, `/${"a".repeat(19)}/${"a".repeat(20)}`, []).template).toBe(
    `/${"a".repeat(19)}/:value`,
  );
});

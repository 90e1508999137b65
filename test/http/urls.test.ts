// The configured origin and the URLs built from it: what is rejected, and that no value changes the shape of a path.
import { array, assert, constantFrom, integer, oneof, property, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTarget, isBaseUrl, parseOrigin, parseUrl } from "../../src/http/urls.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { unicode } from "../support/unicode.ts";

describe("the base URL", () => {
  test.each([
    ["https://api.example.com", "https://api.example.com", ""],
    ["https://api.example.com/", "https://api.example.com", ""],
    ["https://api.example.com/api/v3", "https://api.example.com", "/api/v3"],
    ["https://api.example.com:8443/api", "https://api.example.com:8443", "/api"],
    ["https://api.example.com:443/api", "https://api.example.com", "/api"],
    ["HTTPS://API.Example.COM/Api", "https://api.example.com", "/Api"],
    ["https://bücher.example", "https://xn--bcher-kva.example", ""],
    ["https://[::1]:8443/x", "https://[::1]:8443", "/x"],
    ["https://api.example.com/a..b/...", "https://api.example.com", "/a..b/..."],
    [" https://api.example.com/a/../b\r\n", "https://api.example.com", "/b"],
    ["https://api.example.com/a%2Fb/ü", "https://api.example.com", "/a%2Fb/%C3%BC"],
  ])("%s becomes %s with the prefix '%s'", (baseUrl, root, prefix) => {
    expect(parseOrigin(baseUrl, false)).toEqual({ root, prefix, href: `${root}${prefix}` });
  });

  test.each([
    ..."api.example.com /api/v3 ftp://api.example.com file:///etc/passwd".split(" "),
    ..."javascript:alert(1) unix:/var/run/service.sock https://api.example.com:99999".split(" "),
    ..."https://octo:hunter2@api.example.com http://octo:hunter2@127.0.0.1".split(" "),
    ..."https://api.example.com/?token=hunter2 https://api.example.com#hunter2".split(" "),
    "",
    "https://exa mple.com",
    "https://api.example.com/a\r\n",
  ])("is not '%s'", (baseUrl) => {
    expect(isBaseUrl(baseUrl)).toBe(false);
  });
});

describe("plain http", () => {
  test.each([
    ..."http://localhost http://LOCALHOST:8080/api http://127.0.0.1:8080 http://127.0.0.2".split(" "),
    ..."http://127.1 http://0x7f000001 http://[::1]:80 http://[0:0:0:0:0:0:0:1]".split(" "),
  ])("needs no permission for loopback addresses: %s", (baseUrl) => {
    expect(() => parseOrigin(baseUrl, false)).not.toThrow();
  });

  test.each([
    ..."http://api.example.com http://127.0.0.1.example.com http://localhost.example.com".split(" "),
    ..."http://example.com.localhost.evil.test http://10.127.0.1 http://0.0.0.0 http://[::]".split(" "),
    ..."http://[fe80::1]".split(" "),
  ])("needs permission for other hosts: %s", async (baseUrl) => {
    expect((await thrownFailure(() => parseOrigin(baseUrl, false))).kind).toBe("usage");
    expect(() => parseOrigin(baseUrl, true)).not.toThrow();
  });
});

const prefixes = ["", "/api/v3", "/a%2Fb"];
const anyText = oneof(
  unicode(),
  string({ unit: "grapheme" }),
  // Any code units, including lone surrogates.
  array(integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  // Texts that a URL parser could interpret differently.
  array(constantFrom(" ", ...String.raw`/ \ . .. % %2e %2F ? # ; : @ // & = a %00`.split(" ")), {
    maxLength: 8,
  }).map((parts) => parts.join("")),
);

function isSendable(value: string): boolean {
  if (value === "" || value === "." || value === "..") return false;
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return false;
  }
  try {
    encodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

describe("the path of a request", () => {
  const template = "/applications/:client_id/tokens/:access_token";

  test("keeps its shape for all values and prefixes", () => {
    assert(
      property(
        tuple(anyText, anyText).filter((values) => values.every(isSendable)),
        constantFrom(...prefixes),
        ([client, token], prefix) => {
          const origin = parseOrigin(`https://api.example.com${prefix}`, false);
          const target = buildTarget(origin, template, { client_id: client, access_token: token });
          const url = new URL(`${origin.root}${target.path}`);
          expect([url.origin, url.search, url.hash]).toEqual([origin.root, "", ""]);
          // The parser has not folded or decoded anything: its result is the path that was built.
          expect(url.pathname).toBe(target.path);
          expect(target.path.startsWith(`${prefix}/`)).toBe(true);
          const segments = target.path.slice(prefix.length).split("/");
          expect(segments).toHaveLength(template.split("/").length);
          expect(segments.map(decodeURIComponent)).toEqual(["", "applications", client, "tokens", token]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("rejects values that cannot be sent, and never repeats them", async () => {
    const origin = parseOrigin("https://api.example.com", false);
    for (const end of ["\u0000", "\n", "\u001b[31m", "\u007f", "\u009b", "\ud800", "\udc00\ud800"]) {
      const value = `0123456789abcdef${end}`;
      const failure = await thrownFailure(() =>
        buildTarget(origin, template, { client_id: "c", access_token: value }),
      );
      expect(failure.kind).toBe("usage");
      expect(failure.message).toContain("access token");
      expect(`${failure.message} ${failure.details.hint ?? ""}`).not.toContain("0123456789abcdef");
    }
  });

  test("accepts all values that can be sent", () => {
    const origin = parseOrigin("https://api.example.com", false);
    const isRefused = (value: string): boolean => {
      try {
        buildTarget(origin, "/authorizations/:authorization_id", { authorization_id: value });
        return false;
      } catch {
        return true;
      }
    };
    assert(
      property(anyText, (value) => {
        expect(isRefused(value)).toBe(!isSendable(value));
      }),
      { numRuns: 1000 },
    );
  });
});

test("parses a URL, absolute or relative to another, and returns null for an invalid one", () => {
  expect(parseUrl("https://api.example.com/x")?.pathname).toBe("/x");
  expect(parseUrl("/y?page=2", "https://api.example.com/x")?.href).toBe("https://api.example.com/y?page=2");
  expect(parseUrl("api.example.com")).toBeNull();
  expect(parseUrl("https://")).toBeNull();
});

test("accepts a non-ASCII host even after the code has been optimised", () => {
  for (let count = 0; count < 50_000; count += 1) parseUrl(`https://api.example.com/${count % 8}`);
  expect(parseUrl("https://bücher.example")?.host).toBe("xn--bcher-kva.example");
});

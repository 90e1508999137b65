// The single parser for URLs from users and servers.
import { expect, test } from "vitest";
import { parseUrl } from "../../src/http/origin.ts";

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

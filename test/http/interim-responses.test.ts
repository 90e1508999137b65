// Interim responses are removed, however they are split into chunks; all other bytes pass unchanged.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInterimFilter } from "../../src/http/connector.ts";

const interim = fc
  .tuple(
    fc.constantFrom("HTTP/1.1 100 Continue", "HTTP/1.1 103 X", "HTTP/1.0 101", "HTTP/1.1 199 "),
    fc.array(fc.constantFrom("X: y", "Link: </x>", "Content-Length: 7", "Upgrade: h2c"), { maxLength: 3 }),
  )
  .map(([line, headers]) => [line, ...headers, "", ""].join("\r\n"));

const final = fc
  .tuple(
    fc.constantFrom(
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 1000 X\r\n",
      "HTTP/2 100 X\r\n",
      "SSH-2.0",
      "HTTP/1.1 1a0 ",
    ),
    fc.constantFrom("", "[1]", "HTTP/1.1 100 Continue\r\n\r\n"),
  )
  .map((parts) => parts.join(""));

/** The output for input that is split into chunks of these lengths, repeated. */
function passThrough(text: string, lengths: readonly number[]): string {
  const filter = createInterimFilter(1000);
  filter.expectResponse();
  const bytes = Buffer.from(text);
  let passed = "";
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    passed += filter.strip(bytes.subarray(at, at + length)).toString();
    at += length;
  }
  return passed;
}

test("interim responses are removed and the final one is complete, however they are split", () => {
  fc.assert(
    fc.property(
      fc.array(interim, { maxLength: 4 }),
      final,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      (before, last, lengths) => {
        expect(passThrough(before.join("") + last, lengths)).toBe(last);
      },
    ),
  );
});

describe("the filter", () => {
  test("passes everything before the first request and after the head of a final response", () => {
    const filter = createInterimFilter(1000);
    const stray = Buffer.from("HTTP/1.1 100 X\r\n\r\n");
    expect(filter.strip(stray).toString()).toBe(stray.toString());
    filter.expectResponse();
    filter.strip(Buffer.from("HTTP/1.1 200 X\r\n"));
    expect(filter.strip(stray).toString()).toBe(stray.toString());
    filter.expectResponse();
    expect(filter.strip(stray).toString()).toBe("");
  });

  test("keeps its buffer while a request is written in several pieces", () => {
    const filter = createInterimFilter(1000);
    filter.expectResponse();
    expect(filter.strip(Buffer.from("HTTP/1.1 1")).toString()).toBe("");
    filter.expectResponse();
    expect(filter.strip(Buffer.from("00 X\r\n\r\nHTTP/1.1 200 X")).toString()).toBe("HTTP/1.1 200 X");
  });

  test("gives up on an endless head", () => {
    const filter = createInterimFilter(1000);
    filter.expectResponse();
    filter.strip(Buffer.from(`HTTP/1.1 100 X\r\nX: ${"x".repeat(900)}`));
    expect(() => filter.strip(Buffer.alloc(200, "x"))).toThrow(RangeError);
  });
});

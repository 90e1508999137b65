// Text and JSON in pure ASCII.
import * as fc from "fast-check";
import displayWidth from "string-width";
import { expect, test } from "vitest";
import { toAscii, toAsciiJson } from "../../src/drawing/sanitise.ts";
import { unicode } from "../support/unicode.ts";

test.each([
  ["plain", "plain"],
  ["Café Métrique", "Cafe Metrique"],
  ["漢字 ノート", "???? ??????"],
  ["Harbour Dep…", "Harbour D..."],
  ["https://…", "https://..."],
  ["KEY=…", "KEY=..."],
  ["\u001b[1m…", "\u001b[1m..."],
  ["a → b", "a -> b"],
  ["“quoted”", '"quoted"'],
  ["🔑 key", "?? key"],
])("%j becomes %j", (text, shown) => {
  expect(toAscii(text)).toBe(shown);
});

test("cut text keeps its width", () => {
  for (const text of ["Harbour Dep…", "漢字 key", "Café", "🔑"])
    expect(displayWidth(toAscii(text))).toBe(displayWidth(text));
});

test("any text becomes ASCII, and JSON keeps its value", () => {
  fc.assert(
    fc.property(unicode(), (text) => {
      expect(toAscii(text)).toMatch(/^[\0-\x7f]*$/);
      const json = toAsciiJson(JSON.stringify(text));
      expect(json).toMatch(/^[\0-\x7f]*$/);
      expect(JSON.parse(json)).toBe(text);
    }),
  );
});

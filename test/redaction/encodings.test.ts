// The decodings of a text: each one once, nested at most two deep, with the original position of each character.
// Findings in decoded text are tested in redact.test.ts.
import { expect, test } from "vitest";
import { base64ReadingsOf, readingsOf } from "../../src/redaction/encodings.ts";

test.each([
  ["", []],
  ["plain text, 100 %", []],
  ["a\\/b", ["a/b"]],
  ["a'\\''b", ["a'''b", "a'b"]],
  ["a%41", ["aA"]],
  ["a+%41", ["a+A", "a A"]],
  ["%2B", ["+", " "]],
  ["%252541", ["%2541", "%41"]],
  ["a\\u002b%41", ["a+%41", "a\\u002bA", "a+A", "a A"]],
  ["\\x5cx5cx41", ["\\x5cx41", "\\x41"]],
  ["%", []],
  ["%4g %g4 \\", []],
  ["\\u{0}\\u{110000}\\u0041\\x41\\n\\Z", ["\u0000\ufffdAA\nZ"]],
])("the decodings of %j, apart from the text itself: %j", (text, others) => {
  expect(readingsOf(text).map((reading) => reading.text)).toEqual([text, ...others]);
});

test("a decoded character maps to its whole escape sequence, and a literal character to itself", () => {
  const [, reading] = readingsOf("ab\\u{1f600}cd%41\\x42e");
  expect(reading?.text).toBe("ab😀cd%41Be");
  const places = Array.from("ab😀cd%41Be", (_, start) => reading?.originOf({ start, end: start + 1 }));
  const escape = { start: 2, end: 11 };
  expect(places).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 2 },
    escape,
    escape,
    { start: 11, end: 12 },
    { start: 12, end: 13 },
    { start: 13, end: 14 },
    { start: 14, end: 15 },
    { start: 15, end: 16 },
    { start: 16, end: 20 },
  ]);
  expect(reading?.originOf({ start: 1, end: 5 })).toEqual({ start: 1, end: 12 });
  expect(reading?.originOf({ start: 9, end: 11 })).toEqual({ start: 16, end: 21 });
});

test.each([
  ["no run of six here: abcde", []],
  ["YWJjZA", ["abcd", "X\u0098\u00d9", "&6@", "\u008d\u0090"]],
  ["<YWJjZA>, short, YWJj", ["abcd", "X\u0098\u00d9", "&6@", "\u008d\u0090"]],
])("decodes the bytes in %j", (text, bytes) => {
  expect(Array.from(base64ReadingsOf(text), (reading) => reading.text)).toEqual(bytes);
});

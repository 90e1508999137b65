// The sanitiser under attack: it removes everything that a terminal executes, and leaves plain text unchanged.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitise, sanitiseJson } from "../../src/output/sanitise.ts";
import { expectLinear } from "../support/growth.ts";
import { inFull } from "../support/soak.ts";
import { unicode } from "../support/unicode.ts";

/**
 * Controls, lone surrogates, line and paragraph separators, bidirectional and invisible characters of Unicode, and long
 * runs of combining marks.
 */
const dangerous = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]|\p{M}{5}/u;
const anyText = fc.oneof(
  unicode(),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc.array(fc.integer({ min: 0, max: 0xa0 })).map((codes) => String.fromCharCode(...codes)),
);

test.each([
  ["\u0000", "\\x00"],
  ["\u001b[2J", "\\x1b[2J"],
  ["\u009b", "\\x9b"],
  ["\u00ad", "\\xad"],
  ["\t\n\r", "\\t\\n\\r"],
  ["\u061c", "\\u061c"],
  ["\u202e", "\\u202e"],
  ["\ud83d", "\\ud83d"],
  ["\u{e0041}", "\\u{e0041}"],
  ["a\u0301\u0301\u0301\u0301\u0301b", "a\u0301\u0301\u0301\u0301\\u0301b"],
  ["a\ufe0f", "a\\ufe0f"],
  ["\u2764\ufe0e", "\u2764\\ufe0e"],
])("%j becomes %j", (text, expected) => {
  expect(sanitise(text)).toBe(expected);
});

test.each([
  ['["\u001b"]', '["\\u001b"]'],
  ['[\n"\u202e"\n]', '[\n"\\u202e"\n]'],
  ['["\u{e0041}"]', '["\\udb40\\udc41"]'],
  ['["é漢"]', '["é漢"]'],
  ['["\u2028"]', '["\\u2028"]'],
])("JSON %j becomes %j", (json, expected) => {
  expect(sanitiseJson(json)).toBe(expected);
});

test.each([
  ..."plain 漢字ノート e\u0301 עברית ~\u00a0é".split(" "),
  "Café Métrique",
  "\u{1f600} grin",
  "a — b ‘c’",
  "\u2764\ufe0f heart",
  "กำลัง ที่นี่",
  "हिन्दी क्ष्म्य",
  "שָׁלוֹם",
  "Tiê\u0301ng Viê\u0323t",
  "e\u0301\u0302\u0303\u0304",
  "\u0600\u0661 \u06dd\u0661 \u{110bd}",
  "",
])("%j is left unchanged", (text) => {
  expect(sanitise(text)).toBe(text);
});

describe.each([
  ["colours", "\u001b[31mred\u001b[0m"],
  ["a cleared screen", "\u001b[2J\u001b[H"],
  ["the clipboard (OSC 52)", "\u001b]52;c;cm0gLXJm\u0007"],
  ["8-bit controls", "\u009b31m\u009d8;;https://evil.test\u009c\u0090q\u009c"],
  ["a right-to-left override", "user\u202egnp.exe"],
  ["isolates and marks", "\u2066\u2067\u2068\u2069\u200e\u200f\u061c"],
  ["line ends of all kinds", "a\rb\nc\u2028d\u2029e\u0085f\u000bg\u000ch"],
  ["invisible text", "a\u200bb\u2060c\ufeffd\u00ade"],
  ["lone surrogates", "\ud800a\udc00"],
  ["a flood of marks", `a${"\u0301\u0334\u0489".repeat(40)}`],
  ["variation selectors", "a\ufe0f\ufe01b\u{e0100}\u{e01ef}"],
  ["fillers", "\u115f\u1160\u3164\uffa0\u034f\u17b4\u180b"],
  ["format characters of music and shorthand", "\u{1d173}\u{1bca0}\ufff9\ufffb"],
])("%s", (_, text) => {
  test("becomes a visible escape on one line", () => {
    const clean = sanitise(text);
    expect(clean).not.toBe(text);
    expect(clean).toMatch(/\\/);
    expect(clean).not.toMatch(dangerous);
  });

  test("keeps its value in JSON, without control characters", () => {
    const json = sanitiseJson(JSON.stringify({ text }, null, 2));
    expect(JSON.parse(json)).toEqual({ text });
    expect(json.replaceAll("\n", "")).not.toMatch(dangerous);
  });
});

test("any text becomes one line of visible text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(sanitise(text)).not.toMatch(dangerous);
    }),
    { numRuns: 1000 },
  );
});

test("no single code point produces unsafe output; of the planes without characters, every 97th is tried", () => {
  const passed: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += [0, 1, 2, 3, 14].includes(code >> 16) ? 1 : 97) {
    const clean = sanitise(String.fromCodePoint(code));
    if (dangerous.test(clean)) passed.push(code.toString(16));
  }
  expect(passed).toEqual([]);
});

test("is idempotent, and can clean pieces separately unless a surrogate pair is split", () => {
  fc.assert(
    fc.property(unicode(), unicode(), (left, right) => {
      expect(sanitise(sanitise(left))).toBe(sanitise(left));
      fc.pre(!(/[\ud800-\udbff]$/.test(left) && /^[\udc00-\udfff]/.test(right)));
      // The effect of a mark or a selector depends on the preceding character.
      fc.pre(!/^\p{M}/u.test(right));
      expect(sanitise(left + right)).toBe(sanitise(left) + sanitise(right));
    }),
  );
});

test("JSON of any data keeps its value", () => {
  fc.assert(
    fc.property(fc.dictionary(anyText, anyText), fc.constantFrom(0, 2), (data, indent) => {
      const json = sanitiseJson(JSON.stringify(data, null, indent));
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)));
      expect(json.replaceAll("\n", "")).not.toMatch(dangerous);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["harmless", "a"],
  ["all escapes", "\u001b"],
  ["bidi", "\u202e"],
  ["half pairs", "\ud800"],
  ["emoji", "\u{1f600}"],
  ["marks", "\u0301"],
  ["hearts", "\u2764\ufe0f"],
])("text of several megabytes takes linear time: %s", { tags: "soak" }, (_, unit) => {
  const sanitiseMany = (size: number): void => void sanitise(unit.repeat(size / unit.length));
  expectLinear(sanitiseMany, inFull(40_000, 300_000));
});

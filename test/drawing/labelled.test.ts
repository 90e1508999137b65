// Labelled lines in windows of any width: aligned, complete, and broken only between words.
import * as fc from "fast-check";
import displayWidth from "string-width";
import { expect, test } from "vitest";
import { formatLabelled, readableColours, type Labelled } from "../../src/drawing/labelled.ts";
import { wideRuler } from "../../src/drawing/wide-ruler.ts";

const format = (window: number | null, ...items: readonly Labelled[]): string[] =>
  formatLabelled(items, { window, hasColours: false, ruler: wideRuler }).replace(/\n$/, "").split("\n");
const id: Labelled = { label: "id", lines: ["42"] };

test("long lines break after a blank or a comma and continue at the same indent", () => {
  const note = { label: "note", lines: ["a message of several words, and more"] };
  const scopes = { label: "scopes", lines: ["repo,user,gist,read:org,admin:repo_hook,notifications"] };
  expect(format(36, id, note, scopes)).toEqual([
    "id      42",
    "note    a message of several words,",
    "        and more",
    "scopes  repo,user,gist,read:org,",
    "        admin:repo_hook,",
    "        notifications",
  ]);
});

test("text for pasting is never wrapped", () => {
  const command = "/usr/bin/node grantctl.js sandbox code --base-url http://127.0.0.1:8080";
  expect(format(40, { label: "one-time passwords", lines: [command], isWhole: true })).toEqual([
    "one-time passwords",
    `  ${command}`,
  ]);
});

test("text without blanks breaks between characters, each two columns wide", () => {
  expect(format(32, { label: "note", lines: ["漢字".repeat(8)] })).toEqual([
    "note  漢字漢字漢字漢字漢字漢字漢",
    "      字漢字",
  ]);
});

test("escapes of unsafe characters are not split", () => {
  const lines = format(30, { label: "note", lines: ["ab \u001b\u202e".repeat(20)] });
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.join("").match(/\\x1b\\u202e/g)).toHaveLength(20);
});

test("any text: only a single long word exceeds the window, and every word is present", () => {
  const word = fc.string({
    unit: fc.constantFrom("a", "é", "e\u0301", "\u{1f600}", "-", "ท\u0e35\u0e48"),
    minLength: 1,
  });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 30, max: 100 }),
      (words, window) => {
        const lines = format(window, { label: "token_last_eight", lines: [words.join(" ")] });
        for (const line of lines.filter((text) => displayWidth(text) > window)) {
          expect(line.trim().split(" ")).toHaveLength(1);
        }
        expect(lines.join(" ").split(/ +/)).toEqual(["token_last_eight", ...words]);
      },
    ),
  );
});

test("a label is coloured if it gives a severity and colours are enabled", () => {
  const item: Labelled = { label: "wrong  clock", lines: ["late"], colour: "red" };
  expect(formatLabelled([item], { window: 80, hasColours: true, ruler: wideRuler })).toBe(
    "\u001b[38;2;238;0;0mwrong  clock\u001b[39m  late\n",
  );
  expect(formatLabelled([item], { window: 80, hasColours: false, ruler: wideRuler })).toBe(
    "wrong  clock  late\n",
  );
});

/** The relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(Object.entries(readableColours))("%s is readable on black and on white", (_, hex) => {
  expect((luminance(hex) + 0.05) / 0.05).toBeGreaterThanOrEqual(4.5);
  expect(1.05 / (luminance(hex) + 0.05)).toBeGreaterThanOrEqual(4.5);
});

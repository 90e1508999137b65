// Labelled lines in windows of any width: aligned, complete, and broken only between words.
import { expect, test } from "vitest";
import { formatLabelled, type Labelled } from "../../src/output/labelled.ts";

const format = (window: number | null, ...items: readonly Labelled[]): string[] =>
  formatLabelled(items, window, false).trimEnd().split("\n");

const note = { label: "note", lines: ["a message of several words, and a `command that is pasted`"] };

test("long lines are wrapped beside their label, or below it in a narrow window", () => {
  expect(format(null, { label: "id", lines: ["42"] }, note)).toEqual([
    "id    42",
    "note  a message of several words, and a `command that is pasted`",
  ]);
  expect(format(34, note)).toEqual([
    "note  a message of several words,",
    "      and a",
    "      `command that is pasted`",
  ]);
  expect(format(28, note)).toEqual([
    "note",
    "  a message of several",
    "  words, and a",
    "  `command that is pasted`",
  ]);
});

test("text for pasting is never wrapped, and unsafe characters are escapes", () => {
  const command = "/usr/bin/node grantctl.js sandbox code --base-url http://127.0.0.1:8080";
  expect(format(60, { label: "code", lines: [command], isWhole: true })).toEqual([`code  ${command}`]);
  expect(format(60, { label: "note", lines: ["a\u001b\u202e"] })).toEqual([String.raw`note  a\x1b\u202e`]);
});

test("a label is coloured if it gives a severity and colours are enabled", () => {
  const item: Labelled = { label: "wrong  clock", lines: ["late"], colour: "red" };
  expect(formatLabelled([item], 80, true)).toBe("\u001b[31mwrong  clock\u001b[39m  late\n");
});

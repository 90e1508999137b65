// Labelled lines: aligned, in full, and without control characters.
import { expect, test } from "vitest";
import { formatLabelled } from "../../src/output/formats.ts";

test("lines are aligned, long ones whole, and unsafe characters are escapes", () => {
  const command = `grantctl sandbox code ${"--base-url http://127.0.0.1:8080 ".repeat(5)}`.trim();
  const items = [
    { label: "id", lines: ["42", command] },
    { label: "note", lines: ["a\u001b\u202e"] },
  ];
  expect(formatLabelled(items, false)).toBe(`id    42\n      ${command}\nnote  a\\x1b\\u202e\n`);
});

test("a label is coloured if it gives a severity and colours are enabled", () => {
  const item = { label: "wrong  clock", lines: ["late"], colour: "red" } as const;
  expect(formatLabelled([item], true)).toBe("\u001b[31mwrong  clock\u001b[39m  late\n");
});

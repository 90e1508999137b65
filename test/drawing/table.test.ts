// Tables: they fit the terminal, wide characters stay aligned, and later chunks match the first.
import * as fc from "fast-check";
import displayWidth from "string-width";
import { describe, expect, test } from "vitest";
import { rulerFor, isPlain } from "../../src/drawing/text-width.ts";
import { createTable, type TableOptions } from "../../src/drawing/table.ts";
import { wideRuler } from "../../src/drawing/wide-ruler.ts";
import { inFull } from "../support/soak.ts";
import { unicode } from "../support/unicode.ts";

const plain = { minimum: 1, isWhole: false };
const columnsOf = (...priorities: readonly number[]): TableOptions["columns"] => [
  { title: "ID", minimum: 8, isWhole: true, priority: 1 },
  ...["NOTE", "APP", "SCOPES", "LAST EIGHT", "FINGERPRINT", "UPDATED"].map((title, index) => ({
    ...plain,
    title,
    priority: priorities[index] ?? 1,
  })),
];

/** A table with texts in any script. */
const openTable = (options: TableOptions): ((rows: readonly string[][]) => string) => {
  const table = createTable(options);
  return (rows) => table(rows, wideRuler);
};

const draw = (window: number | null, ...chunks: readonly (readonly string[][])[]): string[] => {
  const table = openTable({ columns: columnsOf(), window, hasColours: false });
  return chunks.map((chunk) => table(chunk));
};
const rowOf = (id: string, app = "app"): string[] => [id, "note", app, "repo", "12ab34cd", "", "2025-01-01"];
const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

test.each([20, 38, 80, null])(
  "whole columns, such as tokens, are complete in a window of %s columns",
  (window) => {
    for (const length of [40, 255, 1024]) {
      const token = "a".repeat(length - 8).padEnd(length, "12345678");
      const table = openTable({ columns: columnsOf(), window, hasColours: false });
      const text = table([rowOf("1")]) + table([rowOf(token), rowOf("2")]);
      expect(linesOf(text).filter((line) => line.split(" ")[0] === token)).toHaveLength(1);
    }
  },
);

describe.each([30, 60, 100, 200])("%i columns", (columns) => {
  test("no line is wider, and each row is one line, whatever it contains", { tags: "soak" }, () => {
    const cell = fc.oneof(
      unicode({ maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom("漢", "a", "é", "e\u0301", "\u{1f600}", "\n", "\u001b", " "),
        maxLength: 80,
      }),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc
            .tuple(fc.stringMatching(/^[1-9]\d{0,19}$/), fc.array(cell, { minLength: 6, maxLength: 6 }))
            .map(([id, others]) => [id, ...others]),
          { minLength: 1, maxLength: 4 },
        ),
        (rows) => {
          const [text = ""] = draw(columns, rows);
          const lines = linesOf(text);
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: inFull(40, 200) },
    );
  });
});

test("nothing is cut in later chunks without a terminal", () => {
  const note = "n".repeat(500);
  const [, text = ""] = draw(
    null,
    [["1", "short", "a", "b", "c", "d", "e"]],
    [["12345678901234567890", note, "a", "b", "c", "d", "e"]],
  );
  expect(text).toContain("12345678901234567890");
  expect(text).toContain(note);
});

test("wide characters, accents and emoji keep the columns aligned", () => {
  const notes = [
    "plain",
    "漢字ノート",
    "Cafe\u0301",
    "\u{1f600} ok",
    "\u2764\ufe0f",
    "한국어",
    "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "ｆｕｌｌ",
    "ท\u0e35\u0e48น\u0e35\u0e48",
    "ש\u05b8ל\u05d5\u05b9ם",
    "\u0301",
    "\ue000 private",
  ];
  const [text = ""] = draw(
    100,
    notes.map((note, index) => [String(index), note, "|APP", "s", "l", "f", "u"]),
  );
  const starts = linesOf(text)
    .slice(1)
    .map((line) => displayWidth(line.slice(0, line.indexOf("|APP"))));
  expect(new Set(starts).size).toBe(1);
});

test("only the first chunk has the header, and the columns stay in position", () => {
  const [first = "", second = ""] = draw(
    100,
    [rowOf("1", "Tidewatch")],
    [rowOf("2", "X"), rowOf("3", "A much longer name")],
  );
  expect(linesOf(first)[0]).toMatch(/^ID +NOTE/);
  expect(second).not.toContain("NOTE");
  const column = linesOf(first)[1]?.indexOf("Tidewatch");
  expect(linesOf(second).map((line) => line.search(/X|A much/))).toEqual([column, column]);
  for (const line of linesOf(second)) expect(line.indexOf("repo")).toBe(linesOf(first)[1]?.indexOf("repo"));
});

test("only the header has colours", () => {
  const table = openTable({
    columns: [{ ...plain, title: "A", priority: 1 }],
    window: 60,
    hasColours: true,
  });
  const [header, row] = linesOf(table([["x\u001b[31m"]]));
  expect(header).toContain("\u001b[1m");
  expect(row).not.toContain("\u001b");
});

describe("a window that is too narrow", () => {
  const rows = [["1234567", "n".repeat(40), "a".repeat(40), "repo", "12ab34cd", "", "1 year ago"]];
  const headers = (window: number, columns: TableOptions["columns"]): string[] => {
    const text = openTable({ columns, window, hasColours: false })(rows);
    for (const line of linesOf(text)) expect(displayWidth(line)).toBeLessThanOrEqual(window);
    return (linesOf(text)[0] ?? "").split(/ {2,}/);
  };

  test("drops columns by their priority", () => {
    const columns = columnsOf(2, 4, 3, 6, 7, 5);
    expect(headers(100, columns)).toHaveLength(7);
    expect(headers(60, columns)).toEqual(["ID", "NOTE", "APP", "SCOPES", "UPDATED"]);
    expect(headers(30, columns)).toEqual(["ID", "NOTE", "SCOPES"]);
  });

  test("a longer id in a later chunk takes its room from texts", () => {
    const table = openTable({ columns: columnsOf(1, 2, 2, 2, 2, 2), window: 30, hasColours: false });
    table(rows);
    const [line = ""] = linesOf(table([["12345678901234567890", "n".repeat(40), "", "", "", "", ""]]));
    expect(line).toBe("12345678901234567890  nnnnnnn…");
  });
});

test("a chunk is drawn alike with the fast ruler and with the one for every script", async () => {
  const cell = fc.string({
    unit: fc.oneof(
      fc.constantFrom("é", "ß", "Ł", "¡", "ÿ", "x", " "),
      fc.integer({ min: 0x20, max: 0x24f }).map((code) => String.fromCharCode(code)),
    ),
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(null, 40, 100),
      async (rows, window) => {
        const options = { columns: columnsOf(), window, hasColours: false };
        expect(createTable(options)(rows, await rulerFor(rows.flat()))).toBe(openTable(options)(rows));
      },
    ),
  );
});

test("every plain character takes one column", () => {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
  expect(characters.length).toBeGreaterThan(300);
  expect(characters.filter((character) => displayWidth(character) !== 1)).toEqual([]);
});

test("a cell in a pipe takes at most 500 columns, and so does the padding of other rows", () => {
  const name = "漢".repeat(1_000_000);
  const rows = [rowOf("1", name), ...Array.from({ length: 99 }, (_, index) => rowOf(String(index + 2)))];
  const [text = ""] = draw(null, rows);
  const lines = linesOf(text);
  expect(lines[1]).toContain(`${"漢".repeat(249)}…`);
  expect(Math.max(...lines.map((line) => displayWidth(line)))).toBeLessThan(600);
  expect(text.length).toBeLessThan(100 * 600);
  // Shorter texts are complete.
  expect(draw(null, [rowOf("1", "n".repeat(500))])[0]).toContain(` ${"n".repeat(500)} `);
  expect(draw(null, [rowOf("1", "n".repeat(501))])[0]).toContain(` ${"n".repeat(499)}… `);
});

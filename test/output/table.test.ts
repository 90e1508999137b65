// Tables: they fit the terminal, wide characters keep the columns straight, and later chunks look like the first.
import * as fc from "fast-check";
import displayWidth from "string-width";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../support/growth.ts";
import { createTable, type TableOptions } from "../../src/output/table.ts";

const plain = { minimum: 1, isWhole: false };
const columnsOf = (...priorities: readonly number[]): TableOptions["columns"] => [
  { title: "ID", minimum: 8, isWhole: true, priority: 1 },
  ...["NOTE", "APP", "SCOPES", "LAST EIGHT", "FINGERPRINT", "UPDATED"].map((title, index) => ({
    ...plain,
    title,
    priority: priorities[index] ?? 1,
  })),
];

const draw = (window: number | null, ...chunks: readonly (readonly string[][])[]): string[] => {
  const table = createTable({ columns: columnsOf(), window, hasColours: false });
  return chunks.map((chunk) => table(chunk));
};
const rowOf = (id: string, app = "app"): string[] => [id, "note", app, "repo", "12ab34cd", "", "2025-01-01"];
const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

describe.each([30, 60, 100, 200])("%i columns", (columns) => {
  test("nothing is wider, and each row is one line, whatever is in it", () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
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
      { numRuns: 200 },
    );
  });
});

test("without a terminal nothing is cut", () => {
  const note = "n".repeat(500);
  const [text = ""] = draw(null, [["1", note, "a", "b", "c", "d", "e"]]);
  expect(text).toContain(note);
});

test("without a terminal nothing is cut in later chunks either", () => {
  const note = "n".repeat(500);
  const [, text = ""] = draw(
    null,
    [["1", "short", "a", "b", "c", "d", "e"]],
    [["12345678901234567890", note, "a", "b", "c", "d", "e"]],
  );
  expect(text).toContain("12345678901234567890");
  expect(text).toContain(note);
});

test("wide characters, accents and emoji leave the columns straight", () => {
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

test("what is cut ends with a mark, and wide characters are not halved", () => {
  const [text = ""] = draw(60, [["1", "漢字".repeat(40), "b".repeat(60), "c", "d", "e", "f"]]);
  const [, line = ""] = linesOf(text);
  expect(line).toContain("…");
  expect(line).not.toContain("\ufffd");
  expect(displayWidth(line)).toBeLessThanOrEqual(60);
});

test("the header comes with the first chunk alone, and the columns stay where they were", () => {
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

test("an id that is longer than those before it keeps every digit", () => {
  const [, second = ""] = draw(100, [rowOf("7")], [rowOf("1234567890123456789")]);
  expect(second).toContain("1234567890123456789");
});

test("an id keeps every digit beside long texts on a narrow terminal", () => {
  const [text = ""] = draw(100, [
    ["1234567890123456789", ..."abcdef".split("").map((unit) => unit.repeat(80))],
  ]);
  expect(text).toContain("1234567890123456789");
});

test("no line ends in blanks", () => {
  const [text = ""] = draw(100, [["1", "", "", "", "", "", ""]]);
  expect(text).not.toMatch(/ \n/);
});

test("colours are in the header alone", () => {
  const table = createTable({
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
    const text = createTable({ columns, window, hasColours: false })(rows);
    for (const line of linesOf(text)) expect(displayWidth(line)).toBeLessThanOrEqual(window);
    return (linesOf(text)[0] ?? "").split(/ {2,}/);
  };

  test("loses columns by their priority", () => {
    const columns = columnsOf(2, 4, 3, 6, 7, 5);
    expect(headers(100, columns)).toHaveLength(7);
    expect(headers(60, columns)).toEqual(["ID", "NOTE", "APP", "SCOPES", "UPDATED"]);
    expect(headers(30, columns)).toEqual(["ID", "NOTE", "SCOPES"]);
  });

  test("keeps the same columns for every chunk", () => {
    const table = createTable({ columns: columnsOf(2, 4, 3, 6, 7, 5), window: 30, hasColours: false });
    table(rows);
    expect(table([["8", "note", "app", "user", "12ab34cd", "print", "now"]])).toBe(
      "8         note          user\n",
    );
  });

  test("a longer id of a later chunk takes its room from texts", () => {
    const table = createTable({ columns: columnsOf(1, 2, 2, 2, 2, 2), window: 30, hasColours: false });
    table(rows);
    const [line = ""] = linesOf(table([["12345678901234567890", "n".repeat(40), "", "", "", "", ""]]));
    expect(line).toBe("12345678901234567890  nnnnnnn…");
  });
});

test("ten times the rows take ten times as long, and texts of megabytes no longer than short ones", () => {
  const page = Array.from({ length: 100 }, (_, index) =>
    rowOf(String(index), index % 7 === 0 ? "漢字" : "app"),
  );
  const drawPages = (pages: number): void => {
    const table = createTable({ columns: columnsOf(), window: 100, hasColours: false });
    for (let count = 0; count < pages; count += 1) table(page);
  };
  expectLinear(drawPages, 2);
  const [text = ""] = draw(100, [["1", "漢".repeat(1_000_000), "", "", "", "", ""]]);
  expect(displayWidth(linesOf(text)[1] ?? "")).toBeLessThanOrEqual(100);
});

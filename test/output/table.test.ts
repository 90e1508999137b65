// Tables: they fit the terminal, wide characters stay aligned, later rows match the first, and tokens are never cut.
import * as fc from "fast-check";
import widthOf from "string-width";
import { describe, expect, test } from "vitest";
import { column } from "../../src/output/presentation.ts";
import { createTable, layOutRows, type TableColumn } from "../../src/output/table.ts";
import { inFull } from "../support/soak.ts";
import { unicode } from "../support/unicode.ts";

const columnsOf = (...priorities: readonly number[]): readonly TableColumn[] => [
  { title: "ID", isWhole: true },
  ...["NOTE", "APP", "SCOPES", "LAST EIGHT", "FINGERPRINT", "UPDATED"].map((title, index) => ({
    title,
    priority: priorities[index] ?? 1,
  })),
];

type Rows = readonly (readonly string[])[];

/** The lines of the chunks; the titles come first. */
function draw(
  window: number,
  columns: readonly TableColumn[],
  ...chunks: readonly Rows[]
): readonly string[] {
  const table = createTable(columns, window, false);
  return chunks.flatMap((rows, index) => {
    table.fit(rows);
    return [...(index === 0 ? [table.drawTitles()] : []), ...table.drawRows(rows)];
  });
}
const rowOf = (id: string, app = "app"): string[] => [id, "note", app, "repo", "12ab34cd", "f", "2025-01-01"];

test.each([20, 38, 80, Infinity])("a longer token in a later chunk is complete in %s columns", (window) => {
  expect(draw(window, columnsOf(), [rowOf("1")])[0]).toMatch(/^ID {2}NOTE/);
  for (const length of [40, 255, 1024]) {
    const token = "a".repeat(length);
    const lines = draw(window, columnsOf(), [rowOf("1")], [rowOf(token), rowOf("2")]);
    expect(lines.filter((line) => line.split(" ")[0] === token)).toHaveLength(1);
  }
});

test("any text: no line is wider than the window, and each row is one line", { tags: "soak" }, () => {
  const cell = fc.oneof(
    unicode({ maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom("漢", "a", "e\u0301", "\u{1f600}", "\n", "\u001b", " "),
      maxLength: 80,
    }),
  );
  const row = fc
    .tuple(fc.stringMatching(/^[1-9]\d{0,19}$/), fc.array(cell, { minLength: 6, maxLength: 6 }))
    .map(([id, others]) => [id, ...others]);
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(30, 60, 100, 200),
      (rows, window) => {
        const lines = draw(window, columnsOf(2, 3, 4, 5, 6, 7), rows);
        expect(lines).toHaveLength(rows.length + 1);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(window);
      },
    ),
    {
      numRuns: inFull(40, 200),
      examples: [
        [
          [
            ["1", "", "漢\n\u{1f600}\u001b\né", "", "", "", ""],
            ["1", "漢漢漢漢漢漢", "", "", "", "", ""],
          ],
          30,
        ],
      ],
    },
  );
});

test("wide characters, accents and emoji keep the columns aligned", () => {
  const notes = ["plain", "漢字ノート", "Cafe\u0301", "\u{1f600} ok", "한국어", "ｆｕｌｌ", "\u0301"];
  const rows = notes.map((note, index) => [String(index), note, "|APP", "s", "l", "f", "u"]);
  const [, ...lines] = draw(100, columnsOf(), rows);
  expect(new Set(lines.map((line) => widthOf(line.slice(0, line.indexOf("|APP"))))).size).toBe(1);
});

test("later chunks keep the columns of the first, and 1,000 rows take linear time", () => {
  const many = Array.from({ length: 1000 }, (_, index) => rowOf(String(index), "A much longer name"));
  const [titles = "", ...lines] = draw(72, columnsOf(), [rowOf("1000", "Tidewatch App"), rowOf("1")], many);
  expect(titles).toMatch(/^ID {4}NOTE {2}APP/);
  expect(lines).toHaveLength(1002);
  for (const line of lines.slice(2)) expect(line).toMatch(/^\d+ +note {2}A much longer … {2}repo /);
});

describe("a window that is too narrow", () => {
  const row = ["1234567", "n".repeat(40), "a".repeat(40), "repo", "12ab34cd", "f", "2025-01-01"];
  const rows = [row, row];
  test.each([
    [120, ["ID", "NOTE", "APP", "SCOPES", "LAST EIGHT", "FINGERPRINT", "UPDATED"]],
    [60, ["ID", "NOTE", "APP", "SCOPES", "UPDATED"]],
    // APP would not be useful; a narrower column is.
    [41, ["ID", "NOTE", "SCOPES", "UPDATED"]],
    [30, ["ID", "NOTE", "SCOPES"]],
  ])("drops columns by their priority: %i", (window, titles) => {
    const lines = draw(window, columnsOf(2, 4, 3, 6, 7, 5), rows);
    expect(lines[0]?.split(/ {2,}/)).toEqual(titles);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(window);
  });
});

const redIfActive = (text: string): "red" | undefined => (text === "active" ? "red" : undefined);

test("colours are on titles and where a column has them", () => {
  const table = createTable([{ title: "STATUS", colourOf: redIfActive }], 60, true);
  const rows = [["active"], ["not-found\u001b[31m"]];
  table.fit(rows);
  expect([table.drawTitles(), ...table.drawRows(rows)]).toEqual([
    "\u001b[1mSTATUS\u001b[22m",
    "\u001b[31mactive\u001b[39m",
    String.raw`not-found\x1b[31m`,
  ]);
});

test("rows to select from are aligned and cut", () => {
  const items = [
    { app: "漢字ノート", scopes: "repo", updated_at: "2026-11-01T00:00:00Z" },
    { app: "Harbour", scopes: "repo,notifications,admin:repo_hook,user", updated_at: "x" },
  ];
  type Item = (typeof items)[number];
  const columns = [
    column<Item>("APP", "app"),
    column<Item>("SCOPES", "scopes", { priority: 2 }),
    column<Item>("UPDATED", "updated_at", { priority: 3 }),
  ];
  const rows = layOutRows(items, columns);
  const { titles, draw: drawRows } = rows.fit(50);
  expect([titles, ...drawRows([1, 0])]).toEqual([
    "APP         SCOPES                      UPDATED",
    "Harbour     repo,notifications,admin:…  x",
    "漢字ノート  repo                        2026-11-01",
  ]);
  expect(rows.texts).toEqual(["漢字ノート repo", "Harbour repo,notifications,admin:repo_hook,user x"]);
});

// Separated rows: one line for each row whatever the cells contain, and no formula for a spreadsheet.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rowFormat } from "../../src/output/formats.ts";
import { sanitise } from "../../src/output/sanitise.ts";
import { unicode } from "../support/unicode.ts";

const cell = fc.oneof(
  unicode(),
  fc.string({
    unit: fc.constantFrom('"', ",", "\t", "\n", "\r", "=", "+", "-", "@", "'", " ", "a", "\u001b", "漢"),
  }),
);
/** A row of these cells as the lists of commands write it; csv below its header. */
function lineOf(cells: readonly string[], isCsv: boolean): string {
  const columns = cells.map((_, index) => ({ title: "T", text: (row: typeof cells) => row[index] ?? "" }));
  const header = isCsv ? `${cells.map(() => "T").join(",")}\r\n` : "";
  const text = rowFormat(columns, isCsv).add([cells]);
  expect(text.startsWith(header)).toBe(true);
  return text.slice(header.length);
}
const tsvLine = (cells: readonly string[]): string => lineOf(cells, false);
const csvRecord = (cells: readonly string[]): string => lineOf(cells, true);

const row = fc.array(cell, { minLength: 1, maxLength: 6 });

test("tsv: one line with the original number of cells", () => {
  fc.assert(
    fc.property(row, (cells) => {
      const line = tsvLine(cells);
      expect(line.endsWith("\n")).toBe(true);
      expect(line.slice(0, -1).replaceAll("\t", "")).not.toMatch(/\p{Cc}/u);
      expect(line.slice(0, -1).split("\t")).toHaveLength(cells.length);
    }),
    { numRuns: 1000 },
  );
});

test("csv: a reader gets each cell back, sanitised and not as a formula", () => {
  fc.assert(
    fc.property(row, (cells) => {
      const record = csvRecord(cells);
      expect(record.endsWith("\r\n")).toBe(true);
      expect(record.slice(0, -2)).not.toMatch(/\p{Cc}/u);
      const read = readCsv(record.slice(0, -2));
      expect(read).toHaveLength(cells.length);
      for (const [index, text] of read.entries()) {
        expect(text).not.toMatch(/^[=+\-@]/);
        const clean = sanitise(cells[index] ?? "");
        expect([clean, `'${clean}`]).toContain(text);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ['=HYPERLINK("http://evil.test","x")', `"'=HYPERLINK(""http://evil.test"",""x"")"`],
  ["\t=1", "\\t=1"],
  ["\r=1", "\\r=1"],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠A1", "'＠A1"],
  ["a=1", "a=1"],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["", '""'],
])("csv of %j is %j", (text, expected) => {
  expect(csvRecord([text])).toBe(`${expected}\r\n`);
});

test("csv: empty cells are empty, except a single one, whose line readers would skip", () => {
  expect(csvRecord(["", ""])).toBe(",\r\n");
  expect(csvRecord(["", "a", ""])).toBe(",a,\r\n");
});

test.each(["=1+1", "+1", "-1", "@A1", "＝1"])("tsv leaves %j unchanged for programs", (text) => {
  expect(tsvLine([text])).toBe(`${text}\n`);
});

/** One record in the format of RFC 4180. */
function readCsv(record: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let text = "";
    if (record[at] === '"') {
      for (at += 1; ; at += 1) {
        if (record[at] !== '"') text += record[at];
        else if (record[at + 1] === '"') text += record[(at += 1)];
        else break;
      }
      at += 1;
    } else {
      while (at < record.length && record[at] !== ",") text += record[at++];
    }
    cells.push(text);
    if (at >= record.length) return cells;
    expect(record[at]).toBe(",");
    at += 1;
  }
}

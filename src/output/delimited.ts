// Lines of tab-separated values and records of CSV (RFC 4180).
//
// Cells contain untrusted text. In tsv, tabs and line ends are escaped, so that every line has the same number of
// cells. In csv, a cell that a spreadsheet would run as a formula is prefixed with an apostrophe.
import { sanitise } from "./sanitise.ts";

/** One line of tab-separated cells, with tabs and line ends in cells escaped. */
export function tsvLine(cells: readonly string[]): string {
  return `${cells.map(sanitise).join("\t")}\n`;
}

/** One CSV record, safe to open in a spreadsheet. */
export function csvRecord(cells: readonly string[]): string {
  // CSV readers skip an empty line, so a single empty cell gets quotes.
  if (cells.length === 1 && cells[0] === "") return '""\r\n';
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** One CSV cell, quoted and neutralised if necessary. */
function csvCell(cell: string): string {
  const text = sanitise(cell);
  // Some localised spreadsheets also evaluate the full-width signs.
  const defused = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

// Lines of tab-separated values and records of CSV (RFC 4180).
//
// A cell is text that others chose. In tsv, tabs and line ends are written as escapes, so that every line has the same
// number of cells. In csv, a cell that a spreadsheet would run as a formula gets an apostrophe in front.
import { sanitise } from "../drawing/sanitise.ts";

/** Matches nearly every cell: these need neither quotes nor an apostrophe. */
const harmless = /^(?![=+\-@])[\x20\x21\x23-\x2b\x2d-\x7e]*$/;

/** One line of tab-separated cells; tabs and line ends inside of a cell are written as escapes. */
export function tsvLine(cells: readonly string[]): string {
  return `${cells.map(sanitise).join("\t")}\n`;
}

/** One CSV record. A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvRecord(cells: readonly string[]): string {
  // CSV readers skip an empty line, so a single empty cell gets quotes.
  if (cells.length === 1 && cells[0] === "") return '""\r\n';
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** One cell of a CSV record. */
export function csvCell(cell: string): string {
  if (harmless.test(cell)) return cell;
  const text = sanitise(cell);
  // Spreadsheets in some languages read the full-width signs as well.
  const defused = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

// The results as a table for a terminal: a line per measure, followed by one per contestant.
import type { Measured, Result, Spread } from "./measure.ts";
import { formatTarget, isMet, type Targets } from "./targets.ts";

/** The table, without a final line feed. `beside` has the measurements of another Node. */
export function formatTable({ results }: Measured, beside: Measured | null, targets: Targets): string {
  const lines = [["", "median", "min", "max", "target"]];
  const marks: string[] = [""];
  for (const result of results) {
    const { name, value, unit, contestants, contestantUnit } = result;
    lines.push([name, ...numbersOf(value, unit), formatTarget(targets[name], unit)]);
    marks.push(wordOf(isMet(result, targets)));
    const other = besideOf(result, beside);
    if (other !== null) {
      lines.push([`  ${nodeOf(beside)}`, ...numbersOf(other.value, unit), ""]);
      marks.push(wordOf(isMet(other, targets)));
    }
    for (const contestant of contestants) {
      lines.push([`  ${contestant.name}`, ...numbersOf(contestant, contestantUnit), ""]);
      marks.push("");
    }
  }
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines
    .map((line, index) => {
      const cells = line.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      );
      return `${cells.join("  ")}  ${marks[index] ?? ""}`.trimEnd();
    })
    .join("\n");
}

/** The result of the same measure on another Node, or null. */
export function besideOf({ name }: Result, beside: Measured | null): Result | null {
  return beside?.results.find((result) => result.name === name) ?? null;
}

/** `Node 20.20.2`; empty if there is none. */
export function nodeOf(measured: Measured | null): string {
  return measured === null ? "" : `Node ${measured.machine.node}`;
}

/** Median, minimum and maximum with their unit. */
export function numbersOf({ median, min, max }: Spread, unit: string): readonly string[] {
  return [median, min, max].map((number) => `${formatNumber(number)} ${unit}`);
}

/** Three significant digits. */
export function formatNumber(number: number): string {
  const size = Math.abs(number);
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

function wordOf(met: boolean | null): string {
  if (met === null) return "";
  return met ? "met" : "MISSED";
}

// The results as a table for a terminal: a line for each measure, and below it one for each contestant.
import type { Result, Spread } from "./measure.ts";
import { formatTarget, isMet, type Targets } from "./targets.ts";

/** The table, without a line feed at its end. */
export function formatTable(results: readonly Result[], targets: Targets): string {
  const lines = [["", "median", "min", "max", "target"]];
  const marks: string[] = [""];
  for (const result of results) {
    const { name, value, unit, contestants, contestantUnit } = result;
    lines.push([name, ...numbersOf(value, unit), formatTarget(targets[name], unit)]);
    marks.push(wordOf(isMet(result, targets)));
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

/** Median, least and most with their unit. */
export function numbersOf({ median, min, max }: Spread, unit: string): readonly string[] {
  return [median, min, max].map((number) => `${formatNumber(number)} ${unit}`);
}

/** Three digits that count. */
export function formatNumber(number: number): string {
  const size = Math.abs(number);
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

function wordOf(met: boolean | null): string {
  if (met === null) return "";
  return met ? "met" : "MISSED";
}

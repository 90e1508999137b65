// The results as a page of the documentation.
import type { Measured, Result } from "./measure.ts";
import { besideOf, formatNumber, nodeOf, numbersOf } from "./report.ts";
import { formatTarget, isMet, type Targets } from "./targets.ts";

/** The page in Markdown. `beside` has the measurements of another Node. */
export function formatPage(own: Measured, beside: Measured | null, targets: Targets): string {
  const { machine, results } = own;
  const other = nodeOf(beside);
  return `# Performance

\`npm run bench\` repeats these measurements and prints the results. With \`--write\`, it also updates this page; with \`--check\`, it
exits with code 1 if a target in \`test/bench/targets.json\` is missed.

Each ratio compares grantctl with the program listed next in [Measured values](#measured-values); for a speed-up, it is the inverse.
The programs take turns, each in its own process, with the server in another process. Targets apply to medians. A script or server
that grantctl is compared with (the floor) is the smallest that does the same work: it validates, retries and stores nothing. One
exception is the script for resets, which writes and syncs as much data as a journal does.

Measured on ${machine.date} with ${nodeOf(own)}${other === "" ? "" : ` and, right after each measure, ${other}`}, ${machine.system}, ${machine.processors}, ${machine.memory} of memory.

![Time that grantctl and gh take for the same tasks, on a logarithmic axis](performance.svg)

| measure | description | median | min | max | target | | ${other} |
|---|---|--:|--:|--:|--:|---|--:|
${results.map((result) => lineOf(result, besideOf(result, beside), targets)).join("\n")}
${behindOf(results, targets)}
## Measured values

| measure | program | median | min | max |
|---|---|--:|--:|--:|
${results.flatMap(contestantLines).join("\n")}
${notesOf(results)}`;
}

function lineOf(result: Result, other: Result | null, targets: Targets): string {
  const { name, says, value, unit } = result;
  const met = isMet(result, targets);
  const word = met === null ? "" : met ? "met" : "missed";
  const beside = other === null ? "" : `${formatNumber(other.value.median)} ${unit}`;
  return row([name, says, ...numbersOf(value, unit), formatTarget(targets[name], unit), word, beside]);
}

function behindOf(results: readonly Result[], targets: Targets): string {
  const lines = results
    .filter((result) => isMet(result, targets) === false)
    .map(({ name }) => `- ${name}: ${targets[name]?.behind ?? "not investigated"}`);
  return lines.length === 0 ? "" : `\n## Missed targets\n\n${lines.join("\n")}\n`;
}

function contestantLines({ name, contestants, contestantUnit }: Result): readonly string[] {
  return contestants.map((contestant) =>
    row([name, contestant.name, ...numbersOf(contestant, contestantUnit)]),
  );
}

function notesOf(results: readonly Result[]): string {
  const notes = results.flatMap(({ name, note }) => (note === undefined ? [] : [`- ${name}: ${note}`]));
  return notes.length === 0 ? "" : `\n${notes.join("\n")}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

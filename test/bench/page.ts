// The results as a page of the documentation.
import type { Measured, Result } from "./measure.ts";
import { besideOf, formatNumber, nodeOf, numbersOf } from "./report.ts";
import { formatTarget, isMet, type Targets } from "./targets.ts";

/** The page in Markdown. `beside` is what another Node measured. */
export function formatPage(own: Measured, beside: Measured | null, targets: Targets): string {
  const { machine, results } = own;
  const other = nodeOf(beside);
  return `# How fast it is

Written by \`npm run bench -- --write\`; \`npm run bench\` measures again and prints, \`npm run bench -- --check\` exits with 1
where a target of \`test/bench/targets.json\` is missed. Every ratio compares programs that ran by turns in one run, each
in a process of its own, against a server in another; what counts is the median. Floors are the smallest scripts that do
the same: they check nothing, repeat nothing and keep nothing, but for the floor of a reset, which writes to the disk as much
as a journal does and waits for it as often.

Measured on ${machine.date} with ${nodeOf(own)}${other === "" ? "" : ` and, right after each measure, ${other}`}, ${machine.system}, ${machine.processors}, ${machine.memory} of memory.

![Time that grantctl and gh take for the same tasks, on a logarithmic axis](performance.svg)

| measure | what | median | min | max | target | | ${other} |
|---|---|--:|--:|--:|--:|---|--:|
${results.map((result) => lineOf(result, besideOf(result, beside), targets)).join("\n")}
${behindOf(results, targets)}
## What each took

| measure | | median | min | max |
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
    .map(({ name }) => `- ${name}: ${targets[name]?.behind ?? "not looked into"}`);
  return lines.length === 0 ? "" : `\n## What is behind, and why\n\n${lines.join("\n")}\n`;
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

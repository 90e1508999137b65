// grantctl beside gh in one figure: a line per task, a dot for each program on a logarithmic axis of time, and the
// result as the title. Readable on light and dark pages.
import type { Result } from "./measure.ts";

/** The tasks of both programs, in the order of the figure. */
const tasks: Readonly<Record<string, string>> = {
  "start-version": "--version",
  "start-help": "--help",
  "gh-json": "one page of 100 as JSON",
  "gh-first-line": "first line of a list",
  "gh-csv": "1,000 pages as csv (gh: JSON)",
  "gh-ndjson": "1,000 pages as JSON lines",
  "gh-jq": "1,000 pages through --jq",
  "gh-latency": "100 pages, 20 ms latency",
};
const lists = ["gh-csv", "gh-ndjson", "gh-jq", "gh-latency"];

const width = 760;
const left = 250;
const right = 720;
const top = 70;
const lineHeight = 30;
const marks = [10, 30, 100, 300, 1000, 3000];

interface Row {
  readonly name: string;
  readonly ours: number;
  readonly gh: number;
}

/** The picture of the measured tasks as SVG. */
export function drawPicture(results: readonly Result[]): string {
  const rows = Object.keys(tasks).flatMap((name) => rowOf(results, name));
  const bottom = top + rows.length * lineHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 40}" width="${width}" height="${bottom + 40}" role="img" aria-label="${takeaway(rows)}">
<style>
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
  .title { font-weight: 600; font-size: 14px } .axis { fill: #57606a } line { stroke: #d0d7de } .gap { stroke: #8c959f; stroke-width: 2 }
  .ours { fill: #1a7f37 } .gh { fill: #6e7781 }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de } .axis { fill: #8b949e } line { stroke: #30363d } .gap { stroke: #6e7681 } .ours { fill: #57ab7a } .gh { fill: #8b949e } }
</style>
<text class="title" x="10" y="22">${takeaway(rows)}</text>
<circle class="ours" cx="16" cy="44" r="6"/><text x="28" y="48">grantctl</text>
<circle class="gh" cx="116" cy="44" r="6"/><text x="128" y="48">gh</text>
${marks.map((mark) => drawMark(mark, bottom)).join("\n")}
${rows.map((row, at) => drawRow(row, top + (at + 0.5) * lineHeight)).join("\n")}
</svg>
`;
}

function rowOf(results: readonly Result[], name: string): readonly Row[] {
  const contestants = results.find((result) => result.name === name)?.contestants ?? [];
  const [ours] = contestants;
  const gh = contestants.find((contestant) => contestant.name.startsWith("gh "));
  return ours === undefined || gh === undefined ? [] : [{ name, ours: ours.median, gh: gh.median }];
}

function takeaway(rows: readonly Row[]): string {
  const factors = rows.filter(({ name }) => lists.includes(name)).map(({ ours, gh }) => gh / ours);
  const one = rows.find(({ name }) => name === "gh-json");
  const more = one === undefined ? "" : `; one request takes ${(one.ours - one.gh).toFixed(0)} ms more`;
  return `Lists arrive ${Math.min(...factors).toFixed(1)} to ${Math.max(...factors).toFixed(1)} times as fast as with gh${more}`;
}

function xOf(ms: number): number {
  const [first = 1, last = 1] = [marks[0], marks.at(-1)];
  return left + ((right - left) * Math.log(ms / first)) / Math.log(last / first);
}

function drawMark(ms: number, bottom: number): string {
  const x = xOf(ms).toFixed(1);
  const text = ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
  return `<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/><text class="axis" x="${x}" y="${bottom + 20}" text-anchor="middle">${text}</text>`;
}

function drawRow({ name, ours, gh }: Row, y: number): string {
  const [from, to] = [xOf(ours).toFixed(1), xOf(gh).toFixed(1)];
  return `<text x="${left - 14}" y="${y + 4}" text-anchor="end">${tasks[name] ?? name}</text>
<line class="gap" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/><circle class="gh" cx="${to}" cy="${y}" r="6"/><circle class="ours" cx="${from}" cy="${y}" r="6"/>`;
}

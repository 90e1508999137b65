// grantctl beside its peers as a picture: for each work a bar for each program that did it, as long as it took.
// Readable on light and dark pages.
import { formatNumber } from "./report.ts";
import type { Contestant, Result } from "./measure.ts";

/** What is drawn, as far as it was measured. */
const drawnNames = [
  "start-version",
  "start-help",
  "start-json",
  "gh-json",
  "gh-first-line",
  "gh-ndjson",
  "gh-csv",
  "gh-jq",
  "gh-latency",
];

const width = 760;
const labelWidth = 250;
const valueWidth = 100;
const lineHeight = 20;
const barHeight = 12;
const titleHeight = 30;

/** The picture as SVG. */
export function drawPicture(results: readonly Result[]): string {
  const drawn = results.filter(({ name }) => drawnNames.includes(name));
  const parts: string[] = [];
  let y = 0;
  for (const result of drawn) {
    parts.push(
      `<text class="title" x="10" y="${y + titleHeight - 8}">${escapeXml(titleOf(result))}</text>`,
      ...drawWork(result, y + titleHeight),
    );
    y += titleHeight + result.contestants.length * lineHeight;
  }
  const height = y + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="how long grantctl and other programs take for the same work">
<style>
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
  .title { font-weight: 600 } .ours { fill: #2f7d4f } .peer { fill: #8c959f }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de } .ours { fill: #57ab7a } .peer { fill: #6e7681 } }
</style>
${parts.join("\n")}
<text x="10" y="${height - 8}">the median of runs by turns; a longer bar is slower</text>
</svg>
`;
}

function titleOf({ says }: Result): string {
  return says.replace(/: how many times.*/, "");
}

function drawWork({ contestants, contestantUnit }: Result, top: number): readonly string[] {
  const most = Math.max(...contestants.map(({ median }) => median));
  return contestants.map((contestant, index) =>
    drawBar(contestant, index === 0, contestant.median / most, contestantUnit, top + index * lineHeight),
  );
}

function drawBar(
  { name, median }: Contestant,
  isOurs: boolean,
  share: number,
  unit: string,
  y: number,
): string {
  const baseline = y + barHeight - 1;
  const length = (width - labelWidth - valueWidth) * share;
  return `<text x="${labelWidth - 10}" y="${baseline}" text-anchor="end">${escapeXml(name)}</text>
<rect class="${isOurs ? "ours" : "peer"}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>
<text x="${(labelWidth + length + 8).toFixed(1)}" y="${baseline}">${formatNumber(median)} ${unit}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

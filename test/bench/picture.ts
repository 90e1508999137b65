// The ratios as a picture: a bar for each that has a target, drawn against it. Readable on light and dark pages.
import { formatNumber } from "./report.ts";
import type { Result } from "./measure.ts";
import { isMet, type Targets } from "./targets.ts";

const width = 760;
const labelWidth = 170;
const valueWidth = 130;
const lineHeight = 26;
const barHeight = 14;
/** The target stands here, between the label and the end of the longest bar. */
const targetShare = 0.66;

/** The picture as SVG. */
export function drawPicture(results: readonly Result[], targets: Targets): string {
  const drawn = results.filter(({ name }) => targets[name] !== undefined);
  const height = drawn.length * lineHeight + 44;
  const room = width - labelWidth - valueWidth;
  const targetAt = labelWidth + room * targetShare;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="each measure as a share of its target">
<style>
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
  .met { fill: #2f7d4f } .missed { fill: #b3541e } .target { stroke: #57606a; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de } .met { fill: #57ab7a } .missed { fill: #e0823d } .target { stroke: #8b949e } }
</style>
<text x="${targetAt}" y="16" text-anchor="middle">target</text>
<line class="target" x1="${targetAt}" y1="22" x2="${targetAt}" y2="${height - 18}"/>
${drawn.map((result, index) => drawBar(result, targets, 30 + index * lineHeight, room)).join("\n")}
<text x="${labelWidth}" y="${height - 4}">a shorter bar is better; what is to be large is drawn upside down</text>
</svg>
`;
}

function drawBar(result: Result, targets: Targets, y: number, room: number): string {
  const { name, value, unit } = result;
  const { most, least } = targets[name] ?? {};
  const share = most === undefined ? (least ?? 0) / value.median : value.median / most;
  const length = Math.min(1, (Number.isFinite(share) ? share : 10) * targetShare) * room;
  const kind = isMet(result, targets) === true ? "met" : "missed";
  const baseline = y + barHeight - 3;
  const sign = most === undefined ? "≥" : "≤";
  return `<text x="${labelWidth - 10}" y="${baseline}" text-anchor="end">${name}</text>
<rect class="${kind}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>
<text x="${width}" y="${baseline}" text-anchor="end">${formatNumber(value.median)} ${unit} ${sign} ${most ?? least ?? ""}</text>`;
}

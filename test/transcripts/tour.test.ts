// docs/tour.svg, the picture in the README: the lines below on a terminal, and what stands there, as text. It fails when
// the program's words have changed; `npm run transcripts` draws it again. Lines light up one after the other, and what
// does not animate shows them all.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { noTerminalReason } from "../support/terminal.ts";
import { openWorld } from "./recorder.ts";

const picture = fileURLToPath(new URL("../../docs/tour.svg", import.meta.url));
const columns = 104;

const lines = [
  "# an account's owner sees who has access, and removes one application",
  "grantctl grant list --sort created",
  "grantctl grant delete 2 --yes",
  "",
  "# a script creates a token: a token or an error, never an empty string",
  "TOKEN=$(grantctl authorization create --note ci --scope repo --machine-fingerprint) || exit",
  'echo "$TOKEN" | grantctl authorization identify',
  "",
  "# an application's owner revokes leaked tokens; the second run proves it",
  "grantctl token check < leaked.txt",
  "grantctl token revoke --yes --proof-token-file active.txt < leaked.txt",
  "grantctl token revoke --yes --proof-token-file active.txt < leaked.txt",
];

const cell = { width: 8.4, height: 20 };
const margin = 20;
const bar = 34;
const colours = new Map([
  [2, "#8b949e"],
  [31, "#ff7b72"],
  [32, "#7ee787"],
  [33, "#e3b341"],
  [36, "#79c0ff"],
]);

const whyNot = process.versions.node.startsWith("20.") ? noTerminalReason : "it is drawn with Node 20";

test.skipIf(whyNot !== null)("docs/tour.svg shows what the program prints now", async () => {
  const world = await openWorld();
  try {
    await world.startSandbox("--grants 4 --authorizations 12");
    await world.run(
      "head -2 tokens.txt > leaked.txt; cp token-3.txt active.txt; chmod 600 active.txt",
      0,
      [],
    );
    const script = lines.map((line) => `${typed(line)}\n${line}`).join("\n");
    const drawn = draw(await world.show(script, columns));
    if (process.env["UPDATE"] === "1") writeFileSync(picture, drawn);
    expect(readFileSync(picture, "utf8"), "`npm run transcripts` draws it again").toBe(drawn);
  } finally {
    await world.close();
  }
});

/** Shows a line as if somebody typed it. */
function typed(line: string): string {
  if (line === "") return "echo";
  const shown = `'${line.replaceAll("'", String.raw`'\''`)}'`;
  return line.startsWith("#")
    ? String.raw`printf '\033[2m%s\033[0m\n' ${shown}`
    : String.raw`printf '\033[36m$\033[0m \033[1m%s\033[0m\n' ${shown}`;
}

function draw(screen: readonly string[]): string {
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = screen.length * cell.height + bar + 2 * margin;
  let time = -1;
  const rows = screen.map((line, index) => {
    // A typed line takes its time, and what it prints comes at once.
    time += /^\u001b\[0m\u001b\[(?:36|2)m/.test(line) ? 1 : 0.06;
    const y = bar + margin + (index + 0.75) * cell.height;
    return `<text class="line" style="animation-delay:${time.toFixed(2)}s" x="${margin}" y="${y}" xml:space="preserve">${drawLine(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="grantctl on a terminal">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9; }
.line { animation: appear 0.3s both; }
@keyframes appear { from { opacity: 0.3; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { .line { animation: none; } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="24" cy="20" r="6" fill="#ff5f57"/><circle cx="44" cy="20" r="6" fill="#febc2e"/><circle cx="64" cy="20" r="6" fill="#28c840"/>
${rows.join("\n")}
</svg>
`;
}

/** A line of the screen as SVG. */
function drawLine(line: string): string {
  let attributes = "";
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
      if (codes === undefined) return part === "" ? "" : `<tspan${attributes}>${escapeXml(part)}</tspan>`;
      for (const code of codes.split(";").map(Number)) {
        const colour = colours.get(code);
        if (code === 1) attributes += ' font-weight="700" fill="#f0f6fc"';
        else attributes = colour === undefined ? "" : ` fill="${colour}"`;
      }
      return "";
    })
    .join("");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

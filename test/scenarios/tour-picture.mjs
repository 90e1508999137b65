// Draws docs/tour.svg, the picture in the README: runs the lines below on a terminal, inside `grantctl sandbox run`, and
// sets what really stood there as text. Lines light up one after the other, as a recording would show them, and what does
// not animate shows them all. Run by `npm run picture`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/grantctl.js", import.meta.url));
const picture = fileURLToPath(new URL("../../docs/tour.svg", import.meta.url));
const columns = 112;

const lines = [
  "# an account owner looks at who has access, and takes one away",
  "grantctl grant list --sort created",
  "grantctl grant delete 2 --yes",
  "",
  "# a script creates a token for this machine: a token or an error, never an empty string",
  "TOKEN=$(grantctl authorization create --note 'ci' --scope repo --machine-fingerprint) || exit",
  'echo "$TOKEN" | grantctl authorization identify',
  "",
  "# an app owner answers a leak: the new values go to a private file, and nowhere else",
  "grantctl token check --jq .app.name < leaked.txt",
  "grantctl token reset --yes --output-file new.txt < leaked.txt; ls -l new.txt | cut -c1-10",
  "grantctl token check < leaked.txt",
];

const cell = { width: 8.4, height: 20 };
const margin = 20;
const bar = 34;
const colours = { 2: "#8b949e", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff" };

/** What stood on the terminal, a line each, escape sequences for colours included. */
function runOnTerminal() {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-tour-"));
  try {
    symlinkSync(program, join(folder, "grantctl"));
    writeFileSync(join(folder, "leaked.txt"), `${process.env.GRANTCTL_TOKEN}\n`);
    const script = lines
      .map((line) =>
        line === "" ? "echo" : `printf '\\033[36m$\\033[0m \\033[1m%s\\033[0m\\n' ${quote(line)}\n${line}\n`,
      )
      .map((line) => (line.includes("# ") ? line.replace("[36m$\\033[0m \\033[1m%s", "[2m%s") : line))
      .join("\n");
    const { stdout, status } = spawnSync(
      "script",
      ["-qec", `stty cols ${columns}; sh ${quote(save(folder, script))}`, "/dev/null"],
      {
        cwd: folder,
        env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, SHELL: "/bin/sh", TERM: "xterm" },
        encoding: "utf8",
      },
    );
    // The last line is a refusal on purpose.
    if (status !== 3) throw new Error(`the lines ended with ${status}:\n${stdout}`);
    return stdout.replaceAll("\r", "").trimEnd().split("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function save(folder, script) {
  const path = join(folder, "lines.sh");
  writeFileSync(path, script);
  return path;
}

function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A line of the terminal as SVG. */
function draw(line) {
  let attributes = "";
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
      if (codes === undefined) return part === "" ? "" : `<tspan${attributes}>${escape(part)}</tspan>`;
      for (const code of codes.split(";").map(Number)) {
        if (code === 1) attributes += ' font-weight="700" fill="#f0f6fc"';
        else if (code in colours) attributes = ` fill="${colours[code]}"`;
        else attributes = "";
      }
      return "";
    })
    .join("");
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const shown = runOnTerminal();
const width = Math.ceil(columns * cell.width + 2 * margin);
const height = shown.length * cell.height + bar + 2 * margin;
let time = -1;
const rows = shown.map((line, index) => {
  // A typed line takes its time, and what it prints comes at once.
  time += /^\u001b\[(?:36|2)m/.test(line) ? 1 : 0.06;
  const y = bar + margin + (index + 0.75) * cell.height;
  return `<text class="line" style="animation-delay:${time.toFixed(2)}s" x="${margin}" y="${y}" xml:space="preserve">${draw(line)}</text>`;
});
writeFileSync(
  picture,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="grantctl on a terminal">
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
`,
);

// The audit as one HTML file without scripts or requests: the rows and columns of the table, in light and dark, on a
// telephone and on paper. Every text goes through `shown`, so names that others chose are text, and cannot reorder what
// stands around them.
import { sanitise } from "../output/sanitise.ts";
import { auditPresentation, isBelowGrant, type JudgedRow } from "./rows.ts";

export interface PageFacts {
  readonly account: string;
  readonly server: string;
  /** ISO 8601. */
  readonly time: string;
  /** True if single sign-on has cut the lists. */
  readonly isCut: boolean;
  /** The number of rows, and of those with findings, in words. */
  readonly counts: string;
  /** As they are typed. */
  readonly rules: readonly string[];
}

const { columns } = auditPresentation;

export function auditPage(rows: readonly JudgedRow[], facts: PageFacts): string {
  return `${pageHead(facts)}${rows.map(rowHtml).join("")}</tbody></table></main></body></html>\n`;
}

function shown(text: string): string {
  return sanitise(text).replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function rowHtml({ row, severity }: JudgedRow): string {
  const cells = columns.map(({ title, field, text }) => {
    // `dir` keeps a name in its own direction, and the time of day is of no use to a reviewer.
    const cell = text(row).replace(/^(\d{4}-\d\d-\d\d)T\S*$/, "$1");
    const content = shown(cell).replaceAll(/,(?=\S)/g, ",<wbr>");
    return field === "name"
      ? `<th scope="row" dir="auto">${content}</th>`
      : `<td data-label="${title}" dir="auto">${content}</td>`;
  });
  return `<tr class="${isBelowGrant(row) ? "below " : ""}severity-${severity}">${cells.join("")}</tr>\n`;
}

function pageHead({ account, server, time, isCut, counts, rules }: PageFacts): string {
  const title = shown(`Who has access to ${account}`);
  const headings = columns.map((column) => `<th scope="col">${column.title}</th>`);
  return `<!doctype html>
<html lang="en"><head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head><body><main>
<h1>${title}</h1>
<p>${shown(server)}, ${time.slice(0, 16).replace("T", " ")} UTC. ${shown(counts)}.</p>
<p>Rules: ${shown(rules.join(", "))}.</p>
${isCut ? `<p class="cut">Incomplete: single sign-on hides a part of the lists.</p>` : ""}
<table><thead><tr>${headings.join("")}</tr></thead><tbody>
`;
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.45 system-ui, sans-serif; --line: #8886; --high: #a3211a; }
@media (prefers-color-scheme: dark) { :root { --high: #ff9c92; } }
body { margin: 0; background: Canvas; color: CanvasText; } main { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: start; vertical-align: top; padding: .5rem 1rem .5rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
thead th { border: 0; white-space: nowrap; } .below th { font-weight: inherit; padding-inline-start: 1rem; }
td:last-child { font-family: monospace; } .severity-2 td:nth-last-child(2) { color: var(--high); font-weight: bold; }
.cut { border-left: .3rem solid var(--high); padding-left: .75rem; }
@media (max-width: 40rem) {
  thead { position: absolute; left: -100vw; } tr { display: flex; flex-direction: column; } th { order: -1; } tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  th, td { border: 0; padding: .1rem 0; } td::before { content: attr(data-label) ": "; } td:empty { display: none; }
}
@media (min-width: 60rem) { td:last-child { min-width: 16rem; } }
@media (min-width: 40rem) { th[scope="row"] { min-width: 8rem; } td:first-child, td:nth-child(2), td[data-label="ACCESS"], td[data-label$="ATED"] { white-space: nowrap; } }
@media print { tr { break-inside: avoid; } }
`;

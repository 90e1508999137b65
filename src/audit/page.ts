// The audit as one HTML file without scripts or requests: how many findings there are, then each application and personal
// token, the worst first, with its tokens, findings and the command that ends it. Light and dark, on a telephone and on
// paper. Texts that others chose are escaped by hono, and cannot reorder what stands around them.
import { html, raw } from "hono/html";
import { sanitise } from "../output/sanitise.ts";
import { cellText } from "../output/presentation.ts";
import type { Judged } from "./rows.ts";

export interface PageFacts {
  readonly account: string;
  readonly server: string;
  /** ISO 8601. */
  readonly time: string;
  /** True if single sign-on has cut the lists. */
  readonly isCut: boolean;
}

const headings = ["What", "Access", "Dates", "Findings"]
  .map((heading) => `<th scope="col">${heading}</th>`)
  .join("");

const severityNames = ["", "low", "medium", "high"];

/** The text of a template; hono escapes what stands in it. None of them waits for anything. */
function textOf(template: ReturnType<typeof html>): string {
  if (template instanceof Promise) throw new TypeError("a part of the page is not there yet");
  return template.toString();
}

/** The pieces of the page. */
export function* auditPage(rows: readonly Judged[], facts: PageFacts): Generator<string> {
  const counts = [3, 2, 1].map((severity) => {
    const count = rows.filter((each) => each.severity === severity).length;
    return `${count} ${severityNames[severity]}`;
  });
  const title = `Who has access to ${sanitise(facts.account)}`;
  yield `<!doctype html>\n<html lang="en">`;
  yield textOf(
    html`<head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${raw(style)}
      </style>
    </head>`,
  );
  yield "<body><main>";
  yield textOf(
    html`<h1>${title}</h1>
      <p>
        ${sanitise(facts.server)}, ${facts.time.slice(0, 16).replace("T", " ")} UTC. ${rows.length} grants and
        authorizations; findings: ${counts.join(", ")}.
      </p>
      ${facts.isCut ? html`<p class="cut">Incomplete: single sign-on hides a part of the lists.</p>` : ""}`,
  );
  yield `<table><thead><tr>${headings}</tr></thead><tbody>`;
  for (const row of rows) yield textOf(rowHtml(row));
  yield "</tbody></table></main></body></html>\n";
}

function rowHtml({ row, severity }: Judged) {
  const { resource, id, name, note, access, scopes, findings, command, client_id } = row;
  const label = severityNames[severity] ?? "";
  const isBelow = resource === "authorization" && client_id !== null;
  return html`<tr class="${isBelow ? "below" : ""}">
    <th scope="row">
      <bdi>${sanitise(name)}</bdi>
      <small
        >${resource}
        ${cellText(id)}${note === null || note === name ? "" : html`, <bdi>${sanitise(note)}</bdi>`}</small
      >
    </th>
    <td data-label="Access">
      ${access}<small>${scopes === null ? "scopes not reported" : sanitise(scopes.join(", "))}</small>
    </td>
    <td data-label="Dates">
      <small>created ${dayOf(row.created_at)}</small><small>updated ${dayOf(row.updated_at)}</small>
      ${row.expires_at === null ? "" : html`<small>expires ${dayOf(row.expires_at)}</small>`}
    </td>
    <td data-label="Findings" class="${findings.length === 0 ? "none" : ""}">
      ${label === "" ? "" : html`<span class="mark ${label}">${label}</span> `}${sanitise(
        findings.map(({ measure }) => measure).join("; "),
      )}${command === null ? "" : html`<code>${sanitise(command)}</code>`}
    </td>
  </tr> `;
}

const dayOf = (date: string | null): string => (date === null ? "not reported" : sanitise(date.slice(0, 10)));

const style = `
:root { color-scheme: light dark; font: 1rem/1.45 system-ui, sans-serif; --line: #8886; }
body { margin: 0; background: Canvas; color: CanvasText; } main { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
thead th:nth-child(1) { width: 30%; } thead th:nth-child(2) { width: 20%; } thead th:nth-child(3) { width: 12rem; }
th, td { text-align: left; vertical-align: top; font-weight: inherit; padding: .5rem 1rem .5rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { font-weight: bold; border: 0; } tbody th { font-weight: bold; min-width: 9rem; }
.below th { padding-left: 1.5rem; font-weight: inherit; }
small, code { display: block; font-size: .85rem; font-weight: normal; }
code { margin-top: .25rem; padding: .2rem .4rem; width: fit-content; background: #eee; color: #111; }
.mark { padding: 0 .5rem; border-radius: 1rem; font-size: .85rem; color: #fff; background: #50647a; }
.high { background: #a3211a; } .medium { background: #7d4a00; }
td:nth-of-type(2) { white-space: nowrap; }
.cut { border-left: .3rem solid #a3211a; padding-left: .75rem; }
@media (max-width: 40rem) {
  thead { position: absolute; left: -100vw; } tr, th, td { display: block; } tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  th, td { border: 0; padding: .1rem 0; } td::before { content: attr(data-label) ": "; font-weight: bold; }
  td.none { display: none; }
  .below th { padding-left: 0; }
}
@media (prefers-color-scheme: dark) { code { background: #262626; color: #eee; } }
@media print { tr { break-inside: avoid; } code { background: none; border: 1px solid var(--line); } }
`;

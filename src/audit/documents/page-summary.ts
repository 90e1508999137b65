// What the audit's page says before its lists: the account, the numbers, and how far what has access reaches.
import { withCommas } from "../../errors/words.ts";
import { breadthNames, type BreadthName } from "../breadth.ts";
import { accessInWords, breadthInWords, broadCount, countOf, sizeOf, type Report } from "../report.ts";
import type { Summary } from "./audit-schema.ts";
import { cutText } from "./cut.ts";
import { chosen, html, type Markup } from "./html.ts";

/** The head of the page: whose access it is, in a few sentences and numbers. */
export function overview(report: Report, summary: Summary): Markup {
  const { account, base_url, operator, now } = report;
  const today = new Date(now);
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(today);
  return html`<header>
    <p class="eyebrow">Access audit</p>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(base_url))}, operator ${operator}, on
      <time datetime="${today.toISOString().slice(0, 10)}">${day}</time>
    </p>
    <p class="lead">${leadOf(summary)}</p>
    <dl class="tiles">
      ${tile("Applications", summary.grants)} ${tile("Tokens", summary.authorizations)}
      ${tile("Approved credentials", summary.credentials)}
      ${tile("Items with findings", summary.items_with_findings, summary.items_with_findings > 0 ? "warn" : "good")}
      ${tile("Changes since the snapshot", summary.changes)}
    </dl>
  </header> `;
}

function tile(title: string, count: number | null, kind = ""): Markup | null {
  if (count === null) return null;
  return html`<div class="${kind}">
    <dt>${title}</dt>
    <dd>${withCommas(count)}</dd>
  </div> `;
}

/** The three sentences at the top, for readers who read no further. */
function leadOf(summary: Summary): string {
  const broad = broadCount(summary);
  const kinds = summary.change_kinds.filter(({ count }) => count > 0);
  const total = (summary.grants ?? 0) + (summary.authorizations ?? 0) + (summary.credentials ?? 0);
  const access =
    total === 0 ? "Nothing has access." : `${accessInWords(summary)} ${total === 1 ? "has" : "have"} access.`;
  const power =
    broad === 0
      ? "None of them may administer, delete or do everything."
      : `${withCommas(broad)} of them may administer, delete or do everything.`;
  const found =
    summary.items_with_findings === 0
      ? "Nothing was found that needs a decision."
      : `${countOf(summary.items_with_findings, "item needs", "items need")} a decision: the most serious come first below.`;
  const changed =
    summary.changes === null
      ? []
      : [
          kinds.length === 0
            ? "Nothing changed since the snapshot."
            : `Since the snapshot: ${kinds.map(({ change, count }) => `${withCommas(count)} ${change}`).join(", ")}.`,
        ];
  return [access, ...(total === 0 ? [] : [power]), found, ...changed].join(" ");
}

/** The class that colours a breadth. */
function classOf(breadth: BreadthName): string {
  return breadth === "unknown" ? "bu" : `b${breadthNames.indexOf(breadth)}`;
}

/** How far what has access reaches, as one bar and its legend. */
export function reach({ breadths }: Summary): Markup {
  const present = breadths.filter((count) => sizeOf(count) > 0);
  const total = present.reduce((sum, count) => sum + sizeOf(count), 0);
  if (total === 0) return html``;
  let left = 0;
  const parts = present.map((count) => {
    const width = (sizeOf(count) / total) * 100;
    const part = html`<rect
      class="${classOf(count.breadth)}"
      x="${left.toFixed(2)}%"
      width="${width.toFixed(2)}%"
      height="100%"
    />`;
    left += width;
    return part;
  });
  return html`<section aria-labelledby="reach">
    <h2 id="reach">How far it reaches</h2>
    <svg class="share" aria-hidden="true">${parts}</svg>
    <ul class="legend">
      ${present.map(
        (count) =>
          html`<li>
            <svg aria-hidden="true"><rect class="${classOf(count.breadth)}" width="100%" height="100%" /></svg
            >${count.breadth === "unknown" ? "unknown scopes alone" : breadthInWords(count.breadth)}:
            ${withCommas(sizeOf(count))}
          </li> `,
      )}
    </ul>
  </section> `;
}

// The audit as one HTML file that needs nothing else: no script, no request, a policy that allows neither. Summary and
// findings come first, then everything by risk. Its size is bounded, however much has access.
import { createHash } from "node:crypto";
import { breadthNames, type BreadthName } from "../breadth.ts";
import { describeChange, type Change, type ChangeKind } from "../changes.ts";
import type { Item } from "../item.ts";
import { accessInWords, countOf, summarise, type Report, type Summary } from "../report.ts";
import { cutText } from "./cut.ts";
import { chosen, html, type Markup } from "./html.ts";
import { credentialRow, findingEntry, grantRow, identify, tokenRow } from "./page-rows.ts";
import { broadestFirst, scaleOf } from "./page-order.ts";
import { fit, sectionOf, tableOf } from "./page-parts.ts";
import { style } from "./style.ts";

/** The document, in pieces. */
export function* htmlDocument(report: Report): Generator<string> {
  const summary = summarise(report);
  const { findings, changes } = report;
  yield* head(report);
  yield overview(report, summary).markup;
  yield `<main>`;
  yield reach(summary).markup;
  yield findingsSection(report, summary).markup;
  if (changes !== null) yield changesSection(changes).markup;
  yield* lists(report);
  if (findings.byRule.size > 0) yield rulesSection(summary).markup;
  yield `</main>`;
  yield html`<footer>
    Made by grantctl. Bars compare ages with the oldest, and reach in this order: read-only, write, admin,
    delete, everything.
  </footer> `.markup;
  yield "</body></html>\n";
}

function* lists(report: Report): Generator<string> {
  const { grants, authorizations, credentials } = report.lists;
  const scale = scaleOf(report);
  if (grants !== null) {
    const about = "One grant each, with the scopes of all tokens that the application holds.";
    const titles = ["Application", "Reach", "Since", "Last updated"];
    yield listSection("Applications", about, titles, grants, (item) => grantRow(item, scale)).markup;
  }
  if (authorizations !== null) {
    const about = "One authorization each: tokens of applications, and personal ones.";
    const titles = ["Token", "Reach", "Since", "Last updated", "Expires"];
    yield listSection("Tokens", about, titles, authorizations, (item) => tokenRow(item, scale)).markup;
  }
  if (credentials !== null) {
    const about = `What members let use ${report.organization ?? "the organization"}, with its last use.`;
    const titles = ["Credential", "Reach", "Since", "Last used", "Expires"];
    yield listSection("Credentials", about, titles, credentials, (item) => credentialRow(item, scale)).markup;
  }
}

function* head({ account }: Report): Generator<string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  yield '<!doctype html><html lang="en"><head>';
  yield html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="robots" content="noindex" />
    <title>Who has access to ${cutText(account)}</title>`.markup;
  // Not in the template, whose white space would count: the policy names this very text.
  yield `<style>${style}</style></head><body>`;
}

function overview(report: Report, summary: Summary): Markup {
  const { account, baseUrl, operator, now } = report;
  const today = new Date(now);
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(today);
  return html`<header>
    <p class="eyebrow">Access audit</p>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(baseUrl))}, operator ${operator}, on
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
    <dd>${count.toLocaleString("en")}</dd>
  </div> `;
}

/** What a manager reads: three sentences. */
function leadOf(summary: Summary): string {
  const broad = broadCount(summary);
  const kinds = summary.change_kinds.filter(({ count }) => count > 0);
  const total = (summary.grants ?? 0) + (summary.authorizations ?? 0) + (summary.credentials ?? 0);
  const access =
    total === 0 ? "Nothing has access." : `${accessInWords(summary)} ${total === 1 ? "has" : "have"} access.`;
  const power =
    broad === 0
      ? "None of them may administer, delete or do everything."
      : `${broad.toLocaleString("en")} of them may administer, delete or do everything.`;
  const found =
    summary.items_with_findings === 0
      ? "Nothing was found that wants a decision."
      : `${countOf(summary.items_with_findings, "item wants", "items want")} a decision: the gravest stand first below.`;
  const changed =
    summary.changes === null
      ? []
      : [
          kinds.length === 0
            ? "Nothing changed since the snapshot."
            : `Since the snapshot: ${kinds.map(({ change, count }) => `${count.toLocaleString("en")} ${change}`).join(", ")}.`,
        ];
  return [access, ...(total === 0 ? [] : [power]), found, ...changed].join(" ");
}

function broadCount({ breadths }: Summary): number {
  return breadths
    .filter(({ breadth }) => ["admin", "delete", "everything"].includes(breadth))
    .reduce((sum, count) => sum + sizeOf(count), 0);
}

function sizeOf({ grants, authorizations, credentials }: Summary["breadths"][number]): number {
  return grants + authorizations + credentials;
}

/** The class that colours a breadth. */
function classOf(breadth: BreadthName): string {
  return breadth === "unknown" ? "bu" : `b${breadthNames.indexOf(breadth)}`;
}

function reach({ breadths }: Summary): Markup {
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
            >${breadthInWords(count.breadth)}: ${sizeOf(count).toLocaleString("en")}
          </li> `,
      )}
    </ul>
  </section> `;
}

function breadthInWords(breadth: BreadthName): string {
  if (breadth === "none") return "no scopes";
  return breadth === "unknown" ? "unknown scopes alone" : breadth;
}

function findingsSection(report: Report, summary: Summary): Markup {
  const { findings } = report;
  const about =
    findings.count === 0
      ? "None."
      : `${countOf(findings.count, "finding")} at ${countOf(summary.items_with_findings, "item")}, each with the command that would mend it.`;
  const { rows, note } = fit(findings.items, (item) => findingEntry(item, findings.of(item), report.now));
  const list = html`<ul class="findings">
    ${rows}
  </ul> `;
  return sectionOf("Findings", about, rows.length === 0 ? html`` : list, note);
}

const changeLooks: Readonly<Record<ChangeKind, string>> = {
  new: "high",
  widened: "high",
  narrowed: "good",
  expired: "medium",
  touched: "low",
  gone: "good",
};

function changesSection(changes: readonly Change[]): Markup {
  const { rows, note } = fit(
    changes,
    (change) =>
      html`<tr>
        <td class="name">${identify(change)}</td>
        <td data-label="Change"><span class="chip ${changeLooks[change.change]}">${change.change}</span></td>
        <td data-label="How">${chosen(cutText(describeChange(change), 300))}</td>
      </tr> `,
  );
  const about = changes.length === 0 ? "None." : `${countOf(changes.length, "change")} since the snapshot.`;
  return sectionOf(
    "Changes",
    about,
    tableOf("changes", ["What", "Change", "How"], ["name", "when"], rows),
    note,
  );
}

function listSection(
  heading: string,
  about: string,
  titles: readonly string[],
  items: readonly Item[],
  toRow: (item: Item) => Markup,
): Markup {
  const { rows, note } = fit(broadestFirst(items), toRow);
  const table = tableOf(heading.toLowerCase(), titles, ["name", "reach"], rows);
  return sectionOf(heading, items.length === 0 ? "None." : about, table, note);
}

function rulesSection({ rules }: Summary): Markup {
  return html`<section aria-labelledby="rules">
    <h2 id="rules">What was looked for</h2>
    <p class="about">The rules of this audit, and how many findings each has.</p>
    <table class="rules" aria-labelledby="rules">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Findings</th>
        </tr>
      </thead>
      <tbody>
        ${rules.map(
          ({ rule, findings }) =>
            html`<tr>
              <td><code>${cutText(rule)}</code></td>
              <td>${findings.toLocaleString("en")}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section> `;
}

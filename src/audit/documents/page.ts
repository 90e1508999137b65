// The audit as one HTML file that needs nothing else: no script, no request, a policy that allows neither. Summary and
// findings come first, then everything by risk. Its size is bounded, however much has access.
import { createHash } from "node:crypto";
import { withCommas } from "../../errors/words.ts";
import { describeChange, type Change, type ChangeKind } from "../changes.ts";
import type { Item } from "../item.ts";
import { countOf, summarise, type Report } from "../report.ts";
import type { Summary } from "./audit-schema.ts";
import { cutText, mostRows } from "./cut.ts";
import { chosen, html, type Markup } from "./html.ts";
import { overview, reach } from "./page-summary.ts";
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
    const about = `What members approved for ${report.organization ?? "the organization"}, with its last use.`;
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

function findingsSection(report: Report, summary: Summary): Markup {
  const { findings } = report;
  const about =
    findings.count === 0
      ? "None."
      : `${countOf(findings.count, "finding")} at ${countOf(summary.items_with_findings, "item")}, each with the command that would fix it.`;
  const { rows, note } = fit(findings.items(mostRows), findings.itemCount, (item) =>
    findingEntry(item, findings.of(item), report.now),
  );
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
    changes.length,
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
  const { rows, note } = fit(broadestFirst(items, mostRows), items.length, toRow);
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
              <td>${withCommas(findings)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section> `;
}

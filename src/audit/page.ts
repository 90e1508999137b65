// The audit as a self-contained HTML file: no scripts, no requests, and a content security policy that forbids both.
//
//   first    the summary: tiles by severity with links to their sections, the ten worst findings with a command each,
//            age by permission, changes, and the rules that ran. One screen per question, at most four printed pages.
//   then     everything else in <details>, which are open in print: all findings by severity, applications with their
//            tokens below them, personal tokens, credentials.
//   size     under 5 MB: at most 1,000 rows and 850 kB per table; long names and lists are cut. csv has everything.
import { createHash } from "node:crypto";
import { dayOf, relativeDate } from "../drawing/relative-date.ts";
import { capitalised, withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import { findingsInWords, unitsOf, type Unit } from "./access.ts";
import { ageByPermission, ageNames, oldFrom } from "./ages.ts";
import { describeChange } from "./changes.ts";
import { commandText, entryOf } from "./entries.ts";
import { severities } from "./findings.ts";
import { chosen, cutText, fit, html, scopesInWords, type Markup } from "./html.ts";
import type { AuditItem } from "./items.ts";
import {
  accessInWords,
  breadthInWords,
  changesInWords,
  countOf,
  missingInWords,
  summarise,
  type Report,
} from "./report.ts";
import type { Rule } from "./rules.ts";
import { style } from "./style.ts";

const mostFirst = 10;

/** The document, in pieces. */
export function* htmlDocument(report: Report): Generator<string> {
  const units = unitsOf(report);
  const found = units.filter(({ severity }) => severity !== null);
  yield* head(report);
  yield overview(report, units, found).markup;
  yield "<main>";
  if (found.length > 0) yield worstSection(report, found).markup;
  yield ageSection(units, report.now).markup;
  yield changesSection(report).markup;
  yield rulesSection(report).markup;
  yield* details(report, units, found);
  yield "</main>";
  const needsNote = found.some(({ actions }) =>
    actions.some(({ commands }) => commands.some((command) => command.includes("${NOTE:?"))),
  );
  yield html`<footer>
    Made by grantctl. Permissions, from the fewest: read-only, write, admin, delete, everything.
    ${needsNote ? "A command with ${NOTE:?…} stops until you set that variable: NOTE='backup of host a'." : null}
  </footer>`.markup;
  yield "</body></html>\n";
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
  // Not in a template, which would add white space: the policy contains the hash of exactly this text.
  yield `<style>${style}</style></head><body>`;
}

function overview(report: Report, units: readonly Unit[], found: readonly Unit[]): Markup {
  const { account, base_url, operator, now, findings } = report;
  const summary = summarise(report);
  const missing = missingInWords(report);
  const today = new Date(now);
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(today);
  const rules = countOf(findings.rules.length, "rule");
  return html`<header>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(base_url))}${operator === "service" ? "" : ` (operator ${operator})`}, on
      <time datetime="${today.toISOString().slice(0, 10)}">${day}</time>
    </p>
    ${missing === null ? null : html`<p class="missing">${missing}</p>`}
    <p class="lead">
      ${accessInWords(summary)}.
      ${found.length === 0 ? `Nothing found by ${rules}.` : `${findingsInWords(units)}, by ${rules}.`}
      ${summary.changes === null ? null : `Changes since the snapshot: ${changesInWords(summary)}.`}
    </p>
    <ul class="tiles">
      ${severities.map((severity) => {
        const count = found.filter((unit) => unit.severity === severity).length;
        const isGood = found.length === 0 && missing === null && findings.rules.length > 0;
        const tile = html`<strong>${withCommas(count)}</strong> ${severity}`;
        return count === 0
          ? html`<li class="${isGood ? "good" : "low"}"><span>${tile}</span></li>`
          : html`<li class="${severity}"><a href="#${severity}">${tile}</a></li>`;
      })}
    </ul>
    ${report.findings.rules.length === 0 ? null : html`<p class="quiet">${severityLegend(report)}</p>`}
    <nav aria-label="Contents">
      ${found.length === 0 ? null : html`<a href="#worst">Deal with first</a> `}
      <a href="#age">Age by permission</a> <a href="#changes">Changes</a>
      <a href="#rules">Rules</a>
      ${severities
        .filter((severity) => found.some((unit) => unit.severity === severity))
        .map((severity) => html`<a href="#${severity}">All ${severity}</a> `)}
      <a href="#access">Everything with access</a>
    </nav>
  </header> `;
}

/** The rules that ran, by severity: `High: has a scope that matches admin:*. Low: has no note. Old access is …`. */
function severityLegend({ findings }: Report): string {
  const sentencesOf = (severity: Rule["severity"]): string =>
    findings.rules.flatMap(({ rule }) => (rule.severity === severity ? [rule.sentence] : [])).join("; ");
  const fixed = severities.map((severity) => [capitalised(severity), sentencesOf(severity)] as const);
  const byAccess = sentencesOf("by-access");
  return [
    ...fixed.flatMap(([title, sentences]) => (sentences === "" ? [] : [`${title}: ${sentences}.`])),
    ...(byAccess === ""
      ? []
      : [`By access: ${byAccess}; high with admin, delete or everything, medium with write, otherwise low.`]),
  ].join(" ");
}

function worstSection(report: Report, found: readonly Unit[]): Markup {
  const shown = found.slice(0, mostFirst);
  const title = found.length > mostFirst ? "The ten to deal with first" : "Findings";
  const deletable = shown.flatMap(({ actions }) => actions[0]?.deletedGrant ?? []);
  return html`<section aria-labelledby="worst">
    <h2 id="worst">${title}</h2>
    <p class="about">
      Deletions ask first and cannot be undone: whatever uses the token stops working.
      ${report.lists.credentials === null ? "“Updated” is not the last use, which this server does not report." : null}
    </p>
    <ol class="findings">
      ${shown.map(entryOf)}
    </ol>
    ${deletable.length < 2 ? null : combined(report, deletable)}
  </section> `;
}

/** One command for all grants that the entries recommend to delete. */
function combined({ findings }: Report, grants: readonly AuditItem[]): Markup | null {
  const command = findings
    .of(grants[0] as AuditItem)
    .find(({ action }) => action === "delete")?.commandOfMany;
  if (command === undefined || command === null) return null;
  const ids = grants.map(({ id }) => cellText(id)).join(" ");
  return html`<div class="findings">
    <p class="about">To delete these ${countOf(grants.length, "grant")} together, begin with a dry run:</p>
    ${commandText(`${command} ${ids} --dry-run`)}
  </div>`;
}

/** The age-by-permission chart. The riskiest access, broad and old, is at the top right in the strongest colour. */
function ageSection(units: readonly Unit[], now: number): Markup {
  const rows = ageByPermission(units, now);
  const ages = ageNames.flatMap((name, age) =>
    rows.some(({ counts }) => counts[age] !== 0) ? [{ name, age }] : [],
  );
  const broad = rows.filter(({ breadth }) => ["everything", "delete", "admin"].includes(breadth));
  const old = broad.reduce(
    (sum, { counts }) => sum + counts.slice(oldFrom).reduce((total, count) => total + count, 0),
    0,
  );
  const takeaway =
    old === 0
      ? "No token with the permission admin, delete or everything is older than a year."
      : `${countOf(old, "token")} with the permission admin, delete or everything ${old === 1 ? "is" : "are"} older than a year.`;
  return html`<section aria-labelledby="age">
    <h2 id="age">Age by permission</h2>
    <p class="about">
      ${rows.length === 0 ? "Nothing has access." : `${takeaway} Darker cells are broader and older.`}
    </p>
    ${
      rows.length === 0
        ? null
        : html`<table class="ages" aria-labelledby="age">
            <thead>
              <tr>
                <td></td>
                ${ages.map(({ name }) => html`<th scope="col">${name}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                ({ breadth, counts, risks }) =>
                  html`<tr>
                    <th scope="row">${breadthInWords(breadth)}</th>
                    ${ages.map(({ age }) => ageCell(counts[age] ?? 0, risks[age] ?? 0))}
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
  </section> `;
}

function ageCell(count: number, risk: number): Markup {
  return html`<td class="a${count === 0 ? 0 : risk}">${count === 0 ? "–" : withCommas(count)}</td>`;
}

function changesSection({ changes }: Report): Markup {
  const about =
    changes === null
      ? "There is no snapshot to compare with. Save one with: grantctl audit --save audit.json"
      : `${countOf(changes.length, "change")} since the snapshot.`;
  const rows = fit(changes ?? [], (change) => {
    const { name, resource, id } = change;
    return html`<li>
      <span class="chip ${changeColours[change.change]}">${change.change}</span>
      <b>${chosen(cutText(name))}</b>
      <span class="quiet">${resource} ${cellText(id)}</span> ${chosen(cutText(describeChange(change), 300))}
    </li> `;
  });
  const rest = rows.markups.slice(mostFirst);
  return html`<section aria-labelledby="changes">
    <h2 id="changes">Changes</h2>
    <p class="about">${about}</p>
    <ul class="plain">
      ${rows.markups.slice(0, mostFirst)}
    </ul>
    ${
      rest.length === 0
        ? null
        : html`<details>
            <summary>${countOf(rest.length, "more change")}</summary>
            <ul class="plain">
              ${rest}
            </ul>
            ${rows.note}
          </details>`
    }
  </section> `;
}

const changeColours = {
  new: "high",
  widened: "high",
  narrowed: "good",
  expired: "medium",
  touched: "low",
  gone: "good",
} as const;

function rulesSection({ findings, missing }: Report): Markup {
  return html`<section aria-labelledby="rules">
    <h2 id="rules">Rules that ran</h2>
    <table class="rules" aria-labelledby="rules">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Items</th>
          <th scope="col">Findings</th>
        </tr>
      </thead>
      <tbody>
        ${findings.rules.map(
          ({ rule, items, findings: count, unjudged }) =>
            html`<tr>
              <td>${cutText(rule.sentence)} <code>${cutText(rule.text)}</code></td>
              <td>${withCommas(items)}</td>
              <td class="${count === 0 && items > 0 && missing === null ? "good" : ""}">
                ${count === 0 ? "nothing found" : withCommas(count)}
                ${unjudged === 0 ? null : html`<span class="quiet">${withCommas(unjudged)} cannot be judged</span>`}
              </td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section> `;
}

function* details(report: Report, units: readonly Unit[], found: readonly Unit[]): Generator<string> {
  const { now } = report;
  for (const severity of severities) {
    const own = found.filter((unit) => unit.severity === severity);
    if (own.length === 0) continue;
    const { markups, note } = fit(own, entryOf);
    const list = html`<ul class="findings" id="${severity}">
        ${markups}
      </ul>
      ${note}`;
    yield fold(`All findings of ${severity} severity`, own.length, list).markup;
  }
  yield `<div id="access">`;
  const kinds = [
    ["application", "Applications, with their tokens", "Last updated"],
    ["token", "Personal tokens", "Last updated"],
    ["credential", "Approved credentials", "Last used"],
  ] as const;
  for (const [kind, title, last] of kinds) {
    const own = units.filter((unit) => unit.kind === kind);
    if (own.length === 0) continue;
    const expires = own.some(({ items }) => items.some(({ expiresAt }) => expiresAt !== null));
    const rows = own.flatMap(({ items, name }): readonly (string | AuditItem)[] => {
      const [first] = items;
      const isHeadless = kind === "application" && first?.resource !== "grant";
      return isHeadless ? [name, ...items] : items;
    });
    const { markups, note } = fit(rows, (row) =>
      typeof row === "string" ? applicationRow(row) : itemRow(row, { kind, last, expires }, now),
    );
    const table = html`<table class="list">
        <thead>
          <tr>
            ${["Name", "Permissions", "Created", last, ...(expires ? ["Expires"] : [])].map((text) => html`<th scope="col">${text}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${markups}
        </tbody>
      </table>
      ${note}`;
    yield fold(title, own.length, table).markup;
  }
  yield "</div>";
}

function fold(title: string, count: number, content: Markup): Markup {
  return html`<details class="more">
    <summary>
      <h2>${title}</h2>
      <span class="quiet">${withCommas(count)}</span>
    </summary>
    ${content}
  </details> `;
}

function applicationRow(name: string): Markup {
  return html`<tr>
    <td class="name" colspan="5">
      <b>${chosen(cutText(name))}</b> <span class="quiet">no grant listed</span>
    </td>
  </tr> `;
}

interface ItemTable {
  readonly kind: Unit["kind"];
  /** The heading of the column with the last update or use. */
  readonly last: string;
  /** True if it has a column for expiry dates. */
  readonly expires: boolean;
}

function itemRow(item: AuditItem, { kind, last, expires }: ItemTable, now: number): Markup {
  const { name, resource, id, clientId, lastEight, scopes, breadth } = item;
  const more = resource === "grant" ? clientId : lastEight === null ? null : `ends in ${lastEight}`;
  const isBelow = kind === "application" && resource !== "grant";
  const permissions = scopes === null || scopes.length === 0 ? null : chosen(scopesInWords(scopes));
  return html`<tr>
    <td class="name${isBelow ? " below" : ""}">
      <b>${chosen(cutText(name))}</b>
      <span class="quiet">${resource} ${cellText(id)}${more === null ? "" : `, ${cutText(more)}`}</span>
    </td>
    <td data-label="Permissions">
      <div>
        ${breadthInWords(breadth.name)}
        ${permissions === null ? null : html`<span class="quiet">${permissions}</span>`}
      </div>
    </td>
    ${dateCell("Created", item.createdAt, now)} ${dateCell(last, item.updatedAt ?? item.usedAt, now)}
    ${expires ? dateCell("Expires", item.expiresAt, now) : null}
  </tr> `;
}

function dateCell(label: string, date: string | null, now: number): Markup {
  // The cell must be empty, so that the style hides it on a narrow page.
  if (date === null) return html`<td data-label="${label}"></td>`;
  const ago = relativeDate(date, now);
  const day = cutText(dayOf(date), 40);
  if (ago === null) return html`<td data-label="${label}">${chosen(day)}</td>`;
  return html`<td data-label="${label}">
    <time datetime="${day}">${ago} <span class="quiet">${day}</span></time>
  </td>`;
}

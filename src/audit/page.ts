// The audit as a self-contained HTML file: no scripts, no requests, and a content security policy that forbids both.
//
//   first    the summary: tiles by severity with links to their sections, the ten worst findings with a command each,
//            age by permission, changes, and the rules that ran. One screen per question, at most four printed pages.
//   then     everything else in <details>, which are open in print: all findings by severity, applications with their
//            tokens below them, personal tokens, credentials.
//   size     under 5 MB: at most 1,000 rows and 850 kB per table; long names and lists are cut. csv has everything.
import { createHash } from "node:crypto";
import { dayOf, relativeDate } from "../drawing/relative-date.ts";
import { withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import {
  ageByPermission,
  ageNames,
  oldFrom,
  unitsOf,
  withFindings,
  type Unit,
  type UnitFinding,
} from "./access.ts";
import { describeChange } from "./changes.ts";
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
import { style } from "./style.ts";

const mostFirst = 10;
const mostCommands = 3;

/** The document, in pieces. */
export function* htmlDocument(report: Report): Generator<string> {
  const units = unitsOf(report);
  const found = units.filter(({ severity }) => severity !== null);
  yield* head(report);
  yield overview(report, found).markup;
  yield "<main>";
  if (found.length > 0) yield worstSection(found).markup;
  yield ageSection(report).markup;
  yield changesSection(report).markup;
  yield rulesSection(report).markup;
  yield* details(report, units, found);
  yield "</main>";
  const needsNote = units.some(({ findings }) =>
    findings.some(({ commands }) => commands.some((command) => command.includes("${NOTE:?"))),
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

function overview(report: Report, found: readonly Unit[]): Markup {
  const { account, base_url, operator, now, findings } = report;
  const summary = summarise(report);
  const missing = missingInWords(report);
  const today = new Date(now);
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(today);
  const rules = countOf(findings.rules.length, "rule");
  return html`<header>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(base_url))} (operator ${operator}), on
      <time datetime="${today.toISOString().slice(0, 10)}">${day}</time>
    </p>
    ${missing === null ? null : html`<p class="missing">${missing}</p>`}
    <p class="lead">
      ${accessInWords(summary)}.
      ${found.length === 0 ? `Nothing found by ${rules}.` : `${withFindings(found.length)}, by ${rules}.`}
      ${summary.changes === null ? null : `Changes since the snapshot: ${changesInWords(summary)}.`}
    </p>
    <ul class="tiles">
      ${severities.map((severity) => {
        const count = found.filter((unit) => unit.severity === severity).length;
        const isGood = count === 0 && missing === null && findings.rules.length > 0;
        const tile = html`<strong>${withCommas(count)}</strong> ${severity}`;
        return count === 0
          ? html`<li class="${isGood ? "good" : "low"}"><span>${tile}</span></li>`
          : html`<li class="${severity}"><a href="#${severity}">${tile}</a></li>`;
      })}
    </ul>
    <nav aria-label="Contents">
      ${found.length === 0 ? null : html`<a href="#worst">Worst findings</a> `}
      <a href="#age">Age by permission</a> <a href="#changes">Changes</a>
      <a href="#rules">Rules</a>
      ${severities
        .filter((severity) => found.some((unit) => unit.severity === severity))
        .map((severity) => html`<a href="#${severity}">All ${severity}</a> `)}
      <a href="#access">Everything with access</a>
    </nav>
  </header> `;
}

function worstSection(found: readonly Unit[]): Markup {
  const shown = found.slice(0, mostFirst);
  const title = found.length > mostFirst ? "The ten worst findings" : "Findings";
  return html`<section aria-labelledby="worst">
    <h2 id="worst">${title}</h2>
    <p class="about">
      Each command fixes the findings beside it; deleting a token or a grant fixes all of its findings.
    </p>
    <ol class="findings">
      ${shown.map((unit) => findingEntry(unit, false))}
    </ol>
  </section> `;
}

/** A unit with all its findings, or only the worst ones in full and the others on one line. */
function findingEntry(unit: Unit, isWhole: boolean): Markup {
  const { name, about, facts, findings, severity } = unit;
  const shown = findings.filter((finding) => isWhole || finding.severity === severity);
  const others = findings.filter((finding) => !shown.includes(finding)).map(({ measure }) => measure);
  // Group findings that have the same fix.
  const byFix = new Map<string, readonly UnitFinding[]>();
  for (const finding of shown) {
    const fix = finding.commands.join("\n");
    byFix.set(fix, [...(byFix.get(fix) ?? []), finding]);
  }
  const alternative = unit.alternatives.find(
    ({ command }) => !shown.some(({ commands }) => commands.includes(command)),
  );
  return html`<li>
    <p>
      <span class="chip ${severity ?? "low"}">${severity ?? "low"}</span> <b>${chosen(cutText(name, 80))}</b>
      <span class="quiet">${about}: ${facts}</span>
    </p>
    <ul>
      ${[...byFix.values()].map(fixEntry)}
      ${
        alternative === undefined
          ? null
          : html`<li>
              <div class="quiet">or ${alternative.effect}</div>
              <div>${commandText(alternative.command)}</div>
            </li> `
      }
    </ul>
    ${others.length === 0 ? null : html`<p class="quiet">also: ${chosen(cutText(others.join("; "), 300))}</p>`}
  </li> `;
}

function fixEntry(findings: readonly UnitFinding[]): Markup {
  const { commands = [] } = findings[0] ?? {};
  const left = commands.length - mostCommands;
  return html`<li>
    <div>${findings.map(({ measure }) => html`<div>${chosen(cutText(measure, 160))}</div>`)}</div>
    <div>
      ${commands.slice(0, mostCommands).map(commandText)}
      ${left > 0 ? html`<div class="quiet">${countOf(left, "more command")}: grantctl audit --format csv</div>` : null}
    </div>
  </li>`;
}

/** A command that wraps only between words. */
function commandText(command: string): Markup {
  const words = cutText(command, 400).split(" ");
  return html`<code
    >${words.map((word, place) => html`${place === 0 ? "" : " "}<span>${word}</span>`)}</code
  >`;
}

/** The age-by-permission chart. The riskiest access, broad and old, is at the top right in the strongest colour. */
function ageSection(report: Report): Markup {
  const rows = ageByPermission(report);
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
                ${ageNames.map((name) => html`<th scope="col">${name}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                ({ breadth, counts, risks }) =>
                  html`<tr>
                    <th scope="row">${breadthInWords(breadth)}</th>
                    ${counts.map((count, age) => ageCell(count, risks[age] ?? 0))}
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
      ? "No snapshot to compare with. Use --save now and --compare next time."
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
    const { markups, note } = fit(own, (unit) => findingEntry(unit, true));
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
    const rows = own.flatMap(({ items, name }): readonly (string | AuditItem)[] => {
      const [first] = items;
      const isHeadless = kind === "application" && first?.resource !== "grant";
      return isHeadless ? [name, ...items] : items;
    });
    const { markups, note } = fit(rows, (row) =>
      typeof row === "string" ? applicationRow(row) : itemRow(row, kind, last, now),
    );
    const table = html`<table class="list">
        <thead>
          <tr>
            ${["Name", "Permissions", "Created", last, "Expires"].map((text) => html`<th scope="col">${text}</th>`)}
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

function itemRow(item: AuditItem, kind: Unit["kind"], last: string, now: number): Markup {
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
    ${dateCell("Expires", item.expiresAt, now)}
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

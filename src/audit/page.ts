// The audit as a self-contained HTML file: no scripts, no requests, and a content security policy that forbids both.
//
//   first    the summary: tiles by severity with links to their sections, the ten worst findings with a command each,
//            age by permission, changes, and the rules that ran. One screen per question, at most four printed pages.
//   then     everything else in <details>, which are open in print: all findings by severity, applications with their
//            tokens below them, personal tokens, credentials.
//   size     under 5 MB: at most 1,000 rows and 850 kB per table; long names and lists are cut. csv has everything.
import { createHash } from "node:crypto";
import { both, capitalised, withCommas } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import { accessTables } from "./access-tables.ts";
import { countByRule, unitsOf, verdictInWords, type RuleCount, type Unit } from "./access.ts";
import { ageByPermission, ageNames, oldFrom } from "./ages.ts";
import { changesInWords, groupChanges, type Change } from "./changes.ts";
import { commandText, entryOf } from "./entries.ts";
import { severities } from "./findings.ts";
import { chosen, cutText, fit, html, type Markup } from "./html.ts";
import { allItems, type AuditItem } from "./items.ts";
import { breadthInWords, countOf, missingInWords, type Report } from "./report.ts";
import type { Severity } from "./rules.ts";
import { style } from "./style.ts";

const mostFirst = 10;

/** The document, in pieces. */
export function* htmlDocument(report: Report): Generator<string> {
  const units = unitsOf(report);
  const found = units.filter(({ severity }) => severity !== null);
  const counts = countByRule(report, units);
  yield* head(report);
  yield overview(report, units, found, counts).markup;
  yield "<main>";
  if (found.length > 0) yield worstSection(report, found).markup;
  if (report.changes !== null) yield changesSection(report, report.changes).markup;
  yield ageSection(units, report.now).markup;
  yield rulesSection(report, counts).markup;
  yield* details(report, units, found);
  yield "</main>";
  yield html`<footer>
    Made by grantctl. A grant is the access of an application; deleting it revokes all its tokens. An
    authorization is one token, of an application or personal. A credential is a token or key that a member
    approved for an organization.
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

function overview(
  report: Report,
  units: readonly Unit[],
  found: readonly Unit[],
  counts: readonly RuleCount[],
): Markup {
  const { account, base_url, operator, now } = report;
  const missing = missingInWords(report);
  const time = new Date(now).toISOString();
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(now));
  const applied = counts.filter(({ checked }) => checked > 0).length;
  const rules = countOf(applied, "rule");
  return html`<header>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(base_url))}${operator === "service" ? "" : ` (operator ${operator})`}, on
      <time datetime="${time}">${day}, ${time.slice(11, 16)} UTC</time>
    </p>
    ${missing === null ? null : html`<p class="missing">${missing}</p>`}
    <p class="lead">
      ${accessOfUnits(units)}.
      ${
        found.length > 0
          ? html`<b>${verdictInWords(units)}</b> ${lessUrgent(found)}`
          : html`<span class="${missing === null && applied > 0 ? "good" : ""}"
              >Nothing found by ${rules}.</span
            >`
      }
    </p>
    ${
      found.length === 0
        ? null
        : html`<ul class="tiles">
            ${severities.map((severity) => {
              const count = found.filter((unit) => unit.severity === severity).length;
              const tile = html`<strong>${withCommas(count)}</strong> ${severity} severity`;
              return count === 0
                ? html`<li class="low"><span>${tile}</span></li>`
                : html`<li class="${severity}">
                    <a href="#${isAmongFirst(found, severity) ? "worst" : severity}">${tile}</a>
                  </li>`;
            })}
          </ul>`
    }
    <nav aria-label="Contents">
      ${found.length === 0 ? null : html`<a href="#worst">${worstTitle(found)}</a> `}
      ${report.changes === null ? null : html`<a href="#changes">Changes</a> `}
      <a href="#age">Age by access</a> <a href="#rules">Rules</a>
      ${severities
        .filter((severity) => restOf(found, severity).length > 0)
        .map((severity) => html`<a href="#${severity}">${moreTitle(found, severity)}</a> `)}
      ${units.length === 0 ? null : html`<a href="#access">Everything with access</a>`}
    </nav>
  </header> `;
}

/** The access, counted as on this page: `40 applications with 78 tokens and 2 personal tokens`. */
function accessOfUnits(units: readonly Unit[]): string {
  const [applications, personal, credentials] = (["application", "token", "credential"] as const).map(
    (kind) => units.filter((unit) => unit.kind === kind),
  ) as [Unit[], Unit[], Unit[]];
  const tokens = applications.flatMap(({ items }) =>
    items.filter(({ resource }) => resource === "authorization"),
  );
  const parts = [
    ...(applications.length === 0
      ? []
      : [`${countOf(applications.length, "application")} with ${countOf(tokens.length, "token")}`]),
    ...(personal.length === 0 ? [] : [countOf(personal.length, "personal token")]),
    ...(credentials.length === 0 ? [] : [countOf(credentials.length, "approved credential")]),
  ];
  return parts.length === 0 ? "Nothing has access" : both(parts);
}

function lessUrgent(found: readonly Unit[]): string {
  const count = found.filter(({ severity }) => severity !== "high").length;
  return count === 0 ? "" : `${withCommas(count)} have only findings of medium or low severity.`;
}

/** The units of this severity that are not among the first ones. */
function restOf(found: readonly Unit[], severity: Severity): readonly Unit[] {
  return found.slice(mostFirst).filter((unit) => unit.severity === severity);
}

function isAmongFirst(found: readonly Unit[], severity: Severity): boolean {
  return found.slice(0, mostFirst).some((unit) => unit.severity === severity);
}

function moreTitle(found: readonly Unit[], severity: Severity): string {
  return `${isAmongFirst(found, severity) ? "More of" : "All of"} ${severity} severity`;
}

function worstSection(report: Report, found: readonly Unit[]): Markup {
  const shown = found.slice(0, mostFirst);
  const commands = shown.flatMap(({ actions }) => actions.flatMap((action) => action.commands));
  const deletable = shown.flatMap(({ actions }) => actions[0]?.deletedGrant ?? []);
  const reportsUse = report.lists.credentials !== null;
  const next = severities.find((severity) => restOf(found, severity).length > 0);
  return html`<section aria-labelledby="worst">
    <h2 id="worst">${worstTitle(found)}</h2>
    <p class="about">
      ${commands.some((command) => / delete [^-]/.test(command)) ? "Deletions ask first and cannot be undone: whatever uses the token stops working. " : null}
      ${found.some(({ kind }) => kind !== "credential") ? `“Updated” is not the last use, which this server ${reportsUse ? "reports only for credentials that an organization approved" : "does not report"}. ` : null}
      ${commands.some((command) => command.includes("${NOTE:?")) ? "A command with ${NOTE:?…} stops until you set that variable, to a different note for each token: NOTE='backup of host a'." : null}
    </p>
    <ol class="findings">
      ${shown.map(entryOf)}
    </ol>
    ${deletable.length < 2 ? null : combined(report, deletable)}
    ${next === undefined ? null : html`<p class="next"><a href="#${next}">${withCommas(restOf(found, next).length)} more of ${next} severity</a></p>`}
  </section> `;
}

function worstTitle(found: readonly Unit[]): string {
  return found.length > mostFirst ? "The ten to deal with first" : "Findings";
}

/** One command for all grants that the entries recommend to delete. */
function combined({ findings }: Report, grants: readonly AuditItem[]): Markup | null {
  const command = findings
    .of(grants[0] as AuditItem)
    .find(({ action }) => action === "delete")?.commandOfMany;
  if (command === undefined || command === null) return null;
  const ids = grants.map(({ id }) => cellText(id)).join(" ");
  return html`<div class="findings">
    <p class="about">
      To delete these ${countOf(grants.length, "grant")} together if nothing needs them, begin with a dry run:
    </p>
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
  const takeaway = `${old === 0 ? "No token" : countOf(old, "token")} with access to everything, delete or admin access ${old > 1 ? "are" : "is"} older than a year`;
  return html`<section aria-labelledby="age">
    <h2 id="age">${rows.length === 0 ? "Nothing has access" : takeaway}</h2>
    ${
      rows.length === 0
        ? null
        : html`<p class="about">
            The number of tokens. A stronger color is broader and older access. “Everything” is full control
            of repositories (repo), an enterprise (admin:enterprise) or the server (site_admin).
          </p>`
    }
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

function changesSection({ comparedWith, replaced }: Report, changes: readonly Change[]): Markup {
  const groups = groupChanges(changes, replaced);
  const rows = fit(groups, ({ change, name, items, description }) => {
    return html`<li>
      <span class="chip ${changeColours[change]}">${change}</span>
      <b>${chosen(cutText(name))}</b>
      <span class="quiet">${items}</span> ${chosen(cutText(description, 300))}
    </li> `;
  });
  const rest = rows.markups.slice(mostFirst);
  return html`<section aria-labelledby="changes">
    <h2 id="changes">Changes since the snapshot</h2>
    <p class="about">
      ${groups.length === 0 ? "Nothing changed" : capitalised(changesInWords(groups))} since
      ${chosen(cutText(comparedWith ?? "the snapshot"))} was saved.
    </p>
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
  new: "medium",
  widened: "high",
  narrowed: "good",
  expired: "medium",
  touched: "low",
  gone: "good",
} as const;

function rulesSection(report: Report, counts: readonly RuleCount[]): Markup {
  const complete = report.missing === null;
  return html`<section aria-labelledby="rules">
    <h2 id="rules">Rules that ran</h2>
    <table class="rules" aria-labelledby="rules">
      <thead>
        <tr>
          <th scope="col">Finds access that …</th>
          <th scope="col">Severity</th>
          <th scope="col">Checked</th>
          <th scope="col">Found</th>
        </tr>
      </thead>
      <tbody>
        ${counts.map(
          ({ rule, checked, found, unjudged }) =>
            html`<tr>
              <td>${cutText(rule.sentence)} <code>${cutText(rule.text)}</code></td>
              <td>${rule.severity === "by-access" ? "by access" : rule.severity}</td>
              <td>${withCommas(checked)}</td>
              <td class="${found + unjudged === 0 && checked > 0 && complete ? "good" : ""}">
                ${checked === 0 ? "nothing to check" : found + unjudged === 0 ? "nothing found" : withCommas(found)}
                ${unjudged === 0 ? null : html`<span class="quiet">${withCommas(unjudged)} cannot be judged</span>`}
              </td>
            </tr> `,
        )}
      </tbody>
    </table>
    <p class="about">
      An application counts once, with its tokens. By access: high for access to everything, delete or admin
      access, medium for write access, otherwise low. ${idleRules(report)}
      ${report.changes === null ? html`To see what changed next time, save a snapshot now: <code>grantctl audit --save audit.json</code>` : null}
    </p>
  </section> `;
}

/** A sentence with the rules that could not run because their input is missing; empty if none. */
function idleRules({ lists, supplies }: Report): string {
  const reportsExpiry = allItems(lists).some(({ expiresAt }) => expiresAt !== null);
  const idle = [
    ...(supplies.hasSnapshot ? [] : ["new and widened (need --compare)"]),
    ...(supplies.hasKnown ? [] : ["unknown-app (needs --known)"]),
    ...(supplies.hasCredentials ? [] : ["not-used-for (needs --github-org)"]),
    ...(reportsExpiry ? [] : ["no-expiry and expires-within (this server reports no expiration dates)"]),
  ];
  return idle.length === 0 ? "" : `Not available: ${idle.join(", ")}.`;
}

function* details(report: Report, units: readonly Unit[], found: readonly Unit[]): Generator<string> {
  for (const severity of severities) {
    const own = restOf(found, severity);
    if (own.length === 0) continue;
    const { markups, note } = fit(own, entryOf);
    const list = html`<ul class="findings" id="${severity}">
        ${markups}
      </ul>
      ${note}`;
    yield fold(moreTitle(found, severity), own.length, list).markup;
  }
  for (const { title, count, table } of accessTables(units, report.now))
    yield fold(title, count, table).markup;
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

// The audit as a self-contained HTML file: no scripts, no requests, and a content security policy that forbids both.
//
//   first    the summary: tiles by severity with links to their sections, the ten worst entries with a command each,
//            changes, age by permission, and the rules that ran. One screen per question, at most four printed pages.
//   then     everything else in <details>, which are open in print: all findings by severity, applications with their
//            tokens below them, personal tokens.
//   size     under 5 MB: at most 1,000 rows and 850 kB per table; long names and lists are cut. csv has everything.
import { createHash } from "node:crypto";
import { capitalised, withCommas } from "../errors/words.ts";
import { accessTables, type Section } from "./access-tables.ts";
import { accessOfUnits, countByRule, unitsOf, type RuleCount, type Unit } from "./access.ts";
import { ageByPermission, ageNames, countOldAndBroad } from "./ages.ts";
import { changesInWords, groupChanges, type ChangeGroup } from "./changes.ts";
import { anchorOf, entryOf, firstOf, groupUnits, linkTo, type Entry } from "./entries.ts";
import { severities } from "./findings.ts";
import { chosen, cutText, fit, html, type Markup } from "./html.ts";
import { keyOf } from "./items.ts";
import {
  breadthInWords,
  aboutUpdates,
  countOf,
  idleRulesInWords,
  missingInWords,
  type Report,
} from "./report.ts";
import type { Severity } from "./rules.ts";
import type { EarlierAudit } from "./earlier-audit.ts";
import { style } from "./style.ts";

const mostChanges = 10;
/** The most names below the heading of the age chart. */
const mostNamed = 12;

export function* htmlDocument(report: Report): Generator<string> {
  const units = unitsOf(report);
  const found = units.filter(({ severity }) => severity !== null);
  const layout = arrange(groupUnits(found), report.now);
  const { rest, linked } = layout;
  const counts = countByRule(report, units);
  yield* head(report);
  yield overview(report, units, layout, counts).markup;
  yield "<main>";
  if (found.length > 0) yield worstSection(report, layout).markup;
  const { earlier, comparison } = report;
  if (earlier !== null && comparison !== null)
    yield changesSection(earlier, groupChanges(comparison), linked).markup;
  yield ageSection(units, linked, report.now).markup;
  yield rulesSection(report, counts).markup;
  for (const section of [...rest, ...accessTables(units, report.now)]) yield fold(section).markup;
  yield "</main>";
  yield html`<footer>
    Made by grantctl. A grant is the access of an application; deleting it revokes all its tokens. An
    authorization is a token of an application, or a personal token.
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
  { first, rest, firstTitle, linked }: Layout,
  counts: readonly RuleCount[],
): Markup {
  const hasFindings = first.length > 0;
  const { account, base_url, server_type, now } = report;
  const missing = missingInWords(report);
  const time = new Date(now).toISOString();
  const day = dayInWords(now);
  const applied = counts.filter(({ checked }) => checked > 0).length;
  const rules = countOf(applied, "rule");
  return html`<header>
    <h1>Who has access to ${chosen(cutText(account))}</h1>
    <p class="where">
      ${chosen(cutText(base_url))}${server_type === "service" ? "" : ` (server type ${server_type})`}, on
      <time datetime="${time}">${day}, ${time.slice(11, 16)} UTC</time>.
      ${report.lists.authorizations === null ? null : "Covers OAuth applications and personal tokens, not SSH keys, deploy keys or sessions."}
    </p>
    ${missing === null ? null : html`<p class="missing">${missing}</p>`}
    <p class="lead">
      ${accessOfUnits(units)}.
      ${
        hasFindings
          ? html`<b>${verdictInWords(units)}</b> ${freshInWords(units, linked)} ${lessUrgent(units)}`
          : html`<span class="${missing === null && applied > 0 ? "good" : ""}"
              >Nothing found by ${rules}.</span
            >`
      }
    </p>
    ${
      !hasFindings
        ? null
        : html`<ul class="tiles">
            ${severities.map((severity) => {
              const count = units.filter((unit) => unit.severity === severity).length;
              const tile = html`<strong>${withCommas(count)}</strong> ${severity} severity`;
              return count === 0
                ? html`<li class="low"><span>${tile}</span></li>`
                : html`<li class="${severity}">
                    <a href="#${hasSeverity(first, severity) ? "worst" : severity}">${tile}</a>
                  </li>`;
            })}
          </ul>`
    }
    <nav aria-label="Contents">
      ${hasFindings ? html`<a href="#worst">${firstTitle}</a> ` : null}
      ${report.comparison === null ? null : html`<a href="#changes">Changes</a> `}
      <a href="#age">Age by access</a> <a href="#rules">Rules</a>
      ${rest.map(({ severity, title }) => html`<a href="#${severity}">${title}</a> `)}
      ${units.length === 0 ? null : html`<a href="#access">All applications and tokens</a>`}
    </nav>
  </header> `;
}

/** `26 November 2026`. `time` is in milliseconds since 1970. */
function dayInWords(time: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(time));
}

/** A sentence that names what is new or gained scopes since the earlier audit; null if there is nothing. */
function freshInWords(units: readonly Unit[], linked: ReadonlySet<Unit>): Markup | null {
  const fresh = units.filter((unit) => unit.isFresh && linked.has(unit));
  if (fresh.length === 0) return null;
  const left = fresh.length - mostChanges;
  return html`New since the earlier audit, or with more scopes:
  ${joinMarkup(fresh.slice(0, mostChanges).map(linkTo))}${left > 0 ? ` and ${withCommas(left)} more` : ""}.`;
}

function joinMarkup(parts: readonly Markup[]): Markup {
  return html`${parts.map((part, place) => html`${place === 0 ? "" : ", "}${part}`)}`;
}

/** The units without a finding of high severity. */
function lessUrgent(units: readonly Unit[]): string {
  const less = units.filter(({ severity }) => severity === "medium" || severity === "low").length;
  const clean = units.filter(({ severity }) => severity === null).length;
  return [
    ...(less === 0
      ? []
      : [`${withCommas(less)} ${less === 1 ? "has" : "have"} only findings of medium or low severity.`]),
    ...(clean === 0 ? [] : [`${withCommas(clean)} ${clean === 1 ? "has" : "have"} no findings.`]),
  ].join(" ");
}

/** The entries of the page: the first ones, and the others by severity, folded. */
interface Layout {
  readonly first: readonly Entry[];
  readonly firstTitle: string;
  readonly rest: readonly RestSection[];
  /** The units whose entries the page has room for, so that their names can link to them. */
  readonly linked: ReadonlySet<Unit>;
}

interface RestSection extends Section {
  readonly severity: Severity;
}

function arrange(entries: readonly Entry[], now: number): Layout {
  const first = firstOf(entries);
  const remaining = entries.slice(first.length);
  const linked = new Set(first.flat());
  const rest = severities.flatMap((severity): readonly RestSection[] => {
    const own = remaining.filter(([unit]) => unit.severity === severity);
    if (own.length === 0) return [];
    const { markups, note } = fit(own, (entry) => entryOf(entry, now));
    for (const unit of own.slice(0, markups.length).flat()) linked.add(unit);
    const title = `${hasSeverity(first, severity) ? "More of" : "All of"} ${severity} severity`;
    const content = html`<ul class="findings" id="${severity}">
        ${markups}
      </ul>
      ${note}`;
    return [{ severity, title, count: own.flat().length, content }];
  });
  return { first, firstTitle: rest.length > 0 ? "What to deal with first" : "Findings", rest, linked };
}

function hasSeverity(entries: readonly Entry[], severity: Severity): boolean {
  return entries.some(([unit]) => unit.severity === severity);
}

function worstSection(report: Report, { first, firstTitle, rest: [next] }: Layout): Markup {
  const shown = first.flat();
  const commands = shown.flatMap(({ actions }) => actions.flatMap((action) => action.commands)).join("\n");
  return html`<section aria-labelledby="worst">
    <h2 id="worst">${firstTitle}</h2>
    <p class="about">
      Run the commands as ${chosen(cutText(report.account))} at ${chosen(cutText(report.base_url))}: “grantctl
      auth status” shows which account is in use.
      ${/ (?:delete [^-]|rotate )/.test(commands) ? "Deletions and rotations ask first and cannot be undone: whatever uses the old token stops working. " : null}
      ${commands.includes(" --remove-scope ") ? "Scopes are removed without a prompt; --add-scope restores them. " : null}
      ${shown.some(({ isFresh }) => isFresh) ? "If you do not recognize new access, also check the server's security log and your sessions, and change your password. " : null}
      ${aboutUpdates}
      ${commands.includes("${NOTE:?") ? "A command with ${NOTE:?…} stops until you set that variable, to a different note for each token: NOTE='backup of host a'." : null}
    </p>
    <ol class="findings">
      ${first.map((entry) => entryOf(entry, report.now))}
    </ol>
    ${next === undefined ? null : html`<p class="next"><a href="#${next.severity}">${withCommas(next.count)} more of ${next.severity} severity</a></p>`}
  </section> `;
}

/** The age-by-permission chart. The riskiest access, broad and old, is at the top right in the strongest colour. */
function ageSection(units: readonly Unit[], linked: ReadonlySet<Unit>, now: number): Markup {
  const rows = ageByPermission(units, now);
  const ages = ageNames.flatMap((name, age) =>
    rows.some(({ counts }) => counts[age] !== 0) ? [{ name, age }] : [],
  );
  const oldCounts = units.map((unit) => countOldAndBroad(unit, now));
  const old = oldCounts.reduce((sum, count) => sum + count, 0);
  const oldAndBroad = units.filter((_, place) => oldCounts[place] !== 0);
  const named = oldAndBroad.slice(0, mostNamed);
  const takeaway = `${old === 0 ? "No token" : countOf(old, "token")} with access to everything, delete or admin access ${old > 1 ? "are" : "is"} older than a year`;
  return html`<section aria-labelledby="age">
    <h2 id="age">${rows.length === 0 ? "Nothing has access" : takeaway}</h2>
    ${
      rows.length === 0
        ? null
        : html`<p class="about">
            ${named.length === 0 ? null : html`${old === 1 ? "It belongs" : "They belong"} to ${joinMarkup(named.map((unit) => (linked.has(unit) ? linkTo(unit) : chosen(cutText(unit.name, 80)))))}${oldAndBroad.length > named.length ? ` and ${withCommas(oldAndBroad.length - named.length)} more` : ""}. `}
            The table counts tokens; a stronger color is broader and older access. “Everything” is full
            control of repositories (repo), an enterprise (admin:enterprise) or the server (site_admin).
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

function changesSection(
  { path }: EarlierAudit,
  groups: readonly ChangeGroup[],
  linked: ReadonlySet<Unit>,
): Markup {
  const units = new Map([...linked].flatMap((unit) => unit.items.map((item) => [keyOf(item), unit])));
  const rows = fit(groups, ({ change, name, keys, items, description }) => {
    const unit = keys.map((key) => units.get(key)).find((own) => own !== undefined);
    const text = chosen(cutText(name));
    return html`<li>
      <span class="chip ${changeColours[change]}">${change}</span>
      <b>${unit === undefined ? text : html`<a href="#${anchorOf(unit)}">${text}</a>`}</b>
      <span class="quiet">${items}</span> ${chosen(cutText(description, 300))}
    </li> `;
  });
  const rest = rows.markups.slice(mostChanges);
  return html`<section aria-labelledby="changes">
    <h2 id="changes">Changes since the earlier audit</h2>
    <p class="about">
      ${groups.length === 0 ? "Nothing changed" : capitalised(changesInWords(groups))} since the audit in
      ${chosen(cutText(path))}.
      ${groups.some(({ change }) => change === "gone") ? "What is gone was deleted or has expired; the server does not say which." : null}
    </p>
    <ul class="plain">
      ${rows.markups.slice(0, mostChanges)}
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
  touched: "low",
  gone: "low",
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
      access, medium for write access, otherwise low. ${idleRulesInWords(report)}
      ${report.comparison === null ? html`To see what changed next time, save this audit as JSON: <code>grantctl audit --json > audit.json</code>` : null}
    </p>
  </section> `;
}

function fold({ title, count, content }: Section): Markup {
  return html`<details class="more">
    <summary>
      <h2>${title}</h2>
      <span class="quiet">${withCommas(count)}</span>
    </summary>
    ${content}
  </details> `;
}

/** The verdict: `16 of 47 applications and personal tokens need attention now.` */
function verdictInWords(units: readonly Unit[]): string {
  const count = units.filter(({ severity }) => severity === "high").length;
  if (count === 0) return "Nothing is urgent.";
  return `${withCommas(count)} of ${withCommas(units.length)} applications and personal tokens ${count === 1 ? "needs" : "need"} attention now.`;
}

// The entries of the audit's page: a unit of access with its findings, the recommended steps and their alternatives.
// Applications that need the same decision (the same access, the same findings, delete or keep) share one entry, also on
// a terminal.
import { capitalised, withCommas } from "../errors/words.ts";
import { reasonsOf, type Unit, type UnitFinding } from "./access.ts";
import { listTable, tokenTable } from "./access-tables.ts";
import { commandsOfMany, type Action } from "./actions.ts";
import { chosen, cutText, html, type Markup } from "./html.ts";
import { keyOf } from "./items.ts";
import { countOf, levelInWords } from "./report.ts";

/** One unit, or more that need the same decision. */
export type Entry = readonly [Unit, ...Unit[]];

/** From three on, similar applications are shorter in one entry. The prompt of a deletion names ten. */
const fewestGrouped = 3;
const mostGrouped = 10;

const mostFirst = 10;
const mostFirstUnits = 15;

/** Groups units that need the same decision; each group is at the place of its first unit. */
export function groupUnits(found: readonly Unit[]): readonly Entry[] {
  const entries: [Unit, ...Unit[]][] = [];
  const open = new Map<string, Unit[]>();
  for (const unit of found) {
    const key = decisionOf(unit);
    const group = open.get(key ?? "");
    if (group !== undefined && group.length < mostGrouped) group.push(unit);
    else {
      const entry: [Unit] = [unit];
      entries.push(entry);
      if (key !== null) open.set(key, entry);
    }
  }
  return entries.flatMap((units): readonly Entry[] =>
    units.length < fewestGrouped ? units.map((unit): Entry => [unit]) : [units],
  );
}

/** Identifies the decision about a unit: its access and its rules, if the only action is to delete the grant. */
function decisionOf(unit: Unit): string | null {
  const [action, ...others] = unit.actions;
  if (others.length > 0 || action === undefined || action.deletedGrant === null || unit.inUse !== null)
    return null;
  const rules = unit.findings.filter((finding) => !isMinor(finding, unit)).map(({ rule }) => rule.text);
  return JSON.stringify([unit.severity, unit.breadth.name, rules]);
}

/** True for a finding of low severity of a unit that has more serious ones. */
function isMinor(finding: UnitFinding, { severity }: Unit): boolean {
  return finding.severity === "low" && severity !== "low";
}

/** The first entries: at most ten, and no more units than are read at once, unless the first entry has more. */
export function firstOf(entries: readonly Entry[]): readonly Entry[] {
  let units = 0;
  return entries.slice(0, mostFirst).filter((entry, place) => {
    units += entry.length;
    return place === 0 || units <= mostFirstUnits;
  });
}

export function anchorOf({ items: [first] }: Unit): string {
  return keyOf(first).replace(" ", "-");
}

/** The name of a unit, which links to its entry. */
export function linkTo(unit: Unit): Markup {
  return html`<a href="#${anchorOf(unit)}">${nameOf(unit)}</a>`;
}

function nameOf({ name }: Unit): Markup {
  return chosen(cutText(name, 80));
}

/** Renders an entry. Findings of low severity are only named. */
export function entryOf(units: Entry, now: number): Markup {
  return units.length === 1 ? unitEntry(units[0], now) : groupEntry(units);
}

function unitEntry(unit: Unit, now: number): Markup {
  const { about, facts, actions, inUse } = unit;
  const minor = reasonsOf(unit, (finding) => isMinor(finding, unit));
  return html`<li id="${anchorOf(unit)}">
    <div>
      <p>
        ${severityChip(unit)} <b>${nameOf(unit)}</b>
        <span class="quiet">${about}${homepageOf(unit)}</span>
      </p>
      <p>${capitalised(facts)}</p>
      <ul class="reasons">
        ${reasonsOfUnit(unit).map((reason) => html`<li>${chosen(cutText(capitalised(reason), 300))}</li> `)}
      </ul>
      ${minor.length === 0 ? null : html`<p class="quiet">Also: ${chosen(cutText(minor.join("; "), 200))}</p>`}
    </div>
    <div>
      ${inUse === null ? null : html`<p class="own">grantctl itself uses ${keyOf(inUse)}: replace it in your configuration before you delete it.</p>`}
      ${actionList(actions)}
    </div>
    ${tokensOf(unit, now)}
  </li> `;
}

/** The tokens that the actions change, folded; null if there is only one. */
function tokensOf({ actions }: Unit, now: number): Markup | null {
  const changed = new Set(actions.flatMap(({ items }) => items));
  const tokens = [...changed].filter(({ resource }) => resource === "authorization");
  if (tokens.length < 2) return null;
  return html`<details class="tokens">
    <summary>The ${countOf(tokens.length, "token")} of these commands</summary>
    ${tokenTable(tokens, now)}
  </details>`;
}

function groupEntry(units: Entry): Markup {
  const [first] = units;
  const minor = new Map<string, number>();
  for (const unit of units)
    for (const finding of unit.findings)
      if (isMinor(finding, unit))
        minor.set(finding.rule.sentence, (minor.get(finding.rule.sentence) ?? 0) + 1);
  const grants = units.flatMap(({ actions }) => actions[0]?.deletedGrant ?? []);
  const choose = grants.flatMap(({ finding }) => finding.commandOfMany ?? []).slice(0, 1);
  return html`<li class="group">
    <p>
      ${severityChip(first)} <b>${countOf(units.length, "application")}</b>
      <span class="quiet">with ${levelInWords(first.breadth.name)} and similar findings</span>
    </p>
    ${listTable(
      ["Application", "Scopes", "Findings"],
      units.map(
        (unit) =>
          html`<tr id="${anchorOf(unit)}">
            <td class="name">
              <b>${nameOf(unit)}</b>
              <span class="quiet">${keyOf(unit.items[0])}${homepageOf(unit)}</span>
            </td>
            <td data-label="Scopes">${unit.scopes === "" ? null : chosen(unit.scopes)}</td>
            <td data-label="Findings">
              ${chosen(cutText(capitalised(reasonsOfUnit(unit).join("; ")), 300))}
            </td>
          </tr> `,
      ),
    )}
    <p>Choose on a terminal what nothing needs, and delete those grants with all their tokens</p>
    ${choose.map(commandText)}
    <div class="quiet">Or, if nothing needs any of them, delete all ${units.length}</div>
    ${commandList(commandsOfMany(grants))}
    ${minor.size === 0 ? null : html`<p class="quiet">Also: ${[...minor].map(([sentence, count]) => `${sentence} (${withCommas(count)})`).join("; ")}</p>`}
  </li> `;
}

/** The application's URL after a comma; null if it is not known. */
function homepageOf({ homepage }: Unit): Markup | null {
  return homepage === null ? null : html`, ${chosen(cutText(homepage, 60))}`;
}

function severityChip({ severity }: Unit): Markup {
  return html`<span class="chip ${severity ?? "low"}">${severity ?? "low"}</span>`;
}

/** The reasons without those of low severity, if there are more serious ones. */
export function reasonsOfUnit(unit: Unit): readonly string[] {
  return reasonsOf(unit, (finding) => !isMinor(finding, unit));
}

function actionList(actions: readonly Action[]): Markup {
  return html`<ul class="steps">
    ${actions.map(
      ({ effect, commands, isAlternative }, place) =>
        html`<li>
          <div class="${isAlternative ? "quiet" : ""}">
            ${isAlternative ? `Or ${effect}` : place === 0 ? capitalised(effect) : `Then ${effect}`}
          </div>
          ${commandList(commands)}
        </li> `,
    )}
  </ul>`;
}

/** The number of commands that are shown at once, and of those that are shown at all. */
const firstCommands = 3;
const mostCommands = 12;

function commandList(commands: readonly string[]): Markup {
  // A fold for a single command would take as much room as the command.
  const first = commands.length === firstCommands + 1 ? commands.length : firstCommands;
  const more = commands.slice(first, mostCommands);
  const left = commands.length - mostCommands;
  return html`${commands.slice(0, first).map(commandText)}
  ${
    more.length === 0
      ? null
      : html`<details>
          <summary>${countOf(commands.length - first, "more command")}</summary>
          ${more.map(commandText)}
          ${left > 0 ? html`<div class="quiet">The remaining ${countOf(left, "command")}: grantctl audit --format csv</div>` : null}
        </details>`
  }`;
}

/** A command, which wraps only between words. */
function commandText(command: string): Markup {
  const words = cutText(command, 400).split(" ");
  return html`<code
    >${words.map((word, place) => html`${place === 0 ? "" : " "}<span>${word}</span>`)}</code
  >`;
}

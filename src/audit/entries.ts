// The entries of the audit's page: a unit of access with its findings and the commands that fix them. The first list has one
// recommended action for each unit; the complete lists have a command for each finding.
import type { Unit, UnitFinding } from "./access.ts";
import { chosen, cutText, html, type Markup } from "./html.ts";
import { countOf } from "./report.ts";

const mostCommands = 3;

/** A unit with its recommended action and alternatives; its findings of low severity are only named. */
export function worstEntry(unit: Unit): Markup {
  const { findings, severity, actions } = unit;
  const isMinor = (finding: UnitFinding): boolean => finding.severity === "low" && severity !== "low";
  const minor = findings.filter(isMinor).map(({ measure }) => measure);
  return html`<li>
    ${entryHead(unit)}
    <p>
      ${chosen(cutText(measuresOf(findings.filter((finding) => !isMinor(finding))), 300))}
      ${minor.length === 0 ? null : html`<span class="quiet">also ${chosen(cutText(minor.join("; "), 200))}</span>`}
    </p>
    <ul>
      ${actions.slice(0, 3).map(
        ({ effect, commands }, place) =>
          html`<li>
            <div class="${place === 0 ? "" : "quiet"}">
              ${place === 0 ? capitalised(effect) : `or ${effect}`}
            </div>
            <div>${commandList(commands)}</div>
          </li>`,
      )}
    </ul>
  </li> `;
}

function measuresOf(findings: readonly UnitFinding[]): string {
  return findings.map(({ measure }) => measure).join("; ");
}

export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function entryHead({ name, about, facts, severity }: Unit): Markup {
  return html`<p>
    <span class="chip ${severity ?? "low"}">${severity ?? "low"}</span> <b>${chosen(cutText(name, 80))}</b>
    <span class="quiet">${about}: ${facts}</span>
  </p>`;
}

/** A unit with a command for each finding. */
export function findingEntry(unit: Unit): Markup {
  // Group findings that have the same fix.
  const byFix = new Map<string, readonly UnitFinding[]>();
  for (const finding of unit.findings) {
    const fix = finding.commands.join("\n");
    byFix.set(fix, [...(byFix.get(fix) ?? []), finding]);
  }
  return html`<li>
    ${entryHead(unit)}
    <ul>
      ${[...byFix.values()].map(
        (same) =>
          html`<li>
            <div>${same.map(({ measure }) => html`<div>${chosen(cutText(measure, 160))}</div>`)}</div>
            <div>${commandList(same[0]?.commands ?? [])}</div>
          </li>`,
      )}
    </ul>
  </li> `;
}

function commandList(commands: readonly string[]): Markup {
  const left = commands.length - mostCommands;
  return html`${commands.slice(0, mostCommands).map(commandText)}
  ${left > 0 ? html`<div class="quiet">${countOf(left, "more command")}: grantctl audit --format csv</div>` : null}`;
}

/** A command, which wraps only between words. */
export function commandText(command: string): Markup {
  const words = cutText(command, 400).split(" ");
  return html`<code
    >${words.map((word, place) => html`${place === 0 ? "" : " "}<span>${word}</span>`)}</code
  >`;
}

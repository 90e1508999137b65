// The entries of the audit's page: a unit of access with its findings, the recommended steps and their alternatives.
import { capitalised } from "../errors/words.ts";
import { reasonsOf, type Unit, type UnitFinding } from "./access.ts";
import { chosen, cutText, html, type Markup } from "./html.ts";
import { keyOf } from "./items.ts";
import { countOf } from "./report.ts";

const mostCommands = 6;

/** Renders a unit with its findings and actions. Its findings of low severity are only named. */
export function entryOf(unit: Unit): Markup {
  const { name, about, facts, severity, actions, inUse } = unit;
  const isMinor = (finding: UnitFinding): boolean => finding.severity === "low" && severity !== "low";
  const reasons = reasonsOf(unit, (finding) => !isMinor(finding));
  const minor = reasonsOf(unit, isMinor);
  return html`<li>
    <div>
      <p>
        <span class="chip ${severity ?? "low"}">${severity ?? "low"}</span>
        <b>${chosen(cutText(name, 80))}</b>
        <span class="quiet">${about}</span>
      </p>
      <p>${capitalised(facts)}</p>
      <ul class="reasons">
        ${reasons.map((reason) => html`<li>${chosen(cutText(capitalised(reason), 300))}</li> `)}
      </ul>
      ${minor.length === 0 ? null : html`<p class="quiet">Also: ${chosen(cutText(minor.join("; "), 200))}</p>`}
      ${inUse === null ? null : html`<p class="own">grantctl itself uses ${keyOf(inUse)}: replace it in your configuration before you delete it.</p>`}
    </div>
    <ul>
      ${actions.map(
        ({ effect, commands, isAlternative }, place) =>
          html`<li>
            <div class="${isAlternative ? "quiet" : ""}">
              ${isAlternative ? `Or ${effect}` : place === 0 ? capitalised(effect) : `Then ${effect}`}
            </div>
            ${commandList(commands)}
          </li> `,
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

// The entries of the audit's page: a unit of access with its findings, the recommended steps and their alternatives.
import { capitalised } from "../errors/words.ts";
import type { Unit, UnitFinding } from "./access.ts";
import { chosen, cutText, html, type Markup } from "./html.ts";
import { countOf } from "./report.ts";

const mostCommands = 6;

/** A unit with the recommended steps and their alternatives; its findings of low severity are only named. */
export function entryOf({ name, about, facts, findings, severity, actions }: Unit): Markup {
  const isMinor = (finding: UnitFinding): boolean => finding.severity === "low" && severity !== "low";
  const minor = findings.filter(isMinor).map(({ measure }) => measure);
  const measures = findings.filter((finding) => !isMinor(finding)).map(({ measure }) => measure);
  return html`<li>
    <p>
      <span class="chip ${severity ?? "low"}">${severity ?? "low"}</span> <b>${chosen(cutText(name, 80))}</b>
      <span class="quiet">${about}: ${facts}</span>
    </p>
    <p>
      ${chosen(cutText(measures.join("; "), 300))}
      ${minor.length === 0 ? null : html`<span class="quiet">also ${chosen(cutText(minor.join("; "), 200))}</span>`}
    </p>
    <ul>
      ${actions.map(
        ({ effect, commands, isAlternative }, place) =>
          html`<li>
            <div class="${isAlternative ? "quiet" : ""}">
              ${isAlternative ? `or ${effect}` : place === 0 ? capitalised(effect) : `then ${effect}`}
            </div>
            <div>${commandList(commands)}</div>
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

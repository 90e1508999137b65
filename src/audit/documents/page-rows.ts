// One row of the page for each thing that has access: its name, how far it reaches, how old it is, each with a bar; and
// one entry for each thing with findings.
import { parseInstant } from "../../lists/age.ts";
import { textOf } from "../../printing/presentation.ts";
import { dayOf, relativeDate } from "../../drawing/relative-date.ts";
import { breadthNames } from "../breadth.ts";
import { commandsOf, type Found } from "../findings.ts";
import type { Item } from "../item.ts";
import { breadthInWords } from "../report.ts";
import { cutText, scopesInWords } from "./cut.ts";
import { chosen, html, type Markup } from "./html.ts";

/** What a row needs to draw its bar of age. */
export interface RowScale {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The age of the oldest. */
  readonly oldestMs: number;
}

const broadest = breadthNames.length - 1;

/** The row of a grant. */
export function grantRow(item: Item, scale: RowScale): Markup {
  return html`<tr>
    ${nameCell(item, item.clientId)} ${reachCell(item)} ${ageCell(item, scale)}
    ${dateCell("Last updated", item.updatedAt, scale)}
  </tr> `;
}

/** The row of an authorization. */
export function tokenRow(item: Item, scale: RowScale): Markup {
  const about = [item.application, item.lastEight === null ? null : `ends in ${item.lastEight}`];
  return html`<tr>
    ${nameCell(item, about.filter((text) => text !== null && text !== item.name).join(", "))}
    ${reachCell(item)} ${ageCell(item, scale)} ${dateCell("Last updated", item.updatedAt, scale)}
    ${dateCell("Expires", item.expiresAt, scale)}
  </tr> `;
}

/** The row of an organization's credential authorization. */
export function credentialRow(item: Item, scale: RowScale): Markup {
  return html`<tr>
    ${nameCell(item, item.lastEight === null ? null : `ends in ${item.lastEight}`)} ${reachCell(item)}
    ${ageCell(item, scale)} ${dateCell("Last used", item.usedAt, scale)}
    ${dateCell("Expires", item.expiresAt, scale)}
  </tr> `;
}

/** One item with findings: how serious they are, what they are, why, and what to do. */
export function findingEntry(item: Item, found: readonly Found[], now: number): Markup {
  const severity = found[0]?.severity ?? "low";
  const age = item.createdAt === null ? null : relativeDate(item.createdAt, now);
  const facts = [breadthInWords(item.breadth.name), ...(age === null ? [] : [`created ${age}`])];
  return html`<li>
    <div>
      <span class="chip ${severity}">${severity}</span>
      <h3>${chosen(cutText(item.name))}</h3>
      <p class="quiet">${item.resource} ${textOf(item.id)}: ${facts.join(", ")}</p>
    </div>
    <ul class="measures">
      ${found.map(({ rule, measure }) => html`<li><strong>${cutText(rule)}</strong>: ${chosen(cutText(measure))}</li> `)}
    </ul>
    <ul class="commands">
      ${commandsOf(item, found).map((command) => html`<li><code>${cutText(command, 400)}</code></li> `)}
    </ul>
  </li> `;
}

/** A thing's name and identifier, for a person and to paste into a command. */
export function identify({ name, resource, id }: Pick<Item, "name" | "resource" | "id">): Markup {
  return html`<b>${chosen(cutText(name))}</b> <span class="quiet">${resource} ${textOf(id)}</span>`;
}

function nameCell(item: Item, about: string | null): Markup {
  const more =
    about === null || about === "" ? null : html`<span class="quiet">${chosen(cutText(about))}</span>`;
  return html`<td class="name">${identify(item)} ${more}</td>`;
}

function reachCell({ scopes, breadth }: Item): Markup {
  const { name, level } = breadth;
  const kind = level === null ? "bu" : `b${level}`;
  const width = level === null ? 100 : (level / broadest) * 100;
  return html`<td data-label="Reach">
    <div>
      ${breadthInWords(name)}
      <svg class="bar" aria-hidden="true"><rect class="${kind}" width="${width}%" height="100%" /></svg>
      ${scopes === null || scopes.length === 0 ? null : html`<span class="quiet">${chosen(scopesInWords(scopes))}</span>`}
    </div>
  </td>`;
}

function ageCell({ createdAt }: Item, { now, oldestMs }: RowScale): Markup {
  const created = parseInstant(createdAt);
  if (createdAt === null || created === null) return html`<td data-label="Since">not known</td>`;
  const width = Math.max(0, Math.min(100, ((now - created) / oldestMs) * 100));
  return html`<td data-label="Since">
    <div>
      ${timeOf(createdAt, now)}
      <svg class="bar" aria-hidden="true">
        <rect class="age" width="${width.toFixed(1)}%" height="100%" />
      </svg>
    </div>
  </td>`;
}

function dateCell(label: string, date: string | null, { now }: RowScale): Markup {
  // Nothing at all between the tags, so that a narrow page leaves it out.
  return date === null
    ? html`<td data-label="${label}"></td>`
    : html`<td data-label="${label}">${timeOf(date, now)}</td>`;
}

/** How long ago a date was, with the day beside it; only the day for a date in the future. */
function timeOf(date: string, now: number): Markup {
  const day = dayOf(date);
  const ago = relativeDate(date, now);
  if (parseInstant(date) === null) return chosen(cutText(date, 40));
  return ago === null
    ? html`<time datetime="${day}">${day}</time>`
    : html`<time datetime="${day}">${ago} <span class="quiet">${day}</span></time>`;
}

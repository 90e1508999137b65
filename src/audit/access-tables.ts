// The tables of everything with access: applications with their tokens, and personal tokens.
import { dayOf, relativeDate } from "../drawing/relative-date.ts";
import type { Unit } from "./access.ts";
import { chosen, cutText, fit, html, scopesInWords, type Markup } from "./html.ts";
import { keyOf, type AuditItem } from "./items.ts";
import { breadthInWords, countOf } from "./report.ts";

/** A section of the page that can be folded. */
export interface Section {
  readonly title: string;
  /** The number of units. */
  readonly count: number;
  readonly content: Markup;
}

/** One table per kind of unit. The first has the ID `access`. `now` is in milliseconds since 1970. */
export function accessTables(units: readonly Unit[], now: number): readonly Section[] {
  const kinds = [
    ["application", "Applications, with their tokens"],
    ["token", "Personal tokens"],
  ] as const;
  const tables: Section[] = [];
  for (const [kind, title] of kinds) {
    const own = units.filter((unit) => unit.kind === kind);
    if (own.length === 0) continue;
    const expires = own.some(({ items }) => items.some(({ expires_at }) => expires_at !== null));
    const rows = own.flatMap(({ items, name }): readonly (string | readonly AuditItem[])[] => {
      const [first, second, ...others] = items;
      const each = items.map((item) => [item]);
      if (kind === "application" && first.resource !== "grant") return [name, ...each];
      // A grant with its only token is one row, unless their scopes differ.
      return second !== undefined && others.length === 0 && hasSameScopes(items) ? [items] : each;
    });
    const { markups, note } = fit(rows, (row) =>
      typeof row === "string" ? applicationRow(row) : itemRow(row, { kind, expires }, now),
    );
    const titles = ["Name", "Access", "Created", "Last updated", ...(expires ? ["Expires"] : [])];
    const id = tables.length === 0 ? "access" : `access-${kind}`;
    tables.push({ title, count: own.length, content: html`${listTable(titles, markups, id)} ${note}` });
  }
  return tables;
}

const mostTokens = 50;

/** A table of a unit's tokens, those with the broadest access first. */
export function tokenTable(tokens: readonly AuditItem[], now: number): Markup {
  const sorted = tokens.toSorted((one, other) => other.breadth.level - one.breadth.level);
  const table: ItemTable = { kind: "application", expires: false };
  const rows = sorted.slice(0, mostTokens).map((item) => itemRow([item], table, now));
  const left = tokens.length - rows.length;
  const more =
    left > 0 ? html`<p class="quiet">${countOf(left, "more token")}: grantctl audit --format csv</p>` : null;
  return html`${listTable(["Token", "Access", "Created", "Last updated"], rows)} ${more}`;
}

/** A table that is a list of cards on a narrow page; its cells then need the attribute `data-label`. */
export function listTable(
  titles: readonly string[],
  rows: readonly Markup[],
  id: string | null = null,
): Markup {
  return html`<table class="list" ${id === null ? null : html`id="${id}"`}>
    <thead>
      <tr>
        ${titles.map((text) => html`<th scope="col">${text}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function hasSameScopes(items: readonly AuditItem[]): boolean {
  const [first, ...others] = items.map(({ scopes }) => JSON.stringify(scopes?.toSorted() ?? null));
  return others.every((scopes) => scopes === first);
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
  /** True if it has a column for expiry dates. */
  readonly expires: boolean;
}

function itemRow(items: readonly AuditItem[], { kind, expires }: ItemTable, now: number): Markup {
  const [first, second] = items as readonly [AuditItem, AuditItem?];
  const { name, scopes, breadth } = first;
  const isBelow = kind === "application" && first.resource !== "grant";
  const permissions = scopes === null || scopes.length === 0 ? null : chosen(scopesInWords(scopes));
  const { created_at, updated_at, expires_at } = second ?? first;
  return html`<tr>
    <td class="name${isBelow ? " below" : ""}">
      ${isBelow && first.note === null ? html`<i>no note</i>` : html`<b>${chosen(cutText(name))}</b>`}
      <span class="quiet">${items.map(placeInWords).join("; ")}</span>
    </td>
    <td data-label="Access">
      <div>
        ${breadthInWords(breadth.name)}
        ${permissions === null ? null : html`<span class="quiet">${permissions}</span>`}
      </div>
    </td>
    ${dateCell("Created", first.created_at ?? created_at, now)} ${dateCell("Last updated", updated_at, now)}
    ${expires ? dateCell("Expires", expires_at, now) : null}
  </tr> `;
}

/** `grant 5, client ID 0123`, or `authorization 7, ends in 12345678`. */
function placeInWords(item: AuditItem): string {
  const { resource, client_id, token_last_eight } = item;
  const [label, value] = resource === "grant" ? ["client ID", client_id] : ["ends in", token_last_eight];
  return value === null ? keyOf(item) : `${keyOf(item)}, ${cutText(`${label} ${value}`)}`;
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

// What the page's sections are made of: a heading, a table, and as many rows as a reader's browser can bear.
import { withCommas } from "../../errors/words.ts";
import { mostRows } from "./cut.ts";
import { html, type Markup } from "./html.ts";

/** Bytes of one table at most: names and scopes may be long, and the file is to stay usable. */
const mostBytes = 850_000;

/** A section with its heading, whose identifier is its name in lower case. */
export function sectionOf(heading: string, about: string, content: Markup, note: Markup | null): Markup {
  const id = heading.toLowerCase();
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <p class="about">${about}</p>
    ${content} ${note}
  </section> `;
}

/** A table that a narrow page shows row by row; nothing where it has none. */
export function tableOf(
  label: string,
  titles: readonly string[],
  classes: readonly string[],
  rows: readonly Markup[],
): Markup {
  if (rows.length === 0) return html``;
  return html`<table class="list" aria-labelledby="${label}">
    <thead>
      <tr>
        ${titles.map((title, index) => html`<th scope="col" class="${classes[index] ?? "when"}">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table> `;
}

/** As many rows as there is room for, and a line about the others, of which only the number need be known. */
export function fit<Row>(
  first: readonly Row[],
  count: number,
  toMarkup: (row: Row) => Markup,
): { readonly rows: readonly Markup[]; readonly note: Markup | null } {
  const rows: Markup[] = [];
  let bytes = 0;
  for (const row of first.slice(0, mostRows)) {
    const markup = toMarkup(row);
    bytes += Buffer.byteLength(markup.markup);
    if (bytes > mostBytes) break;
    rows.push(markup);
  }
  if (rows.length === count) return { rows, note: null };
  const note = html`<p class="cut">
    The first ${withCommas(rows.length)} of ${withCommas(count)} are shown;
    <code>grantctl audit --format csv</code> has them all.
  </p> `;
  return { rows, note };
}

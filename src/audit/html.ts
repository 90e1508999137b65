// HTML templates, and the limits on long texts and lists in reports for people.
//
// Every value in a template with the tag `html` is sanitised and escaped, unless it is the result of such a template.
// The sandbox's pages have their own template tag, because the sandbox shares no code with the client.
import { sanitise } from "../drawing/sanitise.ts";
import { withCommas } from "../errors/words.ts";

const mostRows = 1000;
const mostTableBytes = 850_000;
const mostScopes = 12;

export function cutText(text: string, longest = 120): string {
  if (text.length <= longest) return text;
  // Do not split a surrogate pair.
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The first scopes, separated by commas, and the number of the remaining ones. */
export function scopesInWords(scopes: readonly string[], most = mostScopes): string {
  const shown = scopes.slice(0, most).map((scope) => cutText(scope, 40));
  const left = scopes.length - shown.length;
  return left === 0 ? shown.join(", ") : `${shown.join(", ")} and ${left} more`;
}

export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | null | readonly Markup[];

/** Template tag that sanitises and escapes its values; null renders as nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.map((text, index) => text + render(parts[index] ?? null)).join("") };
}

/** Untrusted text, isolated so that its writing direction does not affect its surroundings. */
export function chosen(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

function render(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number") return escape(sanitise(String(part)));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for element content and quoted attributes. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Renders the rows that fit within the limits; `note` counts the omitted ones, or is null. */
export function fit<Row>(
  all: readonly Row[],
  toMarkup: (row: Row) => Markup,
): { readonly markups: readonly Markup[]; readonly note: Markup | null } {
  const markups: Markup[] = [];
  let bytes = 0;
  for (const row of all.slice(0, mostRows)) {
    const markup = toMarkup(row);
    bytes += Buffer.byteLength(markup.markup);
    if (bytes > mostTableBytes) break;
    markups.push(markup);
  }
  if (markups.length === all.length) return { markups, note: null };
  const note = html`<p class="cut">
    The first ${withCommas(markups.length)} of ${withCommas(all.length)} are shown;
    <code>grantctl audit --format csv</code> has all.
  </p> `;
  return { markups, note };
}

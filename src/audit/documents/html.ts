// HTML from templates. The rule: whatever is put into a template passes the one sanitiser and is escaped, unless it came
// out of a template. The sandbox's pages have a template tag of their own, because the two share no code.
import { sanitise } from "../../drawing/sanitise.ts";

/** Markup that may be put into a page as it is. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | null | readonly Markup[];

/** A template tag; null stands for nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.map((text, index) => text + render(parts[index] ?? null)).join("") };
}

/** A text that others chose: it keeps its direction to itself. */
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

/** Safe between tags and within quotes. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

// HTML from templates. The rule: whatever is put into a template is escaped, unless it came out of one.

/** Markup that may be sent as it is. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** A template tag: `html`<b>${text}</b>``. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.map((text, index) => text + render(parts[index] ?? "")).join("") };
}

/** How much of a text that a client chose is shown. */
const longestText = 200;

/**
 * A text that a client chose, which may be hostile or endless: cut, on one line, and kept from reordering what stands
 * around it.
 */
export function showChosenText(text: string): Html {
  if (text.length <= longestText) return html`<bdi>${text}</bdi>`;
  // Not in the middle of a character.
  const beginning = text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "");
  return html`<bdi>${beginning}…</bdi>`;
}

function render(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escape(String(part));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Control characters, which mean nothing in HTML, and those that would change the direction of what follows.
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Safe between tags and within quotes; characters that would act unseen are shown as unknown ones. */
function escape(text: string): string {
  return text
    .replaceAll(invisible, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

// HTML pages: templates, the frame around a page's content, its style, and the headers that protect it.
//
// - Every value in a template is escaped, unless it is the result of a template (`Html`).
// - Text from clients is untrusted and may be very long: it is shown with `showUntrustedText`.
// - A page has no script, loads nothing from another origin, cannot be framed and is not cached. The policy permits
//   exactly one style, by its hash.
// - A title contains no text from clients.
import { createHash } from "node:crypto";
import type { ServiceResponse } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";

/** Markup that needs no escaping. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** Template tag that escapes its values: `html`<b>${text}</b>``. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.map((text, index) => text + render(parts[index] ?? "")).join("") };
}

/** In UTF-16 code units. */
const maxTextLength = 200;

/** Shows text from a client: truncated, on one line, and isolated so that it cannot reorder the text around it. */
export function showUntrustedText(text: string): Html {
  if (text.length <= maxTextLength) return html`<bdi>${text}</bdi>`;
  // Do not split a surrogate pair.
  const beginning = text.slice(0, maxTextLength).replace(/[\ud800-\udbff]$/, "");
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

// Control characters, which have no meaning in HTML, and those that change the direction of the text after them.
const controlCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Safe between tags and within quotes. Control characters become replacement characters. */
function escape(text: string): string {
  return text
    .replaceAll(controlCharacters, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

const style = `
:root {
  color-scheme: light dark;
  --page: #f3f5f8; --card: #ffffff; --text: #1b2430; --quiet: #55606e; --line: #d5dbe3; --chip: #e9edf3;
  --edge: #748192;
  --main: #0b5cad; --on-main: #ffffff; --focus: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11151b; --card: #1a2028; --text: #e7ebf1; --quiet: #a8b3c1; --line: #364050; --chip: #2a3340;
    --edge: #7c899a;
    --main: #8cc0ff; --on-main: #0a1a2c; --focus: #8cc0ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
header, main { max-width: 38rem; margin: 0 auto; }
header { padding: 0 .25rem .75rem; color: var(--quiet); font-size: .875rem; }
header strong { color: var(--text); }
main > section {
  background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.5rem; margin: 0 0 1rem;
}
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
h1, p, dd, li { overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
p:last-child { margin-bottom: 0; }
.quiet { color: var(--quiet); font-size: .9375rem; }
dl { margin: 1.25rem 0; border-top: 1px solid var(--line); }
dl > div { display: flex; gap: 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 7.5rem; color: var(--quiet); }
dd { margin: 0; min-width: 0; }
code { font: .9375em ui-monospace, "DejaVu Sans Mono", monospace; }
.chips { display: flex; flex-wrap: wrap; gap: .375rem; margin: .5rem 0 0; padding: 0; list-style: none; }
.chips li { padding: .0625rem .5rem; border-radius: 1rem; background: var(--chip); font-size: .875rem; }
dd .chips { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .5rem 1.25rem;
  border: 1px solid var(--edge); border-radius: .5rem; background: transparent; color: var(--text);
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
.button:hover { background: var(--chip); }
.button.main { border-color: var(--main); background: var(--main); color: var(--on-main); }
.button.main:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding-top: 1rem; }
  main > section { padding: 1.25rem; }
  dl > div { flex-direction: column; gap: 0; }
  dt { flex-basis: auto; font-size: .875rem; }
  .actions > * { flex: 1 1 100%; width: 100%; }
}
`;

// Not written in the template, because the policy below contains the hash of exactly this text, without white space.
const styleElement: Html = { markup: `<style>${style}</style>` };
const styleHash = createHash("sha256").update(style).digest("base64");

const headers = {
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  // With no-referrer, browsers would send forms with the origin "null", which the gate rejects.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** `title` must not contain text from clients. */
export function htmlPage(status: number, title: string, content: Html): ServiceResponse {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · grantctl sandbox</title>
        ${styleElement}
      </head>
      <body>
        <header><strong>grantctl sandbox</strong> · for practice only</header>
        <main>${content}</main>
      </body>
    </html> `;
  return { status, headers, body: undefined, html: markup };
}

export function messagePage(status: number, title: string, ...paragraphs: readonly Html[]): ServiceResponse {
  const text = paragraphs.map((paragraph) => html`<p>${paragraph}</p> `);
  return htmlPage(
    status,
    title,
    html`<section>
      <h1>${title}</h1>
      ${text}
    </section>`,
  );
}

/**
 * Redirects a browser that used another host name to the base URL, because forms are accepted only from that origin.
 */
export function redirectToBaseUrl(request: SandboxRequest, baseUrl: string): ServiceResponse | null {
  const host = request.header("host");
  if (request.method !== "GET" || host === undefined || `http://${host}` === baseUrl) return null;
  const query = request.query === "" ? "" : `?${request.query}`;
  return { status: 307, headers: { ...headers, Location: baseUrl + request.path + query }, body: undefined };
}

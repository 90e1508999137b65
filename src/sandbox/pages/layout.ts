// A whole page as an answer: the frame around its content, and the headers that keep it to itself. The rule: no script,
// no other origin, no frame, no cache.
import { createHash } from "node:crypto";
import type { Answer } from "../http/answer.ts";
import type { SandboxRequest } from "../http/sandbox-request.ts";
import { html, type Html } from "./html.ts";
import { style } from "./style.ts";

// Not written in the template, because the policy below has the hash of exactly this text, without any white space.
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
  // Not no-referrer: a form would then be sent with the origin "null", like one of a foreign page.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** A page; `title` stands in the browser's tab and holds nothing that a client chose. */
export function answerPageOf(status: number, title: string, content: Html): Answer {
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

/** A page that says one thing, and what to do now. */
export function answerMessage(status: number, title: string, ...paragraphs: readonly Html[]): Answer {
  const text = paragraphs.map((paragraph) => html`<p>${paragraph}</p> `);
  return answerPageOf(
    status,
    title,
    html`<section>
      <h1>${title}</h1>
      ${text}
    </section>`,
  );
}

/**
 * Redirects a browser that used another host name to the page's own address, because forms are accepted only from
 * there.
 */
export function leadHome(request: SandboxRequest, baseUrl: string): Answer | null {
  const host = request.header("host");
  if (request.method !== "GET" || host === undefined || `http://${host}` === baseUrl) return null;
  const query = request.query === "" ? "" : `?${request.query}`;
  return { status: 307, headers: { ...headers, Location: baseUrl + request.path + query }, body: undefined };
}

/** Redirects to another page of the sandbox after a form was accepted. */
export function seeOther(path: string): Answer {
  return { status: 303, headers: { ...headers, Location: path }, body: undefined };
}

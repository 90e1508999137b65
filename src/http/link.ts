// Reads the `Link` header (RFC 8288). Only page numbers come out of it: the address in it is never a place to go.
// Reads in one pass over hostile text, in linear time.

/** The page numbers that a `Link` header names; null where it names none, or one that is no positive integer. */
export interface LinkedPages {
  readonly next: number | null;
  readonly last: number | null;
  /** Whether there is a `next` at all, with a readable page number or without. */
  readonly hasNext: boolean;
}

/** Reads `rel="next"` and `rel="last"`; several headers arrive joined with commas. The first of a relation counts. */
export function readLink(header: string | undefined): LinkedPages {
  const targets = new Map<string, string>();
  for (const { target, relations } of splitLinks(header ?? "")) {
    for (const relation of relations) {
      if (!targets.has(relation)) targets.set(relation, target);
    }
  }
  return {
    next: pageOf(targets.get("next")),
    last: pageOf(targets.get("last")),
    hasNext: targets.has("next"),
  };
}

/** The address of `rel="next"` as it stands there, for a note about it and nothing else; null where there is none. */
export function nextAddress(header: string): string | null {
  return splitLinks(header).find(({ relations }) => relations.includes("next"))?.target ?? null;
}

/** Whether there is a header of which no link can be read: then nobody knows whether the list goes on. */
export function isUnreadableLink(header: string | undefined): boolean {
  return header !== undefined && header.trim() !== "" && splitLinks(header).length === 0;
}

function pageOf(target: string | undefined): number | null {
  if (target === undefined) return null;
  const query = /^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? "";
  const page = parameterOf(query, "page") ?? "";
  return /^[1-9]\d{0,14}$/.test(page) ? Number(page) : null;
}

/** Read one by one: on Node 24, `URLSearchParams` takes quadratic time for very many parameters at once. */
function parameterOf(query: string, name: string): string | null {
  for (const pair of query.split("&")) {
    const value = new URLSearchParams(`&${pair}`).get(name);
    if (value !== null) return value;
  }
  return null;
}

interface LinkValue {
  readonly target: string;
  readonly relations: readonly string[];
}

function splitLinks(header: string): readonly LinkValue[] {
  const links: LinkValue[] = [];
  let at = 0;
  while (at < header.length) {
    const open = header.indexOf("<", at);
    if (open === -1) break;
    const close = header.indexOf(">", open);
    if (close === -1) break;
    const end = endOfParameters(header, close + 1);
    links.push({
      target: header.slice(open + 1, close),
      relations: relationsOf(header.slice(close + 1, end)),
    });
    at = end + 1;
  }
  return links;
}

/** Where this link's parameters end: at the next comma outside of quotes. */
function endOfParameters(header: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < header.length; at += 1) {
    const character = header[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) return at;
  }
  return header.length;
}

function relationsOf(parameters: string): readonly string[] {
  for (const [name, value] of splitParameters(parameters)) {
    // Only the first rel of a link counts (RFC 8288, 3.3).
    if (name === "rel")
      return value
        .toLowerCase()
        .split(/\s+/)
        .filter((relation) => relation !== "");
  }
  return [];
}

function splitParameters(text: string): readonly (readonly [name: string, value: string])[] {
  const parameters: [string, string][] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (at >= text.length || (character === ";" && !isQuoted)) {
      const [name = "", ...rest] = text.slice(start, at).split("=");
      const value = rest.join("=").trim();
      parameters.push([name.trim().toLowerCase(), value.replace(/^"/, "").replace(/"$/, "")]);
      start = at + 1;
    }
  }
  return parameters;
}

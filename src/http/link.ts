// Reads the page numbers in a `Link` header (RFC 8288); its URLs are never requested. Parses in linear time, because
// the text may be hostile.

/** The page numbers in a `Link` header; null if missing or not a positive integer. */
export interface LinkedPages {
  readonly next: number | null;
  readonly last: number | null;
  /** True if there is a `next` link, even without a valid page number. */
  readonly hasNext: boolean;
  /** True if there is a header but no link can be read from it: the list may have more pages. */
  readonly isUnreadable: boolean;
}

/** Reads `rel="next"` and `rel="last"`, the first link of each. Several headers arrive joined with commas. */
export function readLink(header = ""): LinkedPages {
  const links = splitLinks(header);
  const next = findTarget(links, "next");
  return {
    next: parsePageNumber(next),
    last: parsePageNumber(findTarget(links, "last")),
    hasNext: next !== undefined,
    isUnreadable: links.length === 0 && header.trim() !== "",
  };
}

function findTarget(links: readonly LinkValue[], relation: string): string | undefined {
  return links.find(({ relations }) => relations?.includes(relation))?.target;
}

function parsePageNumber(target: string | undefined): number | null {
  const query = target?.match(/^[^?#]*\?([^#]*)/)?.[1] ?? "";
  const page = readPageParameter(query)?.match(/^[1-9]\d{0,14}$/)?.[0];
  return page === undefined ? null : Number(page);
}

/** Parses the parameters one by one: on Node 24, `URLSearchParams` takes quadratic time for very many at once. */
function readPageParameter(query: string): string | null {
  for (const pair of query.split("&")) {
    const value = new URLSearchParams(`&${pair}`).get("page");
    if (value !== null) return value;
  }
  return null;
}

interface LinkValue {
  readonly target: string;
  /** Absent for a link without a `rel`. */
  readonly relations: readonly string[] | undefined;
}

function splitLinks(header: string): readonly LinkValue[] {
  const links: LinkValue[] = [];
  let open = header.indexOf("<");
  while (open !== -1) {
    const close = header.indexOf(">", open);
    if (close === -1) break;
    const end = findSeparator(header, close, ",");
    links.push({
      target: header.slice(open + 1, close),
      relations: parseRelations(header.slice(close, end)),
    });
    open = header.indexOf("<", end);
  }
  return links;
}

/** The relations of a link's first `rel`; others are ignored (RFC 8288, 3.3). `parameters` begins with the `>`. */
function parseRelations(parameters: string): readonly string[] | undefined {
  for (let end = 0; end < parameters.length;) {
    const start = end + 1;
    end = findSeparator(parameters, start, ";");
    const parameter = parameters.slice(start, end);
    if (/^\s*rel\s*(?:=|$)/i.test(parameter)) {
      const value = parameter.slice(parameter.indexOf("=") + 1).trim();
      return value.replace(/^"/, "").replace(/"$/, "").toLowerCase().split(/\s/);
    }
  }
  return undefined;
}

/** The index of the next separator outside quotes, or of the end of the text. */
function findSeparator(text: string, from: number, separator: string): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) return at;
  }
  return text.length;
}

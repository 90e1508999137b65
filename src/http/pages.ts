// Reads lists page by page. From `Link` (RFC 8288) only page numbers are taken: `last` lets pages be fetched at the same
// time, and `next` must be the following page. `grantctl api` also follows another query of `next`, such as a cursor, if
// it is at the origin and path of the request itself. No other part of an address in a response is ever used.
//
// Pages are yielded in order, and at most `concurrency` are in flight or wait to be read. With a limit, one is fetched
// at a time. They stay bytes until they are read, which costs the garbage collector nothing.
//
// A full page without `Link` is followed by a request for the next one, because a gateway may have removed the header. A
// list that breaks off, repeats itself, or whose last page was not seen, fails: what came is printed already, and must not
// be mistaken for the whole list.
import { Failure, isFailure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import { exactText, isObject } from "../json.ts";
import { parseUrl } from "./urls.ts";
import { readResponse, type Service } from "./service.ts";

export interface Paging {
  /** The number of items to yield; null for all. No page is fetched after the last of them. */
  readonly limit: number | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly concurrency: number;
  /** Called before each page is yielded, with its position and the total number of pages, or null if unknown. */
  readonly onPage?: (position: number, total: number | null) => void;
}

/** A list operation: yields pages in the server's order, with the items that `isWanted` accepts, which is asked of whole pages. */
export type ListOperation<Item> = ReturnType<typeof listOperation<Item>>;

const mostPerPage = 100;

/** The operation for a list that numbers its pages. `check` throws for an item that violates the specification. */
export function listOperation<T>(template: string, subject: string, check: (item: unknown) => T) {
  return (service: Service, paging: Paging, isWanted?: (item: T) => boolean) => {
    const fetchPage = async (page: PagePlace): Promise<ListPage<T>> => {
      const number = page === 1 ? {} : { page: String(page) };
      const query = { per_page: String(mostPerPage), ...paging.query, ...number };
      const call = { method: "GET", template, subject, query } as const;
      const exchange = await service.exchange(call).catch((error: unknown) => {
        if (!isFailure(error, "not-found")) throw error;
        // Every account has these lists.
        throw error.with({}, "wrong user name or password, or the base URL is not the API's (status 404)");
      });
      const read = (): readonly T[] => readResponse(exchange, [200], (body) => checkItems(body, page, check));
      // A gateway may have emptied the header.
      const link = exchange.response.headers["link"]?.trim() ?? "";
      return { ...readLinks(link), read, isUnlinked: link === "" };
    };
    return walkPages(paging, fetchPage, isWanted, idOf);
  };
}

const idOf = (item: unknown): string | null => (isObject(item) ? exactText(item["id"]) : null);

function checkItems<T>(body: unknown, page: PagePlace, check: (item: unknown) => T): readonly T[] {
  if (!Array.isArray(body)) throw new TypeError(`page ${page} is not an array`);
  return body.map((item: unknown, index) => {
    try {
      return check(item);
    } catch (cause) {
      const problem = cause instanceof TypeError ? `: ${cause.message}` : "";
      throw new TypeError(`item ${index + 1} of page ${page}${problem}`, { cause });
    }
  });
}

export interface ListPage<T> extends PageLinks {
  /** Parses and checks the items; throws as readResponse does. */
  readonly read: () => readonly T[];
  /** True if there was no `Link`, and the next page may be asked for by its number. */
  readonly isUnlinked?: boolean;
}

export async function* walkPages<T>(
  { limit, concurrency, onPage }: Paging,
  fetchPage: (place: PagePlace) => Promise<ListPage<T>>,
  isWanted: (item: T) => boolean = () => true,
  /** The key by which an item is recognised if it comes again; null if it has none. */
  keyOf: (item: T) => string | null = () => null,
): AsyncGenerator<readonly T[], void, undefined> {
  const progress = { pages: 0, items: 0 };
  const queries = new Set<string>();
  /** Pages that are fetched ahead, the next one first. */
  const ahead: Promise<ListPage<T>>[] = [];
  let wanted = limit ?? Infinity;
  let announced = 0;
  let place: PagePlace | null = 1;
  const seen = new Set<string | null>();
  /** True for a page that no link led to. */
  let isGuess = false;
  try {
    for (let position = 1; place !== null; position += 1) {
      const { next, last, read, isUnlinked }: ListPage<T> = await (ahead.shift() ?? fetchPage(place));
      announced = last ?? announced;
      const furthest = limit === null && next === position + 1 ? Math.max(next, announced) : 0;
      while (ahead.length < concurrency && position + ahead.length < furthest) {
        const page = fetchPage(position + ahead.length + 1);
        // Thrown when its turn comes.
        page.catch(() => undefined);
        ahead.push(page);
      }
      // These requests are on their way before this page is read.
      await new Promise(setImmediate);
      const items = read();
      const keys = items.map(keyOf);
      if (items.length > 0 && keys.every((key) => key !== null && seen.has(key))) {
        // The server does not page, or one item was added in front of a list that had ended.
        if (isGuess && items.length !== mostPerPage) return;
        throw new Failure("protocol", "the server sent nothing but items of earlier pages again", {
          hint: "Items may have been moved in the meantime. Run the command again.",
        });
      }
      for (const key of keys) seen.add(key);
      progress.pages = position;
      progress.items += items.length;
      const found = items.filter(isWanted).slice(0, wanted);
      wanted -= found.length;
      // With a limit, how many pages it takes is not known before its end.
      const isLast = next === null || wanted <= 0;
      onPage?.(position, isLast ? position : limit === null ? last : null);
      yield found;
      if (wanted <= 0) return;
      isGuess = isUnlinked === true && announced === 0 && items.length >= mostPerPage;
      place = isGuess ? position + 1 : placeAfter(position, next, announced, queries);
    }
  } catch (error) {
    throw incompleteListFailure(error, progress);
  }
}

/** The place of the next page; null after the last one. Throws if the list goes on, but the link does not lead there. */
function placeAfter(
  position: number,
  next: PagePlace | null,
  announced: number,
  queries: Set<string>,
): PagePlace | null {
  if (next === null && position >= announced) return null;
  if (next === null)
    throw new Failure("protocol", `the server announced ${announced} pages and sent ${position}`, {
      hint: "Items may have been deleted in the meantime. Run the command again.",
    });
  if (typeof next === "number" ? next !== position + 1 : next === "" || queries.has(next))
    throw new Failure("protocol", `the link after page ${position} does not lead to the next page`);
  if (typeof next === "string") queries.add(next);
  return next;
}

/**
 * Adds the number of pages and items that arrived to a failure. The numbers precede the reason, which may be truncated.
 * Unchanged if no page arrived, or if the error is a bug.
 */
export function incompleteListFailure(
  error: unknown,
  { pages, items }: { readonly pages: number; readonly items?: number },
): unknown {
  if (!(error instanceof Failure) || pages === 0) return error;
  const came = [counted(pages, "page"), ...(items === undefined ? [] : [counted(items, "item")])].join(", ");
  return error.with({ cause: error }, `the list is incomplete, it broke off after ${came}: ${error.message}`);
}

// ---- Link

/** The number of a page, or the whole query that the server gave for it. */
export type PagePlace = number | string;

interface PageLinks {
  /** Null if there is no next page; empty if there may be one that cannot be followed. */
  readonly next: PagePlace | null;
  /** The number of the last page; null if it is not announced. */
  readonly last: number | null;
}

/** A link and its parameters. Links cannot nest, so this is linear. */
const linkForm = /<([^<>]*)>([^<]*)/g;
/** A quoted parameter other than the relation: it may hold anything. */
const quotedForm = /;\s*(?!rel\b)[\w*-]+\s*=\s*"(?:[^"\\]|\\.)*"/gi;
const relationForm = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;

/**
 * Reads `rel="next"` and `rel="last"`, the first link of each; several headers arrive joined with commas. `list` is the
 * URL of the first page, of which another one may have another query.
 */
export function readLinks(header = "", list?: URL): PageLinks {
  const targets = new Map<string, string>();
  for (const [, target = "", parameters = ""] of header.replaceAll(quotedForm, "").matchAll(linkForm)) {
    const [, quoted, plain = ""] = relationForm.exec(parameters) ?? [];
    for (const relation of (quoted ?? plain).toLowerCase().split(/\s+/))
      if (!targets.has(relation)) targets.set(relation, target);
  }
  const [next, last] = [targets.get("next"), targets.get("last")];
  const lastPage = last === undefined ? null : pageIn(last);
  if (next !== undefined) return { next: queryOf(next, list) ?? pageIn(next) ?? "", last: lastPage };
  return { next: targets.size === 0 && header.trim() !== "" ? "" : null, last: lastPage };
}

function pageIn(target: string): number | null {
  const query = /\?([^#]*)/.exec(target)?.[1] ?? "";
  const page = new URLSearchParams(query).get("page") ?? "";
  return /^[1-9]\d{0,14}$/.test(page) ? Number(page) : null;
}

/** The query of a link to the list's own path; null if it only numbers another page of the list's own query. */
function queryOf(target: string, list: URL | undefined): string | null {
  const url = list === undefined ? null : parseUrl(target, list.href);
  if (list === undefined || url?.origin !== list.origin || url.pathname !== list.pathname) return null;
  if (url.search === list.search) return "";
  const own = [...list.searchParams].map(String);
  const others = [...url.searchParams].filter(([name]) => name !== "page").map(String);
  // Not all servers repeat the parameters that stay.
  return pageIn(target) !== null && others.every((parameter) => own.includes(parameter)) ? null : url.search;
}

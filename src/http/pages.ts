// Walks a list page by page. Only page numbers are read from `Link`: `last` allows fetching pages side by side, and
// `next` must be the following page. Pages are yielded in order, and at most twice `concurrency` of them are held.
import { Failure } from "../errors/errors.ts";
import { readItems, type ItemCheck, type JsonItem, type JsonItems } from "../json/items.ts";
import { brokenOff } from "./broken-list.ts";
import { untilWritten } from "./free-connections.ts";
import { isUnreadableLink, readLink } from "./link.ts";
import { createPagesAhead, type PagesAhead } from "./pages-ahead.ts";
import type { HttpAnswer } from "./request.ts";
import { readAnswerAs, type Call, type Service } from "./service.ts";

/** More pages than any account has: a list that goes on is broken. */
const maxPages = 100_000;

/**
 * Up to this page, requests go out before a page is parsed. In a longer list memory counts: pages that arrive early
 * outlive V8's young generation.
 */
const sentFirst = 100;

export interface Paging {
  /** How many items to yield; null for all. No page is fetched after the last of them. */
  readonly limit: number | null;
  /** How many items a page to ask for; 0 leaves it to the service. */
  readonly perPage: number;
  /** Only this page; null for all pages. */
  readonly page: number | null;
  /** Further parameters for the query of each page. */
  readonly query?: Readonly<Record<string, string>>;
  /** A list that has more pages than this is broken; 100,000 by default. */
  readonly mostPages?: number;
  /** How many pages may be fetched at once. */
  readonly concurrency: number;
  /** Called for each page that arrived, with its position and the number of all pages, if that is known. */
  readonly onPage?: (position: number, total: number | null) => void;
  /** Called where a list ended before the `last` page that the service had announced. */
  readonly onEarlyEnd?: (announced: number, given: number) => void;
}

/** One page of a list, with its links. */
export interface Page<T> {
  /** Parses and checks the items; throws as readAnswer does. */
  readonly read: () => readonly T[];
  readonly hasNext: boolean;
  readonly next: number | null;
  readonly last: number | null;
  readonly isUnreadable: boolean;
}

/**
 * An operation that lists: yields the pages in the service's order, of their items only those that are wanted, each as
 * `Each`.
 */
export type ListOf<Item, Each = Item> = (
  service: Service,
  paging: Paging,
  isWanted?: (item: Item) => boolean,
) => AsyncGenerator<readonly Each[], void, undefined>;

/**
 * Yields the pages of a list in order, without the items that are filtered out. `check` throws for an item that breaks
 * the specification. Throws where the list cannot be read to its end, so that a part is never taken for the whole.
 */
export function fetchPages<T>(
  service: Service,
  call: Call,
  paging: Paging,
  check: ItemCheck<T>,
  isWanted?: (item: T) => boolean,
): AsyncGenerator<readonly JsonItem<T>[], void, undefined> {
  const fetchPage = (page: number): Promise<Page<JsonItem<T>>> =>
    fetchOnePage(service, call, paging, page, check);
  const isItemWanted = isWanted === undefined ? wantsAll : (item: JsonItem<T>) => isWanted(item.value);
  return walkPages(call.subject, paging, fetchPage, isItemWanted);
}

/** The same operation with the parsed items alone, without their JSON text. */
export function valuesOf<T>(list: ListOf<T, JsonItem<T>>): ListOf<T> {
  return async function* (...asked) {
    for await (const items of list(...asked)) yield items.map(({ value }) => value);
  };
}

/** Yields the pages that `fetchPage` gets, by the same rules. `subject` names the list in messages. */
export async function* walkPages<T>(
  subject: string,
  paging: Paging,
  fetchPage: (page: number) => Promise<Page<T>>,
  isWanted: (item: T) => boolean = wantsAll,
): AsyncGenerator<readonly T[], void, undefined> {
  const walked = { pages: 0, items: 0 };
  const ahead = createPagesAhead(fetchPage, paging.concurrency, paging.page ?? 1);
  try {
    yield* walk(subject, paging, ahead, isWanted, walked);
  } catch (error) {
    throw brokenOff(error, walked);
  } finally {
    ahead.end();
  }
}

async function* walk<T>(
  subject: string,
  paging: Paging,
  ahead: PagesAhead<Page<T>>,
  isWanted: (item: T) => boolean,
  walked: { pages: number; items: number },
): AsyncGenerator<readonly T[], void, undefined> {
  let wanted = paging.limit ?? Infinity;
  /** The `last` page by the latest answer that named one: a list may shrink while it is read. */
  let announced = 0;

  if (paging.page !== null) {
    yield (await ahead.take()).read().filter(isWanted).slice(0, wanted);
    return;
  }

  let current = await ahead.take();
  for (let position = 1; ; position += 1) {
    const { next, last } = current;
    const fetchAhead = (furthest: number): Promise<boolean> =>
      ahead.fetchTo(next === null ? 0 : Math.min(Math.max(last ?? 0, next), furthest));
    // Without a limit, the next pages are fetched while this one is parsed. In a short list, their requests go out before
    // this page is parsed, which would hold them back.
    if (wanted === Infinity && (await fetchAhead(Infinity)) && position <= sentFirst) await untilWritten();
    // Parsed when its turn comes: until then a page stays bytes, which cost the garbage collector nothing.
    const read = current.read();
    walked.pages = position;
    walked.items += read.length;
    announced = last ?? announced;
    const found = read.filter(isWanted);
    const items = found.slice(0, wanted);
    wanted -= items.length;
    // With a limit, fetches as many pages as are needed if each has as many wanted items as this one.
    if (wanted > 0) await fetchAhead(position + Math.ceil(wanted / Math.max(1, found.length)));
    paging.onPage?.(position, totalOf(current, position, wanted, found.length));
    yield items;
    if (wanted <= 0) return;
    if (current.isUnreadable || (!current.hasNext && (current.last ?? 0) > position)) {
      throw new Failure("protocol", `${subject}: the links after page ${position} cannot be followed`);
    }
    if (!current.hasNext) {
      if (announced > position) paging.onEarlyEnd?.(announced, position);
      return;
    }
    if (current.next !== position + 1 || position >= (paging.mostPages ?? maxPages)) {
      throw new Failure(
        "protocol",
        `${subject}: the link after page ${position} does not lead to the next page`,
      );
    }
    current = await ahead.take();
  }
}

/** How many pages will be read in all: by `last`, and by the limit if each page has `found` items. Null if unknown. */
function totalOf(
  { hasNext, last }: Page<unknown>,
  position: number,
  wanted: number,
  found: number,
): number | null {
  if (!hasNext || wanted <= 0) return position;
  const enough = position + Math.ceil(wanted / Math.max(1, found));
  const total = Math.min(last ?? Infinity, enough);
  return total === Infinity ? null : total;
}

function wantsAll(): boolean {
  return true;
}

async function fetchOnePage<T>(
  service: Service,
  call: Call,
  { perPage, query: more }: Paging,
  page: number,
  check: ItemCheck<T>,
): Promise<Page<JsonItem<T>>> {
  const query: Record<string, string> = { ...call.query, ...more };
  if (perPage > 0) query["per_page"] = String(perPage);
  if (page > 1) query["page"] = String(page);
  const exchange = await service.exchange({ ...call, query });
  return pageOf(exchange.answer, () =>
    readAnswerAs(readItems, exchange, [200], (body) => checkItems(body, page, check)),
  );
}

/** Every item, checked; throws a TypeError that says which item of the page is wrong. */
function checkItems<T>(body: JsonItems, page: number, check: ItemCheck<T>): readonly JsonItem<T>[] {
  if (!body.isArray) throw new TypeError(`page ${page} is not an array`);
  return body.items((item, number) => {
    try {
      return check(item);
    } catch (cause) {
      const problem = cause instanceof TypeError ? `: ${cause.message}` : "";
      throw new TypeError(`item ${number} of page ${page}${problem}`, { cause });
    }
  });
}

/** A page with the items that `read` gives, and the links of the answer. */
export function pageOf<T>({ headers }: HttpAnswer, read: () => readonly T[]): Page<T> {
  const header = headers["link"];
  const links = readLink(header);
  // Checked only where there is no `next`: a header with one is readable.
  return { read, ...links, isUnreadable: !links.hasNext && isUnreadableLink(header) };
}

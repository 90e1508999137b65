// Walks a list page by page. Only page numbers are read from `Link`: `last` allows fetching pages concurrently, and
// `next` must be the following page. Pages are yielded in order, and at most `concurrency` are fetched at once. While
// the reader waits for a slow page, as many again may arrive out of order, so at most twice `concurrency` pages are
// held.
//
// If a list breaks off, the failure has the number of pages and items that arrived: they are already printed, and must
// not be mistaken for the whole list.
import { Failure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import { readItems, type ItemCheck, type JsonItem, type JsonItems } from "../json/items.ts";
import { readLink, type LinkedPages } from "./link.ts";
import { type RawResponse, untilFree, untilWritten } from "./request.ts";
import { readResponseAs, type Call, type Service } from "./service.ts";

/** More pages than any account has: a longer list is broken. */
const maxPages = 100_000;

/**
 * Up to this page, the next requests are written before a page is parsed. In longer lists this would cost memory: pages
 * that arrive early outlive V8's young generation.
 */
const prefetchPages = 100;

export interface Paging {
  /** The number of items to yield; null for all. No page is fetched after the last of them. */
  readonly limit: number | null;
  /** Items per page; 100 by default, the most that a server returns. */
  readonly perPage?: number;
  /** Further parameters for the query of each page. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fails for lists with more pages than this; 100,000 by default. */
  readonly mostPages?: number;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Called before each page is yielded, with its position and the total number of pages, or null if unknown. */
  readonly onPage?: (position: number, total: number | null) => void;
  /** Called, in place of a failure, if a list ended before the `last` page that the server had announced. */
  readonly onEarlyEnd?: (announced: number, given: number) => void;
}

/** One page of a list, with its links. */
export interface ListPage<T> extends LinkedPages {
  /** Parses and checks the items; throws as readResponse does. */
  readonly read: () => readonly T[];
  /** True if the response has no `Link` header. */
  readonly lacksLinks: boolean;
}

/** A list operation: yields pages in the server's order, with only those items that `isWanted` accepts. */
export type ListOperation<Item, Each = Item> = (
  service: Service,
  paging: Paging,
  isWanted?: (item: Item) => boolean,
) => AsyncGenerator<readonly Each[], void, undefined>;

/**
 * Yields the pages of a list in order, with only those items that `isWanted` accepts. `check` throws for an item that
 * violates the specification. Throws if the list cannot be read to its end, so that a part is never mistaken for the
 * whole.
 */
export function fetchPages<T>(
  service: Service,
  call: Call,
  paging: Paging,
  check: ItemCheck<T>,
  isWanted?: (item: T) => boolean,
): AsyncGenerator<readonly JsonItem<T>[], void, undefined> {
  const fetchPage = (page: number): Promise<ListPage<JsonItem<T>>> =>
    fetchOnePage(service, call, paging, page, check);
  return walkPages(call.subject, paging, fetchPage, isWanted && (({ value }) => isWanted(value)));
}

/** The same operation, yielding only the parsed items without their JSON text. */
export function listValues<T>(list: ListOperation<T, JsonItem<T>>): ListOperation<T> {
  return async function* (...args) {
    for await (const items of list(...args)) yield items.map(({ value }) => value);
  };
}

/** Like `fetchPages`, for pages that `fetchPage` gets. `subject` names the list in messages. */
export async function* walkPages<T>(
  subject: string,
  paging: Paging,
  fetchPage: (page: number) => Promise<ListPage<T>>,
  isWanted: (item: T) => boolean = () => true,
): AsyncGenerator<readonly T[], void, undefined> {
  const progress = { pages: 0, items: 0 };
  const prefetcher = createPagePrefetcher(fetchPage, paging.concurrency);
  try {
    yield* yieldPages(subject, paging, prefetcher, isWanted, progress);
  } catch (error) {
    throw incompleteListFailure(error, progress);
  } finally {
    prefetcher.end();
  }
}

async function* yieldPages<T>(
  subject: string,
  paging: Paging,
  prefetcher: PagePrefetcher<ListPage<T>>,
  isWanted: (item: T) => boolean,
  progress: { pages: number; items: number },
): AsyncGenerator<readonly T[], void, undefined> {
  let wanted = paging.limit ?? Infinity;
  /** The `last` page by the latest response that named one: a list may shrink while it is read. */
  let announced = 0;
  let firstLength: number | null = null;

  let current = await prefetcher.next();
  for (let position = 1; ; position += 1) {
    const { next, last } = current;
    const fetchAhead = (furthest: number): Promise<boolean> =>
      prefetcher.fetchTo(next === null ? 0 : Math.min(Math.max(last ?? 0, next), furthest));
    // Without a limit, the next pages are fetched while this one is parsed. In a short list, wait until their requests
    // are written, because parsing would delay them.
    if (wanted === Infinity && (await fetchAhead(Infinity)) && position <= prefetchPages)
      await untilWritten();
    // Pages are parsed only now: until then they are buffers, which cost the garbage collector nothing.
    const read = current.read();
    progress.pages = position;
    progress.items += read.length;
    firstLength ??= read.length;
    announced = last ?? announced;
    const found = read.filter(isWanted);
    const items = found.slice(0, wanted);
    wanted -= items.length;
    // With a limit, fetches as many pages as are needed if each has as many wanted items as this one.
    if (wanted > 0) await fetchAhead(position + Math.ceil(wanted / Math.max(1, found.length)));
    paging.onPage?.(position, estimateTotalPages(current, position, wanted, found.length));
    yield items;
    if (wanted <= 0) return;
    if (current.isUnreadable || (!current.hasNext && (current.last ?? 0) > position)) {
      throw new Failure("protocol", `${subject}: the links after page ${position} cannot be followed`);
    }
    if (!current.hasNext) {
      if (announced > position) {
        // A full page without any link is no end of a list that shrank: its links were lost on the way.
        if (current.lacksLinks && read.length >= firstLength) {
          throw new Failure(
            "protocol",
            `${subject}: page ${position} of ${announced} has no link to the next page`,
          );
        }
        (paging.onEarlyEnd ?? failEarlyEnd(subject))(announced, position);
      }
      return;
    }
    if (current.next !== position + 1 || position >= (paging.mostPages ?? maxPages)) {
      throw new Failure(
        "protocol",
        `${subject}: the link after page ${position} does not lead to the next page`,
      );
    }
    current = await prefetcher.next();
  }
}

/** The last page was not seen, so what came must not be taken for the whole list. */
function failEarlyEnd(subject: string): (announced: number, given: number) => never {
  return (announced, given) => {
    throw new Failure("protocol", `${subject}: the server announced ${announced} pages and sent ${given}`, {
      hint: "Items may have been deleted in the meantime. Run the command again.",
    });
  };
}

/** The total number of pages to read, by `last` and by the limit if each page has `found` items; null if unknown. */
function estimateTotalPages(
  { hasNext, last }: ListPage<unknown>,
  position: number,
  wanted: number,
  found: number,
): number | null {
  if (!hasNext || wanted <= 0) return position;
  const enough = position + Math.ceil(wanted / Math.max(1, found));
  const total = Math.min(last ?? Infinity, enough);
  return total === Infinity ? null : total;
}

async function fetchOnePage<T>(
  service: Service,
  call: Call,
  { perPage = 100, query: more }: Paging,
  page: number,
  check: ItemCheck<T>,
): Promise<ListPage<JsonItem<T>>> {
  const query: Record<string, string> = { ...call.query, ...more, per_page: String(perPage) };
  if (page > 1) query["page"] = String(page);
  const exchange = await service.exchange({ ...call, query });
  return createPage(exchange.response, () =>
    readResponseAs(readItems, exchange, [200], (body) => checkItems(body, page, check)),
  );
}

/** Checks every item; throws a TypeError that names the invalid item. */
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

/** A page with the items that `read` returns, and the response's links. */
export function createPage<T>({ headers }: RawResponse, read: () => readonly T[]): ListPage<T> {
  const header = headers["link"];
  return { read, ...readLink(header), lacksLinks: header === undefined };
}

type PagePrefetcher<T> = ReturnType<typeof createPagePrefetcher<T>>;

/** Fetches pages ahead, starting with the first. */
function createPagePrefetcher<T>(fetchPage: (page: number) => Promise<T>, concurrency: number) {
  /** Requested pages that are not taken yet. */
  const ahead: Promise<T>[] = [];
  let lastRequested = 0;
  let inFlight = 0;
  let furthest = 0;
  let readerIsWaiting = false;
  let isOver = false;
  let filling: Promise<void> | null = null;

  const requestNext = (): Promise<T> => {
    lastRequested += 1;
    inFlight += 1;
    const page = fetchPage(lastRequested);
    // Awaited later; until then a failure must not count as unhandled. After a failure the list ends, so no further
    // page is requested.
    page.then(onArrival, () => undefined);
    return page;
  };
  const shouldRequest = (): boolean =>
    !isOver &&
    lastRequested < furthest &&
    inFlight < concurrency &&
    ahead.length < (readerIsWaiting ? 2 * concurrency - 1 : concurrency);
  const requestMore = async (): Promise<void> => {
    while (shouldRequest()) {
      // The first request reuses the connection of the page that arrived, and is sent before the others open theirs.
      await untilFree();
      if (shouldRequest()) ahead.push(requestNext());
    }
    filling = null;
  };
  /** Call if `shouldRequest`. */
  const fill = (): Promise<void> => (filling ??= requestMore());
  const onArrival = (): void => {
    inFlight -= 1;
    if (shouldRequest()) void fill();
  };

  return {
    /** Resolves with the next page in order; requests it if necessary. */
    async next(): Promise<T> {
      const page = ahead.shift() ?? requestNext();
      // If the page has already arrived, the flag is reset before another page is requested.
      readerIsWaiting = true;
      if (shouldRequest()) void fill();
      try {
        return await page;
      } finally {
        readerIsWaiting = false;
      }
    },
    /**
     * Fetches pages ahead up to `page` from now on. Resolves when as many requests are made as allowed; false if no page
     * is being fetched ahead.
     */
    async fetchTo(page: number): Promise<boolean> {
      furthest = page;
      if (shouldRequest()) await fill();
      return ahead.length > 0;
    },
    /** From now on, no page is fetched ahead. */
    end(): void {
      isOver = true;
    },
  };
}

/** The part of a list that was read. */
export interface ListProgress {
  pages: number;
  /** The number of items on those pages, before filtering; absent if they are not counted. */
  items?: number;
}

/**
 * Adds the number of pages and items that arrived to a failure. The numbers precede the reason, which may be truncated.
 * Unchanged if no page arrived, or if the error is a bug.
 */
export function incompleteListFailure(error: unknown, progress: ListProgress): unknown {
  if (!(error instanceof Failure) || progress.pages === 0) return error;
  return error.with({ cause: error }, `${describeIncompleteList(progress)}: ${error.marked}`);
}

/** A message with the part of the list that was read. */
function describeIncompleteList({ pages, items }: ListProgress): string {
  const place = [counted(pages, "page"), ...(items === undefined ? [] : [counted(items, "item")])].join(", ");
  return `the list is incomplete, it broke off after ${place}`;
}

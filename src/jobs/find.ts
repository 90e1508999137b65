// Searches a whole list of the account for several things at once. What is found is there. What is not found is absent
// only if the list can show that: no single sign-on cut it, its last page was seen, every entry could be compared, and a
// list of several pages was read a second time, from the last page to the first, because entries move between pages
// while a list is read.
import { isFailure } from "../errors/errors.ts";
import type { ListOperation } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { watchWholeList } from "../lists/paging.ts";
import type { Context } from "../run/context.ts";

export interface Search<Item> {
  /** The number of different things to find. */
  readonly wanted: number;
  /** The key of the thing that an entry is; null if it is none of them. */
  readonly match: (item: Item) => string | null;
  /** False for an entry that lacks what is compared, so that it may be one of the things. */
  readonly isComparable: (item: Item) => boolean;
}

export interface SearchResult<Item> {
  /** What was found, by its key. */
  readonly found: ReadonlyMap<string, Item>;
  /** Why things that were not found may still be in the list; null if they are not. */
  readonly unclear: string | null;
}

/** Throws the failure of a list that cannot be read. */
export async function searchList<Item>(
  service: Service,
  list: ListOperation<Item>,
  search: Search<Item>,
  context: Context,
): Promise<SearchResult<Item>> {
  const found = new Map<string, Item>();
  let incomparable = 0;
  const look = (item: Item): boolean => {
    const key = search.match(item);
    if (key !== null) found.set(key, item);
    else if (!search.isComparable(item)) incomparable += 1;
    return false;
  };
  const { lengths, hasEndedEarly } = await readForward(service, list, look, context);
  if (found.size === search.wanted) return { found, unclear: null };
  const unclear = ((): string | null => {
    if (context.server.connections.partialOrganizations() !== null)
      return "single sign-on hides a part of the list";
    if (hasEndedEarly) return "the list ended early";
    return incomparable > 0 ? "entries of the list lack what is compared" : null;
  })();
  if (unclear !== null) return { found, unclear };
  const readPage = (page: number): Promise<number> => countPage(service, list, page, look);
  try {
    if (mayHaveMore(lengths) && (await readPage(lengths.length + 1)) > 0)
      return { found, unclear: "the list goes on without a link to its next page" };
    if (lengths.length > 1) for (let page = lengths.length; page > 0; page -= 1) await readPage(page);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { found, unclear: `the list could not be read a second time: ${error.message}` };
  }
  return { found, unclear: incomparable > 0 ? "entries of the list lack what is compared" : null };
}

/** Reads the list once. Resolves with the number of entries of each page. */
async function readForward<Item>(
  service: Service,
  list: ListOperation<Item>,
  look: (item: Item) => boolean,
  context: Context,
): Promise<{ readonly lengths: readonly number[]; readonly hasEndedEarly: boolean }> {
  const lengths: number[] = [];
  let length = 0;
  let hasEndedEarly = false;
  const watch = watchWholeList(context);
  const pages = list(
    service,
    {
      ...watch,
      onPage(position, total) {
        watch.onPage?.(position, total);
        lengths.push(length);
        length = 0;
      },
      onEarlyEnd() {
        hasEndedEarly = true;
      },
    },
    (item) => {
      length += 1;
      return look(item);
    },
  );
  while ((await pages.next()).done !== true);
  return { lengths, hasEndedEarly };
}

/** True if the last page is full, so that its link to the next one may have been lost. */
function mayHaveMore(lengths: readonly number[]): boolean {
  const last = lengths.at(-1) ?? 0;
  return last >= 100 || (lengths.length > 1 && last >= (lengths[0] ?? 0));
}

/** Reads one page, and resolves with the number of its entries. */
async function countPage<Item>(
  service: Service,
  list: ListOperation<Item>,
  page: number,
  look: (item: Item) => boolean,
): Promise<number> {
  let count = 0;
  const pages = list(service, { limit: 1, concurrency: 1, query: { page: String(page) } }, (item) => {
    count += 1;
    look(item);
    return true;
  });
  await pages.next();
  await pages.return();
  return count;
}

// Searches a whole list of the account for several things at once. What is found is there. What is not found is absent
// only if the list can show that: no single sign-on cut it, the page after its last one is empty, every entry could be
// compared, and a list of several pages was read a second time, from the last page to the first, because entries move
// between pages while a list is read.
import { failureOf } from "../errors/errors.ts";
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
  /** The number of entries that were seen, and of those on the last page. */
  let [seen, ofLastPage, pages] = [0, 0, 0];
  let isComparable = true;
  const look = (item: Item): boolean => {
    seen += 1;
    const key = search.match(item);
    if (key !== null) found.set(key, item);
    else if (!search.isComparable(item)) isComparable = false;
    return false;
  };
  const watch = watchWholeList(context);
  const reading = list(
    service,
    {
      ...watch,
      onPage(position, total) {
        watch.onPage?.(position, total);
        pages += 1;
        ofLastPage = seen;
        seen = 0;
      },
    },
    look,
  );
  while ((await reading.next()).done !== true);
  const unclear = (): string | null => {
    if (context.server.connections.partialOrganizations() !== null)
      return "single sign-on hides a part of the list";
    return isComparable ? null : "entries of the list lack what is compared";
  };
  const isEmpty = pages <= 1 && ofLastPage === 0;
  if (found.size === search.wanted || unclear() !== null || isEmpty) return { found, unclear: unclear() };
  // Backwards, from the page after the last: the link to it may have been lost, and a server may have pages of any length.
  for (let page = pages + 1; page > (pages === 1 ? 1 : 0); page -= 1) {
    seen = 0;
    const query = { page: String(page) };
    const again = list(service, { limit: 1, concurrency: 1, query }, (item) => look(item) || true);
    const failure = await failureOf(again.next());
    await again.return();
    if (failure !== null)
      return { found, unclear: `the list could not be read a second time: ${failure.message}` };
    if (page > pages && seen > 0)
      return { found, unclear: "the list goes on without a link to its next page" };
  }
  return { found, unclear: unclear() };
}

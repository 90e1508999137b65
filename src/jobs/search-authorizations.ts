// Searches a whole list of the account for several things at once. What is found is there. What is not found is absent
// only if the list can show that:
//
//   whole     no single sign-on cut it, no announced page was empty, and the one after the last is
//   clear     every authorization has what is compared
//   twice     it was read again, from the last page to the first: pages move meanwhile, and one response may be wrong
import { listAuthorizations } from "../api/authorizations.ts";
import type { Authorization } from "../api/resources.ts";
import { failureOf } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";
import type { Context } from "../run/context.ts";

export interface Search {
  /** The number of different things to find. */
  readonly wanted: number;
  /** The key of the thing that an authorization is; null if it is none of them. */
  readonly match: (shown: Authorization) => string | null;
  /** False for an authorization that lacks what is compared, so that it may be one of the things. */
  readonly isComparable: (shown: Authorization) => boolean;
}

/**
 * Resolves with what was found, by its key, and with the reason why other things may still be in the list, or null. Throws
 * the failure of a list that cannot be read.
 */
export async function searchAuthorizations(
  service: Service,
  search: Search,
  context: Context,
): Promise<{ readonly found: ReadonlyMap<string, Authorization>; readonly unclear: string | null }> {
  const found = new Map<string, Authorization>();
  /** `seen`: the number of authorizations on the page that is read. */
  let [seen, pages] = [0, 0];
  let [isComparable, isAnnounced, hasGap] = [true, false, false];
  const look = (shown: Authorization): boolean => {
    seen += 1;
    const key = search.match(shown);
    if (key !== null) found.set(key, shown);
    else if (!search.isComparable(shown)) isComparable = false;
    return false;
  };
  const paging = context.paging();
  const reading = listAuthorizations(
    service,
    {
      ...paging,
      onPage(position, total) {
        paging.onPage?.(position, total);
        pages += 1;
        hasGap ||= seen === 0 && (isAnnounced || total !== position);
        isAnnounced = total !== position;
        seen = 0;
      },
    },
    look,
  );
  while ((await reading.next()).done !== true);
  const unclear = (): string | null => {
    if (context.server.connections.hasPartialResults) return "single sign-on hides a part of the list";
    if (hasGap) return "a page that the server announced is empty";
    return isComparable ? null : "entries of the list lack what is compared";
  };
  if (found.size === search.wanted || unclear() !== null) return { found, unclear: unclear() };
  // Backwards, from the page after the last: the link to it may have been lost, and a server may have pages of any length.
  for (let page = pages + 1; page > 0; page -= 1) {
    seen = 0;
    const onePage = { limit: 1, concurrency: 1, query: { page: String(page) } };
    const again = listAuthorizations(service, onePage, (shown) => look(shown) || true);
    const failure = await failureOf(again.next());
    await again.return();
    if (failure !== null)
      return { found, unclear: `the list could not be read a second time: ${failure.message}` };
    if (page > pages && seen > 0)
      return { found, unclear: "the list goes on without a link to its next page" };
  }
  return { found, unclear: unclear() };
}

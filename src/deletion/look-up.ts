// Looks up items by ID, for the names in a prompt and for the plan of a dry run. Reads pages of the list if that takes
// fewer requests than one per ID. The list also proves the account's credentials: only then does "not found" mean that
// an item is gone.
import type { Id } from "../api/resources.ts";
import { Failure, isFailure, type FailureKind } from "../errors/errors.ts";
import { isFound, isItemNotFound } from "../errors/not-found.ts";
import type { Service } from "../http/service.ts";
import { watchWholeList } from "../lists/paging.ts";
import { cellText } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import type { Picking } from "./pick-items.ts";

export interface ItemLookup<Item extends object> extends Pick<Picking<Item>, "list" | "name"> {
  readonly read: (service: Service, id: string) => Promise<Item>;
}

/** Up to this many IDs are always read one by one. */
const maxSingleReads = 3;
const perPage = 100;

/** Failures that the deletion would have as well; they end the run before the prompt. */
const conclusive: readonly FailureKind[] = ["authentication", "otp", "sso", "network", "usage", "internal"];

/**
 * Finds items with these IDs in the list. Stops when the remaining pages would take more requests than one per ID, so
 * an item that was not found may still exist.
 */
export async function findInList<Item extends { readonly id: Id }>(
  service: Service,
  ids: readonly string[],
  { list }: ItemLookup<Item>,
  context: Context,
): Promise<{ readonly found: Map<string, Item>; readonly isWholeList: boolean }> {
  const found = new Map<string, Item>();
  if (ids.length <= maxSingleReads) return { found, isWholeList: false };
  const missing = new Set(ids);
  // Never fetches more pages at once than the IDs could fill.
  const concurrency = Math.max(1, Math.min(context.options.concurrency, Math.ceil(ids.length / perPage)));
  const paging = watchWholeList(context, concurrency);
  let position = 0;
  let total: number | null = null;
  const onPage = (nowAt: number, ofAll: number | null): void => {
    position = nowAt;
    total = ofAll;
    paging.onPage?.(nowAt, ofAll);
  };
  try {
    for await (const page of list(service, { ...paging, onPage })) {
      for (const item of page) {
        const id = cellText(item.id);
        if (missing.delete(id)) found.set(id, item);
      }
      const pagesLeft: number = total === null ? position : total - position;
      if (missing.size === 0 || pagesLeft > missing.size) return { found, isWholeList: missing.size === 0 };
    }
    return { found, isWholeList: true };
  } catch (error) {
    if (!isFailure(error) || conclusive.includes(error.kind)) throw error;
    return { found, isWholeList: false };
  } finally {
    context.progress.end();
  }
}

/**
 * Reads the items with these IDs for their names. `missing` has the failures of those that the server does not find.
 */
export async function lookUpItems<Item extends { readonly id: Id }>(
  service: Service,
  ids: readonly string[],
  lookup: ItemLookup<Item>,
  context: Context,
): Promise<{ readonly found: ReadonlyMap<string, Item>; readonly missing: ReadonlyMap<string, Failure> }> {
  const { found, isWholeList } = await findInList(service, ids, lookup, context);
  const missing = new Map<string, Failure>();
  if (isWholeList) {
    for (const id of ids)
      if (!found.has(id)) missing.set(id, new Failure("not-found", `${lookup.name} ${id} does not exist`));
    return { found, missing };
  }
  const unread = ids.filter((id) => !found.has(id));
  const { concurrency } = context.options;
  const read = async (id: string): Promise<void> => {
    const item = await tryRead(
      () => lookup.read(service, id),
      (failure) => missing.set(id, failure),
    );
    if (item !== null) found.set(id, item);
  };
  for (let start = 0; start < unread.length; start += concurrency)
    await Promise.all(unread.slice(start, start + concurrency).map(read));
  return { found, missing };
}

/**
 * Reads an item for its names; null if that fails, which need not stop the deletion. `onMissing` gets the failure if
 * the server does not find the item.
 */
export async function tryRead<Item extends object>(
  read: () => Promise<Item>,
  onMissing?: (failure: Failure) => void,
): Promise<Item | null> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error) || conclusive.includes(error.kind)) throw error;
    if (isItemNotFound(error)) onMissing?.(error);
    return null;
  }
}

const firstItem = { limit: 1, perPage: 1, concurrency: 1 };

/**
 * True if an item that an earlier run may have deleted is gone. "Not found" proves that only if the same credentials
 * can read the list.
 */
export async function isGone<Item extends object>(
  service: Service,
  id: string,
  lookup: ItemLookup<Item>,
): Promise<boolean> {
  if (await isFound(lookup.read(service, id))) return false;
  await lookup.list(service, firstItem).next();
  return true;
}

/** A `vet` that reads the list, once for all items: credentials that can read it are valid. */
export function vetByList<Item extends object>(
  service: Service,
  { list }: Pick<ItemLookup<Item>, "list">,
): () => Promise<boolean> {
  const canRead = async (): Promise<boolean> => {
    try {
      await list(service, firstItem).next();
      return true;
    } catch (error) {
      // The next item reads the list again, because this failure may have been a rate limit.
      reading = null;
      if (!isItemNotFound(error)) throw error;
      return false;
    }
  };
  let reading: Promise<boolean> | null = null;
  return () => (reading ??= canRead());
}

// Proves the account's credentials by reading its list: only then does "not found" mean that an item is gone.
import { isFound, saysNotFound } from "../errors/not-found.ts";
import type { Service } from "../http/service.ts";
import type { LookUp } from "./look-up.ts";

/** The smallest page: one item. */
const firstItem = { limit: 1, page: 1, perPage: 1, concurrency: 1 };

/**
 * Whether an item that an earlier run may have deleted is gone. "Not found" proves that only where the same credentials
 * can read the list.
 */
export async function isGone<Item extends object>(
  service: Service,
  id: string,
  by: LookUp<Item>,
): Promise<boolean> {
  if (await isFound(by.read(service, id))) return false;
  await by.list(service, firstItem).next();
  return true;
}

/** A `vet` that reads the list, once for all items: credentials that can read it are right. */
export function vetByList<Item extends object>(
  service: Service,
  { list }: Pick<LookUp<Item>, "list">,
): () => Promise<boolean> {
  const canRead = async (): Promise<boolean> => {
    try {
      await list(service, firstItem).next();
      return true;
    } catch (error) {
      // The next item reads the list again, because this failure may have been a request to wait.
      reading = null;
      if (!saysNotFound(error)) throw error;
      return false;
    }
  };
  let reading: Promise<boolean> | null = null;
  return () => (reading ??= canRead());
}

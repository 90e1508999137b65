// The account's credentials proven by its list: only then does "not found" say that an item is gone.
import { isFailure } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";
import type { LookUp } from "./look-up.ts";
import type { Picking } from "./pick-items.ts";

/** What reads one item, and what reads their list. */
type Readable<Item extends object> = Pick<LookUp<Item>, "read"> & Pick<Picking<Item>, "list">;

/** The least that can be read of a list. */
const firstItem = { limit: 1, page: 1, perPage: 1, concurrency: 1 };

/**
 * Whether an item that an earlier run may have deleted is not there any more. Not found proves that only if the same
 * credentials can read the list.
 */
export async function isGone<Item extends object>(
  service: Service,
  id: string,
  deletion: Readable<Item>,
): Promise<boolean> {
  try {
    await deletion.read(service, id);
    return false;
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    await deletion.list(service, firstItem).next();
    return true;
  }
}

/** Settles once for all items whether the credentials are right: who may read the list has the right ones. */
export function vetByList<Item extends object>(
  service: Service,
  { list }: Pick<Readable<Item>, "list">,
): () => Promise<boolean> {
  const canRead = async (): Promise<boolean> => {
    try {
      await list(service, firstItem).next();
      return true;
    } catch (error) {
      // Another time may go better: the service may have asked to wait.
      reading = null;
      if (!isFailure(error, "not-found")) throw error;
      return false;
    }
  };
  let reading: Promise<boolean> | null = null;
  return () => (reading ??= canRead());
}

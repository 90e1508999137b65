// Writes to the journal which items come next, ahead of their turn: a block of items shares one write and one sync,
// which happen while the requests of the previous block are under way. A planned item that was never sent is no unknown
// outcome; only after a power cut is it checked at the service before it is sent.
import type { JournalItem } from "./intent.ts";
import type { Journal } from "./journal.ts";

/** Enough items to hide a slow disk behind the requests. */
const leastItems = 32;
/** Enough that syncs hardly count, and few enough to check again after a power cut. */
const mostItems = 256;

/**
 * Plans the items in their order, always a block ahead of the item that `ready` was last called for. A block is as long
 * as all before it, so that a job never has much more to check again than it has done.
 */
export function planIntents(journal: Journal, items: readonly JournalItem[]) {
  const planned = new Map<string, Promise<void>>();
  let next = 0;
  let length = 0;

  const planBlock = (): void => {
    length = Math.min(Math.max(leastItems, next), mostItems);
    const block = items.slice(next, next + length);
    next += block.length;
    const marked = journal.mark(
      ...block.map((journalItem) => ({ state: "planned" as const, ...journalItem })),
    );
    // The failure is thrown by `ready` of each item in the block; it must not count as unhandled until then.
    marked.catch(() => undefined);
    for (const { item } of block) planned.set(item, marked);
  };

  return {
    /** Resolves when the item is on disk as planned, so that it may be sent; null where it is not one of `items`. */
    ready(item: string): Promise<void> | null {
      while (planned.size <= length && next < items.length) planBlock();
      const marked = planned.get(item) ?? null;
      planned.delete(item);
      return marked;
    },
    /** Writes to the journal that the planned items which are left were not sent. */
    async abandon(): Promise<void> {
      if (planned.size === 0) return;
      await Promise.allSettled(planned.values());
      await journal.mark(...[...planned.keys()].map((item) => ({ item, state: "failed" as const })));
    },
  };
}

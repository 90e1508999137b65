// Writes to the journal which items come next, before their turn: a block of items shares one write and one sync, which
// happens while the requests of the block before are under way. An item that is planned and was never sent is no
// unknown outcome; only after a power cut it is looked at once more before it is sent.
import type { JournalItem } from "./intent.ts";
import type { Journal } from "./journal.ts";

/** Enough to hide a slow disk behind the requests, and few enough to look at again after a power cut. */
const blockItems = 32;

/** Plans the items in their order, a block ahead of those that are asked for. */
export function planIntents(journal: Journal, items: readonly JournalItem[]) {
  const planned = new Map<string, Promise<void>>();
  let next = 0;

  const planBlock = (): void => {
    const block = items.slice(next, next + blockItems);
    next += block.length;
    const marked = journal.mark(
      ...block.map((journalItem) => ({ ...journalItem, state: "planned" as const })),
    );
    // `ready` of each of its items rejects with it.
    marked.catch(() => undefined);
    for (const { item } of block) planned.set(item, marked);
  };

  return {
    /** Resolves when the item is on disk as planned, so that it may be sent; null for one that is not planned here. */
    ready(item: string): Promise<void> | null {
      while (planned.size <= blockItems && next < items.length) planBlock();
      const marked = planned.get(item) ?? null;
      planned.delete(item);
      return marked;
    },
    /** Writes that the items which were planned and never sent were not sent. */
    async abandon(): Promise<void> {
      if (planned.size === 0) return;
      await Promise.allSettled(planned.values());
      await journal.mark(...[...planned.keys()].map((item) => ({ item, state: "failed" as const })));
    },
  };
}

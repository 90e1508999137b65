// What may be sent next is on disk before its turn comes: the intents of a block of items share one write and one sync,
// which happens while the requests of the block before are on their way. An item that is planned and was not let go is
// not an unknown outcome, but after a power cut it is looked at once more before it is sent.
import type { JournalItem } from "./intent.ts";
import type { Journal } from "./journal.ts";

/** Enough to hide a slow disk behind the requests, and few to look at again. */
const blockItems = 32;

export interface PlannedIntents {
  /** Resolves when the item may leave, as far as its intent goes; null for one that was not planned here. */
  ready(item: string): Promise<void> | null;
  /** Notes that what was planned and never let go did not leave. */
  abandon(): Promise<void>;
}

/** Plans the items in their order, a block ahead of those that are asked for. */
export function planIntents(journal: Journal, items: readonly JournalItem[]): PlannedIntents {
  const planned = new Map<string, Promise<void>>();
  let next = 0;

  const planBlock = (): void => {
    const block = items.slice(next, next + blockItems);
    next += block.length;
    const marked = journal.mark(
      ...block.map((journalItem) => ({ ...journalItem, state: "planned" as const })),
    );
    // Whoever asks for one of its items hears of it.
    marked.catch(() => undefined);
    for (const { item } of block) planned.set(item, marked);
  };

  return {
    ready(item) {
      while (planned.size <= blockItems && next < items.length) planBlock();
      const marked = planned.get(item) ?? null;
      planned.delete(item);
      return marked;
    },
    async abandon() {
      if (planned.size === 0) return;
      await Promise.allSettled(planned.values());
      await journal.mark(...[...planned.keys()].map((item) => ({ item, state: "failed" as const })));
    },
  };
}

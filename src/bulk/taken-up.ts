// Items that an earlier run of the job had begun: which they are, the journal's entry of each, and the mark for a
// failure to find out the outcome of one.
import { isFailure, type Failure } from "../errors/errors.ts";
import type { Entry } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalItem } from "../journal/intent.ts";

/** Whether an earlier run sent the item, or may have, so that its outcome is found out first. */
export function mayHaveBeenSent(before: Entry | undefined): before is Entry {
  return before?.state === "sent" || before?.state === "answered" || before?.state === "planned";
}

/** The items in two lists: those whose answer the journal holds, and the others. */
export function keptFirst(
  items: readonly string[],
  beforeOf: (item: string) => Entry | undefined,
): readonly (readonly string[])[] {
  const isKept = (item: string): boolean => beforeOf(item)?.state === "answered";
  return [items.filter(isKept), items.filter((item) => !isKept(item))];
}

/** Marks a failure to find out the outcome of an earlier run's request as `isOld`: the item's entry is not changed. */
export function asOld(failure: Failure): Failure {
  return isFailure(failure, "not-found", "unknown") ? failure.with({ isOld: true }) : failure;
}

/** The journal's entry of one item, for an action of several steps. */
export interface ItemRecord {
  latest(): Entry | undefined;
  /** Adds these fields to the entry; resolves when they are on disk. */
  keep(more: Partial<Omit<Entry, "item">>): Promise<void>;
}

/** The journal's record of one item. */
export function recordOf(journal: Journal, journalItem: JournalItem): ItemRecord {
  const latest = (): Entry | undefined => journal.latest(journalItem.item);
  return {
    latest,
    keep: (more) => journal.mark({ ...journalItem, state: latest()?.state ?? "planned", ...more }),
  };
}

// What an earlier run of a job left of one item, and what a failure to find out more says of it.
import { Failure, isFailure } from "../errors/errors.ts";
import type { Entry } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalItem } from "../journal/intent.ts";

/** Whether an earlier run let the item go, or may have: what became of it is looked at first. */
export function mayHaveBeenSent(before: Entry | undefined): before is Entry {
  return before?.state === "sent" || before?.state === "answered" || before?.state === "planned";
}

/** Two parts: the items whose answer an earlier run kept, and the rest. */
export function keptFirst(
  items: readonly string[],
  beforeOf: (item: string) => Entry | undefined,
): readonly (readonly string[])[] {
  const isKept = (item: string): boolean => beforeOf(item)?.state === "answered";
  return [items.filter(isKept), items.filter((item) => !isKept(item))];
}

/** A failure to find out what became of an earlier run's request: nothing that is known of it changes. */
export function asOld(failure: Failure): Failure {
  return isFailure(failure, "not-found", "unknown")
    ? new Failure(failure.kind, failure.marked, { ...failure.details, isOld: true })
    : failure;
}

/** What the journal knows of one item, for an action of several steps. */
export interface ItemRecord {
  latest(): Entry | undefined;
  /** Resolves when this is on disk as well. */
  keep(more: Partial<Omit<Entry, "item">>): Promise<void>;
}

/** The record of an item. */
export function recordOf(journal: Journal, journalItem: JournalItem): ItemRecord {
  const latest = (): Entry | undefined => journal.latest(journalItem.item);
  return {
    latest,
    keep: (more) => journal.mark({ ...journalItem, state: latest()?.state ?? "planned", ...more }),
  };
}

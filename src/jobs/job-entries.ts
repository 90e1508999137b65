// The items of a job and their entries in its journal, where each stands under its hash.
import type { Entry } from "../journal/entries.ts";
import { hashOf } from "../journal/hashes.ts";
import type { JournalItem, Journal } from "../journal/journal.ts";
import type { JobPlan } from "./job-plan.ts";

/** An open journal, with the entries of its job's items. */
export interface JobEntries {
  readonly journal: Journal;
  /** The items that earlier runs have not finished. */
  readonly left: readonly string[];
  /** What stands for an item in the journal. */
  readonly keyOf: (item: string) => JournalItem;
  /**
   * The entry of an item that an earlier run sent, or may have sent, so that its outcome is found out first; undefined
   * for any other.
   */
  readonly begun: (item: string) => Entry | undefined;
  /** The entry of an item as it is now. */
  readonly latest: (item: string) => Entry | undefined;
}

/** The entries of these items; `hashes` are those of the items, `missing` of those whose token is to be delivered again. */
export function entriesOf(
  journal: Journal,
  { items, lastEightOf }: Pick<JobPlan<unknown>, "items" | "lastEightOf">,
  hashes: ReadonlyMap<string, string>,
  missing: ReadonlySet<string> = new Set(),
): JobEntries {
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const before = (text: string): Entry | undefined => {
    const item = hashFor(text);
    // Without an entry in a damaged journal it may have been sent: its record may be what is damaged.
    const entry = journal.before.get(item);
    if (entry !== undefined && missing.has(item)) return { ...entry, state: "answered" };
    return entry ?? (journal.isDamaged ? { item, state: "planned" } : undefined);
  };
  return {
    journal,
    left: items.filter((item) => before(item)?.state !== "done"),
    keyOf: (item) => ({
      item: hashFor(item),
      ...(lastEightOf === undefined ? {} : { last_eight: lastEightOf(item) }),
    }),
    begun(item) {
      const entry = before(item);
      return entry?.state === "done" || entry?.state === "failed" ? undefined : entry;
    },
    latest: (item) => journal.latest(hashFor(item)),
  };
}

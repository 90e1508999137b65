// The items of a job and their entries in its journal, where each stands under its hash.
import type { Entry } from "../journal/entries.ts";
import { hashOf } from "../journal/hashes.ts";
import type { JournalItem } from "../journal/intent.ts";
import type { Journal } from "../journal/journal.ts";
import type { JobPlan } from "./job-plan.ts";

/** An open journal, with the entries of its job's items. */
export interface JobEntries {
  readonly journal: Journal;
  /** The items that earlier runs have not finished. */
  readonly left: readonly string[];
  /** What stands for an item in the journal. */
  readonly keyOf: (item: string) => JournalItem;
  /**
   * The entry that earlier runs left of an item. Without one in a damaged journal, it counts as maybe sent: its record
   * may be what is damaged.
   */
  readonly before: (item: string) => Entry | undefined;
  /** The entry of an item as it is now. */
  readonly latest: (item: string) => Entry | undefined;
}

/** The entries of these items; `hashes` are those of the items. */
export function entriesOf(
  journal: Journal,
  { items, lastEightOf }: Pick<JobPlan<unknown>, "items" | "lastEightOf">,
  hashes: ReadonlyMap<string, string>,
): JobEntries {
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const before = (text: string): Entry | undefined => {
    const item = hashFor(text);
    return journal.before.get(item) ?? (journal.isDamaged ? { item, state: "planned" } : undefined);
  };
  return {
    journal,
    left: items.filter((item) => before(item)?.state !== "done"),
    keyOf: (item) => ({
      item: hashFor(item),
      ...(lastEightOf === undefined ? {} : { last_eight: lastEightOf(item) }),
    }),
    before,
    latest: (item) => journal.latest(hashFor(item)),
  };
}

// What a journal that an earlier run left has to tell: the values in it, the outcomes that nobody knows, how far the job
// is. Whoever announces, lists or shows leftovers asks here.
import { isJob, type Entry } from "./entries.ts";
import type { Leftover } from "./journals.ts";
import { valueIn } from "./keep-request.ts";
import { isSealed } from "./sealed-entries.ts";

/** A token's value that an earlier run kept and did not deliver. */
export interface UndeliveredValue {
  readonly token_last_eight_before: string | null;
  readonly token: string;
}

export type LeftoverState = "value kept" | "outcome unknown" | "unfinished" | "damaged";

export interface LeftoverSummary {
  readonly state: LeftoverState;
  readonly items: number;
  readonly done: number;
  /** How many token values are kept. */
  readonly values: number;
  /** How many outcomes are not known. */
  readonly unknown: number;
  /** The last eight characters of the tokens that it has something to tell of. */
  readonly lastEights: readonly string[];
  /** Whether it is a job, which --resume takes up again. */
  readonly isJob: boolean;
}

/** The values in a leftover, in the order they came; none of those that are sealed. */
export function undeliveredValues({ contents }: Leftover): readonly UndeliveredValue[] {
  return [...contents.items.values()].flatMap((entry) => {
    const token = entry.state === "answered" && entry.body !== undefined ? valueIn(entry.body) : null;
    return token === null ? [] : [{ token_last_eight_before: entry.last_eight ?? null, token }];
  });
}

/** The items that were sent, or that a power cut may have lost it of, and of which no value came. */
export function unknownItems({ contents }: Leftover): readonly Entry[] {
  return [...contents.items.values()].filter(
    (entry) =>
      entry.state === "sent" ||
      entry.state === "planned" ||
      (entry.state === "answered" &&
        !isSealed(entry) &&
        (entry.body === undefined || valueIn(entry.body) === null)),
  );
}

/** A leftover in numbers; values that are sealed are counted without being opened. */
export function summaryOf(leftover: Leftover): LeftoverSummary {
  const { head, items, isDamaged } = leftover.contents;
  const entries = [...items.values()];
  const values = undeliveredValues(leftover).length + entries.filter(isSealed).length;
  const unknown = unknownItems(leftover).length;
  return {
    state: isDamaged ? "damaged" : values > 0 ? "value kept" : unknown > 0 ? "outcome unknown" : "unfinished",
    items: head.total,
    done: entries.filter(({ state }) => state === "done").length,
    values,
    unknown,
    lastEights: entries.flatMap(({ state, last_eight: lastEight }) =>
      state === "done" || state === "failed" || lastEight === undefined ? [] : [lastEight],
    ),
    isJob: isJob(head),
  };
}

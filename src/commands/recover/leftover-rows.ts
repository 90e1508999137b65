// What earlier runs left, in the words of `grantctl recover`.
import type { FoundState } from "./found-items.ts";
import type { Entry } from "../../journal/entries.ts";
import type { Leftover } from "../../journal/journals.ts";
import { valueIn } from "../../journal/keep-request.ts";
import { isJob } from "../../journal/resumption.ts";
import { isSealed } from "../../journal/sealed-entries.ts";
import type { Presentation } from "../../output/presentation.ts";

export interface LeftoverRow {
  readonly id: string;
  readonly operation: string;
  /** `value kept`, `outcome unknown` or `unfinished`. */
  readonly state: string;
  readonly address: string;
  readonly created_at: string;
  readonly items: number;
  readonly done: number;
  /** How many token values are kept. */
  readonly values: number;
  /** How many outcomes are not known. */
  readonly unknown: number;
  /** For --resume; null where there is nothing to resume. */
  readonly journal: string | null;
}

export const leftoverPresentation: Presentation<LeftoverRow> = {
  fields: [
    "id",
    "operation",
    "state",
    "address",
    "created_at",
    "items",
    "done",
    "values",
    "unknown",
    "journal",
  ],
  columns: [
    { title: "ID", field: "id", text: (row) => row.id, isWhole: true },
    { title: "OPERATION", text: (row) => row.operation, isWhole: true, priority: 3 },
    { title: "STATE", text: (row) => row.state, isWhole: true, priority: 2 },
    { title: "DONE", text: (row) => `${row.done}/${row.items}`, isWhole: true, priority: 4 },
    { title: "CREATED", text: (row) => row.created_at, isMoment: true, priority: 5 },
    { title: "AT", text: (row) => row.address, priority: 6 },
    // The id is good for --resume as well.
    { title: "JOURNAL", field: "journal", text: (row) => row.journal ?? "", isWhole: true, priority: 7 },
  ],
  moments: ["created_at"],
};

/** A token's value that an earlier run kept and did not deliver; or a token of a job, and what became of it. */
export interface KeptValue {
  readonly token_last_eight_before: string | null;
  readonly token: string;
  readonly state?: FoundState;
}

/** The values in a leftover, in the order they came. */
export function keptValues({ contents }: Leftover): readonly KeptValue[] {
  return [...contents.items.values()].flatMap((entry) => {
    const token = entry.state === "answered" && entry.body !== undefined ? valueIn(entry.body) : null;
    return token === null ? [] : [{ token_last_eight_before: entry.last_eight ?? null, token }];
  });
}

/** The items that were sent and of which no value came. */
export function unknownItems({ contents }: Leftover): readonly Entry[] {
  return [...contents.items.values()].filter(
    (entry) =>
      entry.state === "sent" ||
      (entry.state === "answered" &&
        !isSealed(entry) &&
        (entry.body === undefined || valueIn(entry.body) === null)),
  );
}

/** How many values wait; those that are sealed are counted without being opened. */
function countValues(leftover: Leftover): number {
  const sealed = [...leftover.contents.items.values()].filter(isSealed);
  return keptValues(leftover).length + sealed.length;
}

/** A leftover as a row. */
export function rowOf(leftover: Leftover): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at, total } = contents.head;
  const values = countValues(leftover);
  const unknown = unknownItems(leftover).length;
  return {
    id,
    operation,
    state: values > 0 ? "value kept" : unknown > 0 ? "outcome unknown" : "unfinished",
    address,
    created_at,
    items: total,
    done: [...contents.items.values()].filter(({ state }) => state === "done").length,
    values,
    unknown,
    journal: isJob(contents.head) ? path : null,
  };
}

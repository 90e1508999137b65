// Makes the rows of `grantctl recover list` from the leftovers of earlier runs.
import { lineFromHead } from "../../jobs/resume-hint.ts";
import type { FinishedShard } from "../../journal/finished-shards.ts";
import { summaryOf, type LaterLeftover, type Leftover } from "../../journal/leftover.ts";
import type { Context } from "../../run/context.ts";
import type { LeftoverRow } from "./leftover-row.ts";

/** A row with the fields of an unknown leftover, for others to be filled in. */
export const blankRow: LeftoverRow = {
  id: "",
  operation: "unknown",
  state: "unfinished",
  address: "",
  created_at: "",
  items: 0,
  done: 0,
  values: 0,
  unknown: 0,
  journal: null,
  token_last_eights: [],
  notes: [],
  resume: null,
  failed: 0,
  to_go: 0,
  shard: null,
  parts: null,
  parts_done: null,
  shards: [],
};

/** A leftover's row. */
export function rowOf(leftover: Leftover, context: Context): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at } = contents.head;
  const { lastEights, isJob, toGo, ...summary } = summaryOf(leftover);
  const { shard = null } = contents.head;
  return {
    ...blankRow,
    id,
    operation,
    address,
    created_at,
    ...summary,
    journal: isJob ? path : null,
    token_last_eights: lastEights,
    resume: isJob ? lineFromHead(context, contents, id) : null,
    to_go: toGo,
    shard,
  };
}

/** The row of a leftover of which only the ID is known, and why. */
export function closedRow(
  { id }: LaterLeftover,
  state: "of a later version" | "locked" = "of a later version",
): LeftoverRow {
  return { ...blankRow, id, state };
}

/** The number of all shards in the job of this shard: `n` of `i/n`. */
export function partsOf(shard: string | null): number | null {
  return shard === null ? null : Number(shard.split("/")[1]);
}

/** The row of a finished shard. */
export function finishedRow(finished: FinishedShard): LeftoverRow {
  const { id, operation, address, created_at, total, shard } = finished;
  return {
    ...blankRow,
    id,
    operation,
    state: "finished",
    address,
    created_at,
    items: total,
    done: total,
    shard,
  };
}

/** Whether a row is of a finished job. */
export function isDone({ state }: LeftoverRow): boolean {
  return state === "finished";
}

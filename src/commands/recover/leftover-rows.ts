// Rows of `grantctl recover list` made from what earlier runs left.
import { lineFromHead } from "../../bulk/resume-line.ts";
import { summaryOf, type LaterLeftover, type Leftover } from "../../journal/leftover.ts";
import type { Context } from "../../run/context.ts";
import { blankRow, type LeftoverRow } from "./leftover-row.ts";

export function rowOf(leftover: Leftover, context: Context): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at } = contents.head;
  const { lastEights, isJob, ...summary } = summaryOf(leftover);
  const { shard = null, total } = contents.head;
  const failed = [...contents.items.values()].filter(({ state }) => state === "failed").length;
  return {
    ...blankRow,
    id,
    operation,
    address,
    created_at,
    ...summary,
    journal: isJob ? path : null,
    token_last_eights: lastEights,
    resume: isJob ? lineFromHead(context, contents.head, id) : null,
    failed,
    to_go: Math.max(0, total - summary.done - failed),
    shard,
  };
}

/** One that only a later version can read. */
export function laterRow({ id }: LaterLeftover): LeftoverRow {
  return { ...blankRow, id, state: "of a later version" };
}

/** How many shards the job of one has. */
export function partsOf(shard: string | null): number | null {
  return shard === null ? null : Number(shard.split("/")[1]);
}

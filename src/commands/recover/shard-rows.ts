// The rows of `recover list --state-dir`: one for each job whose shards ran on several machines, and one for every other
// leftover in those folders.
import { lineFromHead } from "../../jobs/resume-hint.ts";
import { isOfEarlierRun, jobOfShard } from "../../journal/finished-shards.ts";
import { isFinished } from "../../journal/entries.ts";
import type { Leftover } from "../../journal/leftover.ts";
import type { FolderContents } from "../../journal/journals.ts";
import type { Context } from "../../run/context.ts";
import type { LeftoverRow } from "./leftover-row.ts";
import { blankRow, closedRow, finishedRow, partsOf, rowOf } from "./leftover-rows.ts";

/** The rows of all these folders; the shards of one job are one row. */
export function joinShards(folders: readonly FolderContents[], context: Context): readonly LeftoverRow[] {
  const jobs = new Map<string, Part[]>();
  const others: LeftoverRow[] = [];
  const add = (job: string | null, row: LeftoverRow, folder: string): void => {
    if (job === null) others.push(row);
    else jobs.set(job, [...(jobs.get(job) ?? []), { row, folder }]);
  };
  const known = new Set<string>();
  /** Copies of a folder, or two paths to it, have the same journals; those of the first count. */
  const isFirst = ({ id }: { readonly id: string }): boolean => {
    const isCopy = known.has(id);
    known.add(id);
    return !isCopy;
  };
  const allFinished = folders.flatMap(({ finished }) => finished);
  for (const { folder, journals, later, finished } of folders) {
    for (const leftover of journals.filter(isFirst)) {
      const { head } = leftover.contents;
      add(jobOfShard(head), rowOfPart(leftover, context), folder);
    }
    for (const shard of finished) {
      const job = jobOfShard({ ...shard, list: shard.input });
      const ofJob = allFinished.filter((other) => jobOfShard({ ...other, list: other.input }) === job);
      if (!isOfEarlierRun(shard, ofJob)) add(job, finishedRow(shard), folder);
    }
    others.push(...later.filter(isFirst).map((leftover) => closedRow(leftover)));
  }
  return [...[...jobs].map(([job, parts]) => joined(job, parts)), ...others];
}

interface Part {
  readonly row: LeftoverRow;
  readonly folder: string;
}

/** The row of a leftover, whose journal is resumed by its path where it is in another folder than this machine's. */
function rowOfPart(leftover: Leftover, context: Context): LeftoverRow {
  const row = rowOf(leftover, context);
  const { isDamaged } = leftover.contents;
  if (isFinished(leftover.contents) && !isDamaged) return { ...row, state: "finished", resume: null };
  return row.resume === null
    ? row
    : { ...row, resume: lineFromHead(context, leftover.contents, leftover.path) };
}

function joined(job: string, found: readonly Part[]): LeftoverRow {
  // A shard with both a journal and a file that says it is finished was run again: the journal counts.
  const isOpen = ({ row }: Part): boolean => row.state !== "finished";
  const open = found.filter(isOpen);
  const isOpenShard = ({ row }: Part): boolean => open.some((part) => part.row.shard === row.shard);
  const closed = new Map(
    found.filter((part) => !isOpen(part) && !isOpenShard(part)).map((part) => [part.row.shard, part]),
  );
  const parts = [...open, ...closed.values()].toSorted((a, b) => indexOf(a.row) - indexOf(b.row));
  const rows = parts.map(({ row }) => row);
  const count = partsOf(rows[0]?.shard ?? null) ?? 0;
  const sum = (of: (row: LeftoverRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const worst = states.find((state) => rows.some((row) => row.state === state)) ?? "unfinished";
  return {
    ...blankRow,
    id: job,
    operation: rows[0]?.operation ?? "unknown",
    state: worst === "finished" && closed.size < count ? "unfinished" : worst,
    address: rows[0]?.address ?? "",
    created_at: rows.map((row) => row.created_at).toSorted()[0] ?? "",
    items: sum(({ items }) => items),
    done: sum(({ done }) => done),
    values: sum(({ values }) => values),
    unknown: sum(({ unknown }) => unknown),
    token_last_eights: rows.flatMap((row) => row.token_last_eights),
    notes: rows.flatMap(({ notes }) => notes),
    failed: sum(({ failed }) => failed),
    to_go: sum((row) => row.to_go),
    parts: count,
    parts_done: closed.size,
    shards: parts.map(({ row, folder }) => ({
      shard: row.shard ?? "",
      id: row.id,
      state: row.state,
      items: row.items,
      done: row.done,
      failed: row.failed,
      to_go: row.to_go,
      state_dir: folder,
      resume: row.resume,
    })),
  };
}

/** States, the worst first: a job has the first of these that one of its shards has. */
const states: readonly LeftoverRow["state"][] = [
  "damaged",
  "value kept",
  "outcome unknown",
  "orphaned token",
  "unfinished",
  "finished",
];

function indexOf({ shard }: LeftoverRow): number {
  return Number((shard ?? "").split("/")[0]);
}

// What earlier runs left, in the words of `grantctl recover`.
import type { TokenState } from "./outcome-rows.ts";
import type { ShardRow } from "./shard-rows.ts";
import { lineFromHead } from "../../bulk/resume-line.ts";
import { summaryOf, type LeftoverState, type UndeliveredValue } from "../../journal/leftover.ts";
import type { LaterLeftover, Leftover } from "../../journal/journals.ts";
import type { Presentation } from "../../output/presentation.ts";
import type { Context } from "../../run/context.ts";

export interface LeftoverRow {
  readonly id: string;
  readonly operation: string;
  readonly state: LeftoverState | "finished" | "of a later version";
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
  /** The tokens that it has something to tell of, by their last eight characters. */
  readonly token_last_eights: readonly string[];
  /** The notes that tokens of an unfinished rotation have meanwhile. */
  readonly notes: readonly string[];
  /** The command that takes it up again; null where there is nothing to resume. */
  readonly resume: string | null;
  /** How many items are known not to have been changed, though it was tried. */
  readonly failed: number;
  /** How many are neither done nor failed. */
  readonly to_go: number;
  /** `i/n` of a shard. */
  readonly shard: string | null;
  /** How many shards a job has whose shards are shown as one; null for everything else. */
  readonly parts: number | null;
  /** How many of them are finished. */
  readonly parts_done: number | null;
  /** Those of them that are there. */
  readonly shards: readonly ShardRow[];
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
    "token_last_eights",
    "resume",
    "failed",
    "to_go",
    "shard",
    "parts",
    "parts_done",
    "shards",
    "notes",
  ],
  columns: [
    { title: "ID", field: "id", text: (row) => row.id, isWhole: true },
    { title: "OPERATION", text: (row) => row.operation, isWhole: true, priority: 3 },
    { title: "STATE", text: (row) => row.state, isWhole: true, priority: 2 },
    { title: "DONE", text: (row) => `${row.done}/${row.items}`, isWhole: true, priority: 4 },
    { title: "CREATED", text: (row) => row.created_at, isMoment: true, priority: 5 },
    { title: "AT", text: (row) => row.address, priority: 6 },
    // The id is good for --resume as well.
    { title: "JOURNAL", field: "journal", text: (row) => row.journal ?? "", isWhole: true, priority: 9 },
    { title: "TOKENS", text: (row) => tokensOf(row.token_last_eights), priority: 7 },
    { title: "RESUME", text: (row) => row.resume ?? "", isWhole: true, priority: 8 },
    { title: "FAILED", text: (row) => String(row.failed), isWhole: true, priority: 6 },
    { title: "TO GO", text: (row) => String(row.to_go), isWhole: true, priority: 6 },
    { title: "SHARDS", text: shardsOf, isWhole: true, priority: 5 },
  ],
  moments: ["created_at"],
};

/** A token's value that an earlier run kept and did not deliver; or a token of a job, and what became of it. */
export type KeptValue = UndeliveredValue & { readonly state?: TokenState };

/** More than these fill a line; JSON has all. */
const mostShown = 5;

function tokensOf(lastEights: readonly string[]): string {
  const more = lastEights.length - mostShown;
  return [...lastEights.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** A leftover as a row. */
export function rowOf(leftover: Leftover, context: Context): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at } = contents.head;
  const { lastEights, isJob, ...summary } = summaryOf(leftover);
  const { shard = null, total } = contents.head;
  const failed = [...contents.items.values()].filter(({ state }) => state === "failed").length;
  return {
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
    parts: null,
    parts_done: null,
    shards: [],
  };
}

/** One that only a later version can read. */
export function laterRow({ id }: LaterLeftover): LeftoverRow {
  const nothing = { address: "", created_at: "", items: 0, done: 0, values: 0, unknown: 0 };
  return {
    id,
    operation: "unknown",
    state: "of a later version",
    ...nothing,
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
}

/** How many shards the job of one has. */
export function partsOf(shard: string | null): number | null {
  return shard === null ? null : Number(shard.split("/")[1]);
}

/** The one that it is, or how many of all are finished. */
function shardsOf({ shard, parts, parts_done }: LeftoverRow): string {
  return shard ?? (parts === null ? "" : `${parts_done} of ${parts}`);
}

// A row of `grantctl recover list`, for a leftover of an earlier run: its fields and columns.
import { list, objectWith, orNull, text, wholeNumber, word, type TypeOf } from "../../schema/json-schema.ts";
import type { LeftoverState } from "../../journal/leftover.ts";
import { column, present } from "../../printing/presentation.ts";

const leftoverStates = [
  "value kept",
  "outcome unknown",
  "orphaned token",
  "unfinished",
  "damaged",
  "finished",
  "of a later version",
  "locked",
] as const satisfies readonly (LeftoverState | "finished" | "of a later version" | "locked")[];

const shardSchema = objectWith("Shard", "One of the shards of a job, and where it is.", {
  shard: text("i/n"),
  id: text("its name for recover show and recover forget, in its own folder"),
  state: word("what is left", ...leftoverStates),
  items: wholeNumber("how many items it has"),
  done: wholeNumber("how many of them are finished"),
  failed: wholeNumber("how many were tried and are known not to have been changed"),
  to_go: wholeNumber("how many are neither done nor failed"),
  state_dir: text("the state folder that it is in"),
  resume: orNull(text("the command that continues it; null where it is finished")),
});

export const leftoverSchema = objectWith("Leftover", "What an earlier run left.", {
  id: text("its name for recover show and recover forget"),
  operation: text("what was to be done"),
  state: word("what is left", ...leftoverStates),
  address: text("the service's address"),
  created_at: text("when the run began, ISO 8601"),
  items: wholeNumber("how many items the run had"),
  done: wholeNumber("how many of them are finished"),
  values: wholeNumber("how many token values are kept"),
  unknown: wholeNumber("how many outcomes are not known"),
  journal: orNull(text("the file for --resume; null where there is nothing to resume")),
  token_last_eights: list(
    text("the last eight characters of one token"),
    "the tokens that it has something to tell of",
  ),
  resume: orNull(
    text(
      "the command that continues it, with the same input (a deletion needs none); null where there is nothing to resume",
    ),
  ),
  failed: wholeNumber("how many items were tried and are known not to have been changed"),
  to_go: wholeNumber("how many items are neither done nor failed"),
  shard: orNull(text("i/n for one shard of a job; else null")),
  parts: orNull(wholeNumber("with --state-dir, how many shards the job has; else null")),
  parts_done: orNull(wholeNumber("how many of them are finished")),
  shards: list(shardSchema, "with --state-dir, the shards of the job that are there"),
  notes: list(text("one note"), "the notes of new tokens of an unfinished rotation, or of an orphaned token"),
});

export type LeftoverRow = TypeOf<typeof leftoverSchema>;

export const leftoverPresentation = present(
  leftoverSchema,
  [
    column("ID", "id", { isWhole: true }),
    column("OPERATION", "operation", { isWhole: true, priority: 3 }),
    column("STATE", "state", { isWhole: true, priority: 2 }),
    { title: "DONE", text: (row) => `${row.done}/${row.items}`, isWhole: true, priority: 4 },
    column("CREATED", "created_at", { isMoment: true, priority: 5 }),
    column("AT", "address", { priority: 6 }),
    // The ID can be given to --resume, too.
    column("JOURNAL", "journal", { isWhole: true, priority: 9 }),
    { title: "TOKENS", text: (row) => tokensOf(row.token_last_eights), priority: 7 },
    column("RESUME", "resume", { isWhole: true, priority: 8 }),
    column("FAILED", "failed", { isWhole: true, priority: 6 }),
    column("TO GO", "to_go", { isWhole: true, priority: 6 }),
    { title: "SHARDS", text: shardsOf, isWhole: true, priority: 5 },
  ],
  { moments: ["created_at"] },
);

/** The most tokens to show in a line; JSON has all. */
const mostShown = 5;

function tokensOf(lastEights: readonly string[]): string {
  const more = lastEights.length - mostShown;
  return [...lastEights.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** The shard of a row; for a job whose shards are joined in one row, how many of them are finished. */
function shardsOf({ shard, parts, parts_done }: LeftoverRow): string {
  return shard ?? (parts === null ? "" : `${parts_done} of ${parts}`);
}

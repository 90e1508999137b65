// `grantctl recover list`: lists the leftovers of earlier runs, one per row. With --state-dir, also lists those of
// other machines, and joins the shards of each job in one row, with the sums of their counts and the worst of their
// states. A directory that is given twice is read once.
import { type Context, type Define, addExamples, explainInherited } from "../../command-line/command.ts";
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";
import { collect } from "../../config/global-options.ts";
import { Failure } from "../../errors/errors.ts";
import { resumeCommandFromHead } from "../../jobs/resume-hint.ts";
import { isFinished } from "../../journal/entries.ts";
import {
  type FinishedShard,
  isOfEarlierRun,
  shardJobId,
  ownFinishedShards,
} from "../../journal/finished-shards.ts";
import type { FolderContents } from "../../journal/journals.ts";
import { type JournalRef, type Leftover, type LeftoverState, summarize } from "../../journal/leftover.ts";
import { noteEmptyList } from "../../lists/paging.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { column, present } from "../../printing/presentation.ts";
import { type TypeOf, list, objectWith, orNull, text, wholeNumber, word } from "../../schema/json-schema.ts";
import { resolve } from "node:path";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List what earlier runs left behind")
    .description(
      "List undelivered token values, requests with an unknown result, unfinished jobs, and finished shards. With --state-dir, the shards of a job are combined; the exit code is 9 until all of them are done, then 0.",
    )
    .option(
      "--state-dir <dir>",
      "Also read another machine's state directory at this path (can be repeated)",
      collect,
    )
    .action(act(run, { isPaged: true, printsList: true, announces: false }));
  explainInherited(command, "--json", "--jq", "--format");
  addHelpSection(
    command,
    section(
      "States",
      terms({
        "value kept": "A new token was saved but not delivered: run `grantctl recover show ID`",
        "outcome unknown":
          "A request was sent, but no complete response arrived: run `grantctl recover show ID`",
        "orphaned token":
          "The token of an interrupted `authorization run` may still exist: run `grantctl recover end ID`",
        unfinished: "A job has pending items: run its resume command",
        "locked, damaged, of a later version": "All or part of the journal cannot be used",
      }),
    ),
  );
  addExamples(command, ["grantctl recover list", "grantctl recover list --json id,state"]);
};

async function run(context: Context, { stateDir }: { readonly stateDir?: readonly string[] }): Promise<void> {
  context.printer.checkFields(leftoverPresentation);
  const found = stateDir === undefined ? await ownRows(context) : await allRows(stateDir, context);
  const rows = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await printUnlessPipeClosed(() => context.printer.printList(rows, leftoverPresentation));
  if (rows.length === 0 && stateDir === undefined)
    noteEmptyList("no unfinished work from earlier runs", context);
  noteNextCommands(rows, context);
  if (stateDir !== undefined) checkAllDone(rows);
}

async function ownRows(context: Context): Promise<readonly LeftoverRow[]> {
  const journals = await context.journals();
  return [
    ...(await journals.leftovers()).map((leftover) => leftoverRow(leftover, context)),
    ...(await journals.laterLeftovers()).map((later) => unreadableRow(later, "of a later version")),
    ...(await journals.heldElsewhere()).map((held) => unreadableRow(held, "locked")),
    ...(await ownFinishedShards(context.stateFolder())).map(finishedRow),
  ];
}

async function allRows(others: readonly string[], context: Context): Promise<readonly LeftoverRow[]> {
  const { readStateFolder } = await import("../../journal/journals.ts");
  const own = context.stateFolder();
  const { bootId } = context.host.processes;
  const folders = [];
  for (const folder of new Set([own, ...others.map((other) => resolve(other))])) {
    // The state directory of this machine exists only after a run left something in it.
    const isOptional = !others.some((other) => resolve(other) === folder);
    folders.push(await readStateFolder(folder, { bootId, isOptional }));
  }
  return joinShards(folders, context);
}

/** Throws `incomplete` unless all jobs are done. Also throws without any job: nothing proves that one was run. */
function checkAllDone(rows: readonly LeftoverRow[]): void {
  const open = rows.filter(({ state }) => state !== "finished");
  if (rows.length > 0 && open.length === 0) return;
  if (rows.length === 0) {
    throw new Failure("incomplete", "these directories do not contain any shard of a job yet");
  }
  const totals = open.map(({ id, done, failed, to_go, parts, parts_done }) => {
    const shards = parts === null ? "" : `${parts_done} of ${parts} shards are finished; `;
    return `${id}: ${shards}${done} done, ${failed} failed, ${to_go} pending`;
  });
  throw new Failure("incomplete", totals.join("; "), {
    hint: "A shard that is in none of these directories counts as not done. Name each directory with --state-dir.",
  });
}

function noteNextCommands(rows: readonly LeftoverRow[], { printer, stdout, notices }: Context): void {
  for (const { id } of rows.filter(({ state }) => state === "locked"))
    notices.note(
      `${id} is locked by a process that cannot be checked from here. If it has ended, run \`grantctl recover forget ${id} --force\`.`,
    );
  if (stdout.isTerminal && rows.some(({ state }) => state === "orphaned token"))
    notices.note("Run `grantctl recover end --all` to delete orphaned tokens.");
  const resumable = rows.flatMap(({ resume, shards }) => [
    ...(resume === null ? [] : [resume]),
    ...shards.flatMap((shard) => shard.resume ?? []),
  ]);
  // On a terminal, a table is too narrow for the commands that resume jobs; elsewhere they are a column.
  if (printer.format !== "table" || !stdout.isTerminal || resumable.length === 0) return;
  notices.note(
    "To resume a job, run its command with the original input (to delete grants and authorizations, none is needed):",
  );
  for (const line of resumable) notices.note(`  ${line}`);
}

/** Worst first, except that a damaged journal is worse than all others. */
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

const shardSchema = objectWith("Shard", "One of the shards of a job, and its directory.", {
  shard: text("i/n"),
  id: text("its name for recover show and recover forget, in its own directory"),
  state: word("the state of the leftover", ...leftoverStates),
  items: wholeNumber("how many items it has"),
  done: wholeNumber("how many of them are finished"),
  failed: wholeNumber("how many were tried and are known not to have been changed"),
  to_go: wholeNumber("how many are neither done nor failed"),
  state_dir: text("the state directory of the shard"),
  resume: orNull(text("the command that continues it; null if it is finished")),
});

export const leftoverSchema = objectWith("Leftover", "A leftover of an earlier run.", {
  id: text("its name for recover show and recover forget"),
  operation: text("the operation"),
  state: word("the state of the leftover", ...leftoverStates),
  address: text("the base URL of the server"),
  created_at: text("when the run began, ISO 8601"),
  items: wholeNumber("how many items the run had"),
  done: wholeNumber("how many of them are finished"),
  values: wholeNumber("how many token values are kept"),
  unknown: wholeNumber("how many outcomes are unknown"),
  journal: orNull(text("the file for --resume; null if there is nothing to resume")),
  token_last_eights: list(
    text("the last eight characters of one token"),
    "the tokens with a kept value or an unknown outcome",
  ),
  resume: orNull(
    text(
      "the command that continues it, with the same input (a deletion needs none); null if there is nothing to resume",
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

type LeftoverRow = TypeOf<typeof leftoverSchema>;

const leftoverPresentation = present(
  leftoverSchema,
  [
    column("ID", "id", { isWhole: true }),
    column("OPERATION", "operation", { isWhole: true, priority: 3 }),
    column("STATE", "state", { isWhole: true, priority: 2 }),
    { title: "DONE", text: (row) => `${row.done}/${row.items}`, isWhole: true, priority: 4 },
    column("CREATED", "created_at", { isMoment: true, priority: 5 }),
    column("AT", "address", { priority: 6 }),
    // Low priority, because --resume also accepts the ID.
    column("JOURNAL", "journal", { isWhole: true, priority: 9 }),
    { title: "TOKENS", text: (row) => formatTokens(row.token_last_eights), priority: 7 },
    column("RESUME", "resume", { isWhole: true, priority: 8 }),
    column("FAILED", "failed", { isWhole: true, priority: 6 }),
    column("TO GO", "to_go", { isWhole: true, priority: 6 }),
    { title: "SHARDS", text: formatShards, isWhole: true, priority: 5 },
    column("UNKNOWN", "unknown", { isWhole: true, priority: 6 }),
  ],
  { moments: ["created_at"] },
);

/** The maximum number of tokens per row; JSON has all. */
const mostShown = 5;

function formatTokens(lastEights: readonly string[]): string {
  const more = lastEights.length - mostShown;
  return [...lastEights.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** The shard of a row; for a job whose shards are joined in one row, the number of finished ones. */
function formatShards({ shard, parts, parts_done }: LeftoverRow): string {
  return shard ?? (parts === null ? "" : `${parts_done} of ${parts}`);
}

const blankRow: LeftoverRow = {
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

function leftoverRow(leftover: Leftover, context: Context): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at } = contents.head;
  const { lastEights, isJob, toGo, ...summary } = summarize(leftover);
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
    resume: isJob ? resumeCommandFromHead(context, contents, id) : null,
    to_go: toGo,
    shard,
  };
}

/** The row of a leftover of which only the ID can be read. */
function unreadableRow({ id }: JournalRef, state: "of a later version" | "locked"): LeftoverRow {
  return { ...blankRow, id, state };
}

function finishedRow({ id, operation, address, created_at, total, shard }: FinishedShard): LeftoverRow {
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

/** The rows of all folders, with the shards of each job joined in one row. */
function joinShards(folders: readonly FolderContents[], context: Context): readonly LeftoverRow[] {
  const jobs = new Map<string, ShardRow[]>();
  const others: LeftoverRow[] = [];
  const add = (job: string | null, row: LeftoverRow, folder: string): void => {
    if (job === null) others.push(row);
    else jobs.set(job, [...(jobs.get(job) ?? []), { row, folder }]);
  };
  const known = new Set<string>();
  /** Copies of a directory, or two paths to it, have the same journals: each journal counts once. */
  const isFirst = ({ id }: { readonly id: string }): boolean => {
    const isCopy = known.has(id);
    known.add(id);
    return !isCopy;
  };
  const allFinished = folders.flatMap(({ finished }) => finished);
  for (const { folder, journals, later, finished } of folders) {
    for (const leftover of journals.filter(isFirst)) {
      const { head } = leftover.contents;
      add(shardJobId(head), shardRow(leftover, context), folder);
    }
    for (const shard of finished) {
      const job = shardJobId({ ...shard, list: shard.input });
      const ofJob = allFinished.filter((other) => shardJobId({ ...other, list: other.input }) === job);
      if (!isOfEarlierRun(shard, ofJob)) add(job, finishedRow(shard), folder);
    }
    others.push(...later.filter(isFirst).map((leftover) => unreadableRow(leftover, "of a later version")));
  }
  return [...[...jobs].map(([job, parts]) => combineShards(job, parts)), ...others];
}

interface ShardRow {
  readonly row: LeftoverRow;
  readonly folder: string;
}

/** The row of a leftover. Its resume command has the path of the journal, which may be in any directory. */
function shardRow(leftover: Leftover, context: Context): LeftoverRow {
  const row = leftoverRow(leftover, context);
  const { isDamaged } = leftover.contents;
  if (isFinished(leftover.contents) && !isDamaged) return { ...row, state: "finished", resume: null };
  return row.resume === null
    ? row
    : { ...row, resume: resumeCommandFromHead(context, leftover.contents, leftover.path) };
}

function combineShards(job: string, found: readonly ShardRow[]): LeftoverRow {
  // A shard with both a journal and a file for a finished shard was run again: the journal counts.
  const isOpen = ({ row }: ShardRow): boolean => row.state !== "finished";
  const open = found.filter(isOpen);
  const isOpenShard = ({ row }: ShardRow): boolean => open.some((part) => part.row.shard === row.shard);
  const closed = new Map(
    found.filter((part) => !isOpen(part) && !isOpenShard(part)).map((part) => [part.row.shard, part]),
  );
  const parts = [...open, ...closed.values()].toSorted(
    (a, b) => (shardNumbers(a.row)[0] ?? 0) - (shardNumbers(b.row)[0] ?? 0),
  );
  const rows = parts.map(({ row }) => row);
  const [, count = 0] = shardNumbers(rows[0]);
  const sum = (field: (row: LeftoverRow) => number): number =>
    rows.reduce((total, row) => total + field(row), 0);
  const ranked = ["damaged", ...leftoverStates] as const;
  const worst = ranked.find((state) => rows.some((row) => row.state === state)) ?? "unfinished";
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
    shards: parts.map(({ row, folder }) => {
      const { shard, id, state, items, done, failed, to_go, resume } = row;
      return { shard: shard ?? "", id, state, items, done, failed, to_go, state_dir: folder, resume };
    }),
  };
}

/** The index and the count of the shard `i/n`; empty without a shard. */
function shardNumbers(row: LeftoverRow | undefined): readonly number[] {
  return row?.shard?.split("/").map(Number) ?? [];
}

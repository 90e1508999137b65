// `grantctl recover list`: the leftovers of earlier runs, here and with --state-dir in the state folders of others.
import { resolve } from "node:path";
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { Failure } from "../../errors/errors.ts";
import { ownFinishedShards } from "../../journal/finished-shards.ts";
import { noteEmptyList } from "../../lists/paging.ts";
import { printWhileRead } from "../../printing/output-stream.ts";
import { leftoverPresentation, type LeftoverRow } from "./leftover-row.ts";
import { closedRow, finishedRow, isDone, rowOf } from "./leftover-rows.ts";
import { joinShards } from "./shard-rows.ts";

interface RecoverListOptions {
  readonly stateDir?: readonly string[];
}

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List unfinished work of earlier runs")
    .description(
      "List undelivered token values, requests with an unknown result, unfinished jobs, and finished shards. With --state-dir, the shards of a job are combined; the exit code is 9 until all of them are done, then 0.",
    )
    .option(
      "--state-dir <dir>",
      "Also read this state directory of another machine (can be repeated)",
      collect,
    )
    .action(act(run, { reads: true, printsList: true, announces: false }));
  explainInherited(command, "--json", "--jq", "--format");
  addExamples(command, ["grantctl recover list", "grantctl recover list --json id,state"]);
};

async function run(context: Context, { stateDir }: RecoverListOptions): Promise<void> {
  context.printer.checkFields(leftoverPresentation);
  const found = stateDir === undefined ? await ownRows(context) : await allRows(stateDir, context);
  const rows = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await printWhileRead(() => context.printer.printList(rows, leftoverPresentation));
  if (rows.length === 0 && stateDir === undefined) noteEmptyList("nothing is left of earlier runs", context);
  noteWaysOn(rows, context);
  if (stateDir !== undefined) checkAllDone(rows);
}

async function ownRows(context: Context): Promise<readonly LeftoverRow[]> {
  const journals = await context.journals();
  return [
    ...(await journals.leftovers()).map((leftover) => rowOf(leftover, context)),
    ...(await journals.laterLeftovers()).map((later) => closedRow(later)),
    ...(await journals.heldElsewhere()).map((held) => closedRow(held, "locked")),
    ...(await ownFinishedShards(context.stateFolder())).map(finishedRow),
  ];
}

async function allRows(others: readonly string[], context: Context): Promise<readonly LeftoverRow[]> {
  const { readStateFolder } = await import("../../journal/journals.ts");
  const own = context.stateFolder();
  const { bootId } = context.host.processes;
  const folders = [];
  for (const folder of new Set([own, ...others.map((other) => resolve(other))])) {
    // The state folder of this machine exists only once a run has left something in it.
    const isOptional = !others.some((other) => resolve(other) === folder);
    folders.push(await readStateFolder(folder, { bootId, isOptional }));
  }
  return joinShards(folders, context);
}

/** Throws `incomplete` until every job is done, and without any job, because nothing then shows that one was run. */
function checkAllDone(rows: readonly LeftoverRow[]): void {
  const open = rows.filter((row) => !isDone(row));
  if (rows.length > 0 && open.length === 0) return;
  if (rows.length === 0) {
    throw new Failure("incomplete", "no shard of a job has left anything in these folders yet");
  }
  const said = open.map(({ id, done, failed, to_go, parts, parts_done }) => {
    const shards = parts === null ? "" : `${parts_done} of ${parts} shards are finished; `;
    return `${id}: ${shards}${done} done, ${failed} failed, ${to_go} to go`;
  });
  throw new Failure("incomplete", said.join("; "), {
    hint: "a shard that is in none of the folders counts as not done: name each with --state-dir",
  });
}

function noteWaysOn(rows: readonly LeftoverRow[], { printer, stdout, notices }: Context): void {
  for (const { id } of rows.filter(({ state }) => state === "locked"))
    notices.note(
      `${id} is locked by a process that cannot be seen from here; if it has ended: grantctl recover forget ${id} --force`,
    );
  if (stdout.isTerminal && rows.some(({ state }) => state === "orphaned token"))
    notices.note("to delete orphaned tokens: grantctl recover end --all");
  const resumable = rows.flatMap(({ resume, shards }) => [
    ...(resume === null ? [] : [resume]),
    ...shards.flatMap((shard) => shard.resume ?? []),
  ]);
  // On a terminal, a table is too narrow for the commands that resume jobs; elsewhere they are a column.
  if (printer.format !== "table" || !stdout.isTerminal || resumable.length === 0) return;
  notices.note("to continue a job (all but deletions need the same input again):");
  for (const line of resumable) notices.note(`  ${line}`);
}

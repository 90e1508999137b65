// `grantctl recover list`: what earlier runs left.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { noteEmptyList } from "../../lists/note-empty-list.ts";
import { laterRow, leftoverPresentation, rowOf } from "./leftover-rows.ts";

export function addListCommand(recover: Command, dispatch: Dispatch): void {
  const command = recover
    .command("list")
    .alias("ls")
    .summary("list what earlier runs left")
    .description(
      "List token values that were not delivered, requests whose outcome is unknown, and unfinished jobs.",
    )
    .action((_: object, self: Command) => dispatch(self, run));
  addExamples(command, ["grantctl recover list", "grantctl recover list --json id,state"]);
}

async function run(context: Context): Promise<void> {
  context.printer.checkFields(leftoverPresentation);
  const journals = await context.journals();
  const rows = [
    ...(await journals.leftovers()).map((leftover) => rowOf(leftover, context)),
    ...(await journals.laterLeftovers()).map(laterRow),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await context.printer.printList(rows, leftoverPresentation);
  if (rows.length === 0) noteEmptyList("nothing is left of earlier runs", context);
  const { printer, stdout, notices } = context;
  const resumable = rows.flatMap(({ resume }) => resume ?? []);
  // The column with the line is too wide for a window; scripts have it always.
  if (printer.format !== "table" || !stdout.isTerminal || resumable.length === 0) return;
  notices.note("to take a job up again, give it the same input:");
  for (const line of resumable) notices.note(`  ${line}`);
}

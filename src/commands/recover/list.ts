// `grantctl recover list`: what earlier runs left.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { noteEmptyList } from "../../lists/note-empty-list.ts";
import { leftoverPresentation, rowOf } from "./leftover-rows.ts";

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
  const leftovers = await (await context.journals()).leftovers();
  const rows = leftovers.map(rowOf);
  await context.printer.printList(rows, leftoverPresentation);
  if (rows.length === 0) noteEmptyList("nothing is left of earlier runs", context);
  const { printer, stdout, notices } = context;
  // The column that names the journal goes first where a window is narrow; scripts have it always.
  if (printer.format === "table" && stdout.isTerminal && rows.some(({ journal }) => journal !== null))
    notices.note("to take a job up again, give it the same input and --resume ID");
}

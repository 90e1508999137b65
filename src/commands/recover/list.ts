// `grantctl recover list`: what earlier runs left.
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
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
  await context.printer.printList(leftovers.map(rowOf), leftoverPresentation);
}

// `grantctl sandbox notices`: what a running sandbox told the owners of reported tokens.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { Act } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { noticesPresentation } from "./notice-rows.ts";

export function completeNotices(command: Command, act: Act): void {
  command
    .summary("what a running sandbox told the owners of reported tokens")
    .description("List what the sandbox at --base-url told owners whose tokens were reported to it.")
    .action(act(run));
  addExamples(command, ["grantctl sandbox run --operator github --github-com -- grantctl sandbox notices"]);
}

async function run(context: Context): Promise<void> {
  context.printer.checkFields(noticesPresentation);
  const { fetchNotices } = await import("./ask-sandbox.ts");
  await context.printer.printList(await fetchNotices(context), noticesPresentation);
}

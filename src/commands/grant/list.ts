// `grantctl grant list`: operation 1.
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import { addPagingOptions, pagingOf, type PagingOptions } from "../paging-options.ts";
import { watchPages } from "../watch-pages.ts";
import { grantPresentation } from "./presentation.ts";

export function addListCommand(grant: Command, dispatch: Dispatch): void {
  const command = addPagingOptions(grant.command("list").alias("ls"))
    .summary("list the grants")
    .description(
      "List the applications that have access to the account: one grant each, with the scopes of all its tokens.",
    )
    .action((options: PagingOptions, self: Command) => dispatch(self, (context) => run(options, context)));
  addExamples(command, [
    "grantctl grant list",
    "grantctl grant list --json id,app.name",
    "grantctl grant list --limit 10",
  ]);
}

async function run(options: PagingOptions, context: Context): Promise<void> {
  context.printer.checkFields(grantPresentation);
  const { listGrants } = await import("../../api/grants.ts");
  const { service } = await context.accountService();
  await context.printer.printPages(
    listGrants(service, watchPages(pagingOf(options, context.options.concurrency), context)),
    grantPresentation,
  );
}

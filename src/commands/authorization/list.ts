// `grantctl authorization list`: operation 4.
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import { addPagingOptions, pagingOf, type PagingOptions } from "../paging-options.ts";
import { watchPages } from "../watch-pages.ts";
import { authorizationPresentation } from "./presentation.ts";

export function addListCommand(authorization: Command, dispatch: Dispatch): void {
  const command = addPagingOptions(authorization.command("list").alias("ls"))
    .summary("list the authorizations")
    .description(
      "List the account's authorizations: every token, of an application or personal, without its value.",
    )
    .action((options: PagingOptions, self: Command) => dispatch(self, (context) => run(options, context)));
  addExamples(command, [
    "grantctl authorization list",
    "grantctl authorization list --json id,note,token_last_eight",
    "grantctl authorization list --format ndjson",
  ]);
}

async function run(options: PagingOptions, context: Context): Promise<void> {
  context.printer.checkFields(authorizationPresentation);
  const { listAuthorizations } = await import("../../api/authorizations.ts");
  const { service } = await context.accountService();
  const pages = listAuthorizations(
    service,
    watchPages(pagingOf(options, context.options.concurrency), context),
  );
  await context.printer.printPages(pages, authorizationPresentation);
}

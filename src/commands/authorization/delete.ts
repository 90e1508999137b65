// `grantctl authorization delete`: operation 10, for one or many.
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { deleteItems } from "../delete-items.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import { addJobOptions, type JobOptions } from "../../bulk/job.ts";

export function addDeleteCommand(authorization: Command, dispatch: Dispatch): void {
  const command = authorization
    .command("delete")
    .aliases(["rm", "revoke"])
    .summary("delete authorizations, and so their tokens")
    .description("Delete authorizations. Their tokens stop working at once. Asks first.")
    .argument("<id...>", "the authorizations' ids, or - to read them from standard input")
    .action((ids: string[], options: JobOptions, self: Command) =>
      dispatch(self, (context) => run(ids, options, context)),
    );
  addJobOptions(command);
  addExamples(command, [
    "grantctl authorization delete 42",
    "grantctl authorization delete - --yes < ids.txt",
  ]);
}

/** The least that can be read of a list. */
const firstItem = { limit: 1, page: 1, perPage: 1, concurrency: 1 };

async function run(ids: readonly string[], options: JobOptions, context: Context): Promise<void> {
  const { deleteAuthorization, getAuthorization, listAuthorizations } =
    await import("../../api/authorizations.ts");
  await deleteItems(ids, options, context, {
    operation: "delete-authorization",
    name: "authorization",
    effect: "so that its token stops working",
    remove: deleteAuthorization,
    read: getAuthorization,
    prove: (service) => listAuthorizations(service, firstItem).next(),
  });
}

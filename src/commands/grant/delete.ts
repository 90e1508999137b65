// `grantctl grant delete`: operation 3, for one or many.
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { deleteItems } from "../delete-items.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import { addJobOptions, type JobOptions } from "../../bulk/job.ts";

export function addDeleteCommand(grant: Command, dispatch: Dispatch): void {
  const command = grant
    .command("delete")
    .aliases(["rm", "revoke"])
    .summary("delete grants, with all tokens their applications hold")
    .description(
      "Delete grants. Each application loses its access, and all tokens that it holds for the account with it. Asks first.",
    )
    .argument("<id...>", "the grants' ids, or - to read them from standard input")
    .action((ids: string[], options: JobOptions, self: Command) =>
      dispatch(self, (context) => run(ids, options, context)),
    );
  addJobOptions(command);
  addExamples(command, [
    "grantctl grant delete 42",
    "grantctl grant list --json id | grantctl grant delete - --dry-run",
  ]);
}

/** The least that can be read of a list. */
const firstItem = { limit: 1, page: 1, perPage: 1, concurrency: 1 };

async function run(ids: readonly string[], options: JobOptions, context: Context): Promise<void> {
  const { deleteGrant, getGrant, listGrants } = await import("../../api/grants.ts");
  await deleteItems(ids, options, context, {
    operation: "delete-grant",
    name: "grant",
    effect: "with all tokens that its application holds",
    remove: deleteGrant,
    read: getGrant,
    prove: (service) => listGrants(service, firstItem).next(),
  });
}

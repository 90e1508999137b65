// `grantctl grant delete`: operation 3, for one or many, named or picked from a list.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import { agoOf, appName, scopesOf } from "../../shapes/cells.ts";
import { deleteItems } from "../../deletion/delete-items.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { textOf } from "../../output/presentation.ts";
import { addJobOptions, type JobOptions } from "../../bulk/job.ts";

export function addDeleteCommand(grant: Command, dispatch: Dispatch): void {
  const command = grant
    .command("delete")
    .aliases(["rm", "revoke"])
    .summary("delete grants, with all tokens their applications hold")
    .description(
      "Delete grants. Each application loses its access, and all tokens that it holds for the account with it. Asks first. Without an id, the account's grants are a list on the terminal: type to search, space ticks; --yes leaves out the question after it.",
    )
    .argument(
      "[id...]",
      "the grants' ids, or - to read them from standard input; without any, a list to pick from",
    )
    .action((ids: string[], options: JobOptions, self: Command) =>
      dispatch(self, (context) => run(ids, options, context)),
    );
  addJobOptions(command);
  addExamples(command, [
    "grantctl grant delete",
    "grantctl grant delete 42",
    "grantctl grant list --json id | grantctl grant delete - --dry-run",
  ]);
}

async function run(ids: readonly string[], options: JobOptions, context: Context): Promise<void> {
  const { deleteGrant, getGrant, listGrants } = await import("../../api/grants.ts");
  await deleteItems(ids, options, context, {
    operation: "delete-grant",
    name: "grant",
    effect: {
      ofOne: "with all tokens that its application holds",
      ofMany: "with all tokens that their applications hold",
    },
    remove: deleteGrant,
    read: getGrant,
    list: listGrants,
    cells: ({ id, app, scopes, created_at }, now) => [
      textOf(id),
      appName(app),
      scopesOf({ scopes }),
      agoOf(created_at, now),
    ],
    columns: [
      { title: "ID", isWhole: true, priority: 1 },
      { title: "APP", isWhole: false, priority: 1 },
      { title: "SCOPES", isWhole: false, priority: 3 },
      { title: "CREATED", isWhole: true, priority: 2 },
    ],
    title: ({ app }) => appName(app),
  });
}

// `grantctl authorization delete`: operation 10, for one or many, named or picked from a list.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import { agoOf, appName, scopesOf } from "../../shapes/cells.ts";
import { deleteItems } from "../../deletion/delete-items.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { textOf } from "../../output/presentation.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addJobOptions, type JobOptions } from "../../bulk/job.ts";

export function addDeleteCommand(authorization: Command, dispatch: Dispatch): void {
  const command = authorization
    .command("delete")
    .aliases(["rm", "revoke"])
    .summary("delete authorizations, and so their tokens")
    .description(
      "Delete authorizations. Their tokens stop working at once. Asks first. Without an id, the account's authorizations are a list on the terminal: type to search, space ticks; --yes leaves out the question after it.",
    )
    .argument(
      "[id...]",
      "the authorizations' ids, or - to read them from standard input; without any, a list to pick from",
    )
    .action((ids: string[], options: JobOptions, self: Command) =>
      dispatch(self, (context) => run(ids, options, context)),
    );
  addJobOptions(command);
  addExamples(command, [
    "grantctl authorization delete",
    "grantctl authorization delete 42",
    "grantctl authorization delete - --yes < ids.txt",
  ]);
}

async function run(ids: readonly string[], options: JobOptions, context: Context): Promise<void> {
  const { deleteAuthorization, getAuthorization, listAuthorizations } =
    await import("../../api/authorizations.ts");
  await deleteItems(ids, options, context, {
    operation: "delete-authorization",
    name: "authorization",
    effect: { ofOne: "so that its token stops working", ofMany: "so that their tokens stop working" },
    remove: deleteAuthorization,
    read: getAuthorization,
    list: listAuthorizations,
    cells: ({ id, note, app, scopes, token_last_eight, created_at }, now) => [
      textOf(id),
      textOf(note),
      appName(app),
      scopesOf({ scopes }),
      textOf(token_last_eight),
      agoOf(created_at, now),
    ],
    columns: [
      { title: "ID", isWhole: true, priority: 1 },
      { title: "NOTE", isWhole: false, priority: 1 },
      { title: "APP", isWhole: false, priority: 3 },
      { title: "SCOPES", isWhole: false, priority: 5 },
      { title: "LAST EIGHT", isWhole: true, priority: 4 },
      { title: "CREATED", isWhole: true, priority: 2 },
    ],
    title: ({ note, app }) => textOf(note) || appName(app),
  });
}

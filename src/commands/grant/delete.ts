// `grantctl grant delete`: deletes one or many, named or picked from a list.
import { deleteGrant } from "../../api/grants.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { grants } from "../../lists/nouns.ts";
import { deleteItems, deletionPresentation, type DeletionOptions } from "../../deletion/delete-items.ts";
import { addFilterOptions } from "../../lists/filtered-list.ts";
import { addJobOptions } from "../../jobs/read-items.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Delete grants. Each application loses access to your account, and all its tokens for the account are revoked. Prompts for confirmation. On a terminal, if you omit the IDs, you can choose from a list of the grants that match the filters: type to search, and press Tab to select.",
    )
    .argument("[id...]", "IDs of the grants, or - to read them from standard input")
    .action(act(run));
  addJobOptions(command, "no grant IDs needed");
  addFilterOptions(command, "grant");
  printsFields(command, deletionPresentation.fields);
  addExamples(command, [
    "grantctl grant delete",
    "grantctl grant delete --not-updated-for 1y",
    "grantctl grant delete 42",
    "grantctl grant list --json id | grantctl grant delete - --dry-run",
  ]);
};

function run(context: Context, ids: readonly string[], options: DeletionOptions): Promise<void> {
  return deleteItems(ids, options, context, {
    operation: "delete-grant",
    ...grants,
    effect: { ofOne: "and revoke all its tokens", ofMany: "and revoke all their tokens" },
    remove: deleteGrant,
  });
}

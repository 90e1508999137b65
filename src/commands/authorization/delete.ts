// `grantctl authorization delete`: deletes one or many, named or picked from a list.
import { deleteAuthorization } from "../../api/authorizations.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { authorizations } from "../../lists/nouns.ts";
import { deleteItems, deletionPresentation, type DeletionOptions } from "../../deletion/delete-items.ts";
import { addFilterOptions } from "../../lists/filtered-list.ts";
import { addJobOptions } from "../../jobs/read-items.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Delete authorizations. Their tokens stop working at once. Prompts for confirmation. On a terminal, if you omit the IDs, you can choose from a list of the authorizations that match the filters: type to search, and press Tab to select.",
    )
    .argument("[id...]", "IDs of the authorizations, or - to read them from standard input")
    .action(act(run));
  addJobOptions(command, "no authorization IDs needed");
  addFilterOptions(command, "authorization");
  printsFields(command, deletionPresentation.fields);
  addExamples(command, [
    "grantctl authorization delete",
    "grantctl authorization delete --not-updated-for 1y",
    "grantctl authorization delete 42",
    "grantctl authorization delete - --yes < ids.txt",
  ]);
};

function run(context: Context, ids: readonly string[], options: DeletionOptions): Promise<void> {
  return deleteItems(ids, options, context, {
    operation: "delete-authorization",
    ...authorizations,
    effect: { ofOne: "and revoke its token", ofMany: "and revoke their tokens" },
    remove: deleteAuthorization,
  });
}

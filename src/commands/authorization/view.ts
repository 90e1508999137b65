// `grantctl authorization view`: prints one authorization.
import { addExamples, printsFields, type Define } from "../../command-line/command.ts";
import { viewItem } from "../../lists/pick-items.ts";
import { authorizations } from "../../lists/nouns.ts";

export const define: Define = (command, act) => {
  command
    .description("Show an authorization, without the value of its token.")
    .argument("[id]", "ID of the authorization; on a terminal, you can select one instead")
    .action(
      act((context, id: string | undefined) => viewItem(id, context, authorizations), { isPaged: true }),
    );
  printsFields(command, authorizations.presentation.fields);
  addExamples(command, [
    "grantctl authorization view 42",
    "grantctl authorization view 42 --json note,scopes",
  ]);
};

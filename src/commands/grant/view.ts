// `grantctl grant view`: prints one grant.
import { addExamples, printsFields, type Define } from "../../command-line/command.ts";
import { viewItem } from "../../lists/pick-items.ts";
import { grants } from "../../lists/nouns.ts";

export const define: Define = (command, act) => {
  command
    .description("Show a grant's application, scopes and dates.")
    .argument("[id]", "ID of the grant; on a terminal, you can select one instead")
    .action(act((context, id: string | undefined) => viewItem(id, context, grants), { isPaged: true }));
  printsFields(command, grants.presentation.fields);
  addExamples(command, ["grantctl grant view 42", "grantctl grant view 42 --json scopes"]);
};

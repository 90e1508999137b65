// `grantctl grant view`: operation 2.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { idOrPick } from "../../lists/pick-items.ts";
import { grantPresentation } from "../../output/resources.ts";

export const defineView: Define = (command, act) => {
  command
    .description("Show a grant's application, scopes and dates.")
    .argument("[id]", "ID of the grant; on a terminal, you can select one instead")
    .action(act(run, { isPaged: true }));
  printsFields(command, grantPresentation.fields);
  addExamples(command, ["grantctl grant view 42", "grantctl grant view 42 --json scopes"]);
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { getGrant, listGrants: list } = await import("../../api/grants.ts");
  const picking = { name: "grant", list, presentation: grantPresentation } as const;
  const id = await idOrPick(given, context, picking, "view");
  const { service } = await context.server.accountService();
  const grant = await getGrant(service, id);
  await context.printer.printItem(grant, grantPresentation);
}

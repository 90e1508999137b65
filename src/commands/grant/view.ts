// `grantctl grant view`: operation 2.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { parseId } from "../../jobs/read-items.ts";
import { grantPresentation } from "../../output/resources.ts";

export const defineView: Define = (command, act) => {
  command
    .description("Show a grant's application, scopes and dates.")
    .argument("<id>", "ID of the grant")
    .action(act(run, { isPaged: true }));
  printsFields(command, grantPresentation.fields);
  addExamples(command, ["grantctl grant view 42", "grantctl grant view 42 --json scopes"]);
};

async function run(context: Context, id: string): Promise<void> {
  parseId(id, "", "Run `grantctl grant list` to see the IDs.");
  context.printer.checkFields(grantPresentation);
  const { getGrant } = await import("../../api/grants.ts");
  const { service } = await context.server.accountService();
  const grant = await getGrant(service, id);
  await context.printer.printItem(grant, grantPresentation);
}

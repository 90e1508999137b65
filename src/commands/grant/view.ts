// `grantctl grant view`: operation 2.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { parseId } from "../../bulk/read-items.ts";
import { grantPresentation } from "../../printing/resources.ts";

export const defineView: Define = (command, act) => {
  command
    .summary("show one grant")
    .description("Show one grant.")
    .argument("<id>", "the grant's id")
    .action(act(run));
  addExamples(command, ["grantctl grant view 42", "grantctl grant view 42 --json scopes"]);
};

async function run(context: Context, id: string): Promise<void> {
  parseId(id, "", "grantctl grant list shows the ids");
  context.printer.checkFields(grantPresentation);
  const { getGrant } = await import("../../api/grants.ts");
  const { service } = await context.address.accountService();
  const grant = await getGrant(service, id);
  await context.printer.printItem(grant, grantPresentation);
}

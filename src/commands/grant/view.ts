// `grantctl grant view`: operation 2.
import type { Command } from "commander";
import { parseId } from "../../bulk/read-items.ts";
import type { Context } from "../../run/context.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { grantPresentation } from "../../shapes/grant-fields.ts";

export function addViewCommand(grant: Command, dispatch: Dispatch): void {
  const command = grant
    .command("view")
    .summary("show one grant")
    .description("Show one grant.")
    .argument("<id>", "the grant's id")
    .action((id: string, _: object, self: Command) => dispatch(self, (context) => run(id, context)));
  addExamples(command, ["grantctl grant view 42", "grantctl grant view 42 --json scopes"]);
}

async function run(id: string, context: Context): Promise<void> {
  parseId(id, "", "grantctl grant list shows the ids");
  context.printer.checkFields(grantPresentation);
  const { getGrant } = await import("../../api/grants.ts");
  const { service } = await context.address.accountService();
  const grant = await getGrant(service, id);
  await context.printer.printItem(grant, grantPresentation);
}

// `grantctl authorization view`: operation 5.
import type { Command } from "commander";
import { parseId } from "../../bulk/read-items.ts";
import type { Context } from "../../run/context.ts";
import type { Act } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { authorizationPresentation } from "../../shapes/authorization-fields.ts";

export function completeView(command: Command, act: Act): void {
  command
    .summary("show one authorization")
    .description("Show one authorization, without its token's value.")
    .argument("<id>", "the authorization's id")
    .action(act(run));
  addExamples(command, [
    "grantctl authorization view 42",
    "grantctl authorization view 42 --json note,scopes",
  ]);
}

async function run(context: Context, id: string): Promise<void> {
  parseId(id, "", "grantctl authorization list shows the ids");
  context.printer.checkFields(authorizationPresentation);
  const { getAuthorization } = await import("../../api/authorizations.ts");
  const { service } = await context.address.accountService();
  const authorization = await getAuthorization(service, id);
  await context.printer.printItem(authorization, authorizationPresentation);
}

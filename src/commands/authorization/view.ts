// `grantctl authorization view`: operation 5.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { idOrPick } from "../../lists/pick-items.ts";
import { authorizationPresentation } from "../../output/resources.ts";

export const defineView: Define = (command, act) => {
  command
    .description("Show an authorization, without the value of its token.")
    .argument("[id]", "ID of the authorization; on a terminal, you can select one instead")
    .action(act(run, { isPaged: true }));
  printsFields(command, authorizationPresentation.fields);
  addExamples(command, [
    "grantctl authorization view 42",
    "grantctl authorization view 42 --json note,scopes",
  ]);
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { getAuthorization, listAuthorizations: list } = await import("../../api/authorizations.ts");
  const picking = { name: "authorization", list, presentation: authorizationPresentation } as const;
  const id = await idOrPick(given, context, picking, "view");
  const { service } = await context.server.accountService();
  const authorization = await getAuthorization(service, id);
  await context.printer.printItem(authorization, authorizationPresentation);
}

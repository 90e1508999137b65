// `grantctl authorization view`: operation 5.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { parseId } from "../../jobs/read-items.ts";
import { authorizationPresentation } from "../../output/resources.ts";

export const defineView: Define = (command, act) => {
  command
    .description("Show an authorization, without the value of its token.")
    .argument("<id>", "ID of the authorization")
    .action(act(run, { isPaged: true }));
  printsFields(command, authorizationPresentation.fields);
  addExamples(command, [
    "grantctl authorization view 42",
    "grantctl authorization view 42 --json note,scopes",
  ]);
};

async function run(context: Context, id: string): Promise<void> {
  parseId(id, "", "Run `grantctl authorization list` to see the IDs.");
  context.printer.checkFields(authorizationPresentation);
  const { getAuthorization } = await import("../../api/authorizations.ts");
  const { service } = await context.server.accountService();
  const authorization = await getAuthorization(service, id);
  await context.printer.printItem(authorization, authorizationPresentation);
}

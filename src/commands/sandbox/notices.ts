// `grantctl sandbox notices`: the notices of a running sandbox to the owners of reported tokens.
//
// An operator sends them by mail. The sandbox keeps them in memory instead, and this command lists them, oldest first,
// so that a script can verify the effect of a report, which the response does not show. The list is lost when the
// sandbox stops.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { noticesPresentation } from "./schemas.ts";

export const defineNotices: Define = (command, act) => {
  command
    .summary("List notices that a running sandbox sent to token owners")
    .description("List the notices that the sandbox at --base-url sent to the owners of reported tokens.")
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url", "--json", "--jq");
  addExamples(command, ["grantctl sandbox run --operator github --github-com -- grantctl sandbox notices"]);
};

async function run(context: Context): Promise<void> {
  context.printer.checkFields(noticesPresentation);
  const { fetchNotices } = await import("./control-requests.ts");
  await context.printer.printList(await fetchNotices(context), noticesPresentation);
}

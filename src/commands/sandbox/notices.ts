// `grantctl sandbox notices`: the notices of a running sandbox to the owners of reported tokens.
//
// An operator sends them by mail. The sandbox keeps them in memory instead, and this command lists them, oldest first,
// so that a script can see that a report had an effect: the response to a report does not tell.
// The list ends with the sandbox.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { noticesPresentation } from "./schemas.ts";

export const defineNotices: Define = (command, act) => {
  command
    .summary("what a running sandbox told the owners of reported tokens")
    .description("List what the sandbox at --base-url told owners whose tokens were reported to it.")
    .action(act(run));
  addExamples(command, ["grantctl sandbox run --operator github --github-com -- grantctl sandbox notices"]);
};

async function run(context: Context): Promise<void> {
  context.printer.checkFields(noticesPresentation);
  const { fetchNotices } = await import("./ask-sandbox.ts");
  await context.printer.printList(await fetchNotices(context), noticesPresentation);
}

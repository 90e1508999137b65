// `grantctl grant list`: operation 1.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { addListOptions, printFilteredList, type ListOptions } from "../../lists/list-options.ts";
import { grantPresentation } from "../../output/resources.ts";

export const defineList: Define = (command, act) => {
  addListOptions(command, "grant")
    .description(
      "List the applications that can access your account. Each application has one grant, which covers the scopes of all its tokens.",
    )
    .action(act(run, { isPaged: true }));
  printsFields(command, grantPresentation.fields);
  addExamples(command, [
    "grantctl grant list",
    "grantctl grant list --json id,app.name",
    "grantctl grant list --scope repo --sort updated_at --limit 10",
    "grantctl grant list --older-than 90d --json id --jq '.[].id' | grantctl grant delete - --dry-run",
  ]);
};

async function run(context: Context, options: ListOptions): Promise<void> {
  const { listGrants: list } = await import("../../api/grants.ts");
  await printFilteredList(options, context, { name: "grant", list, presentation: grantPresentation });
}

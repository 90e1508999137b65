// `grantctl authorization list`: operation 4.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { addListOptions, printFilteredList, type ListOptions } from "../../lists/list-options.ts";
import { authorizationPresentation } from "../../output/resources.ts";

export const defineList: Define = (command, act) => {
  addListOptions(command, "authorization")
    .description(
      "List the account's authorizations, for both personal tokens and application tokens. Token values are not shown.",
    )
    .action(act(run, { isPaged: true }));
  printsFields(command, authorizationPresentation.fields);
  addExamples(command, [
    "grantctl authorization list",
    "grantctl authorization list --json id,note,token_last_eight",
    'grantctl authorization list --note "nightly backup" --not-updated-for 1y --sort updated_at',
  ]);
};

async function run(context: Context, options: ListOptions): Promise<void> {
  const { listAuthorizations: list } = await import("../../api/authorizations.ts");
  await printFilteredList(options, context, {
    name: "authorization",
    list,
    presentation: authorizationPresentation,
  });
}

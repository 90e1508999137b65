// `grantctl authorization list`: prints the account's authorizations.
import { addExamples, printsFields, type Define } from "../../command-line/command.ts";
import { addListOptions, printFilteredList, type ListOptions } from "../../lists/filtered-list.ts";
import { authorizations } from "../../lists/nouns.ts";

export const define: Define = (command, act) => {
  addListOptions(command, "authorization")
    .description(
      "List the account's authorizations, for both personal tokens and application tokens. Token values are not shown.",
    )
    .action(
      act((context, options: ListOptions) => printFilteredList(options, context, authorizations), {
        isPaged: true,
      }),
    );
  printsFields(command, authorizations.presentation.fields);
  addExamples(command, [
    "grantctl authorization list",
    "grantctl authorization list --json id,note,token_last_eight",
    'grantctl authorization list --note "nightly backup" --not-updated-for 1y --sort updated_at',
  ]);
};

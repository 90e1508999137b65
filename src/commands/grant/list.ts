// `grantctl grant list`: prints the account's grants.
import { addExamples, printsFields, type Define } from "../../command-line/command.ts";
import { addListOptions, printFilteredList, type ListOptions } from "../../lists/filtered-list.ts";
import { grants } from "../../lists/nouns.ts";

export const define: Define = (command, act) => {
  addListOptions(command, "grant")
    .description(
      "List the applications that can access your account. Each application has one grant, which covers the scopes of all its tokens.",
    )
    .action(
      act((context, options: ListOptions) => printFilteredList(options, context, grants), { isPaged: true }),
    );
  printsFields(command, grants.presentation.fields);
  addExamples(command, [
    "grantctl grant list",
    "grantctl grant list --json id,app.name",
    "grantctl grant list --scope repo --sort updated_at --limit 10",
    "grantctl grant list --older-than 90d --json id --jq '.[].id' | grantctl grant delete - --dry-run",
  ]);
};

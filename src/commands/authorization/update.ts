// `grantctl authorization update`: changes an authorization.
import { updateAuthorization } from "../../api/authorizations.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { finishRequest } from "../../jobs/signals.ts";
import { idOrPick } from "../../lists/pick-items.ts";
import { usageFailure } from "../../errors/errors.ts";
import { joinAnd } from "../../errors/words.ts";
import { writeOrUndelivered } from "../../output/output-stream.ts";
import { collectScopes, collectSomeScopes } from "../../config/global-options.ts";
import type { NewAuthorizationOptions } from "./new-authorization.ts";
import { authorizations } from "../../nouns.ts";

interface UpdateOptions extends Omit<NewAuthorizationOptions, "machineFingerprint"> {
  readonly addScope?: readonly string[];
  readonly removeScope?: readonly string[];
}

export const define: Define = (command, act) => {
  command
    .description("Change an authorization. The value of its token stays the same.")
    .argument("[id]", "ID of the authorization; on a terminal, you can select one instead")
    .option(
      "--scope <scope>",
      "Replace the scopes (can be repeated; an empty value removes all scopes)",
      collectScopes,
    )
    .option("--add-scope <scope>", "Add a scope (can be repeated)", collectSomeScopes)
    .option("--remove-scope <scope>", "Remove a scope (can be repeated)", collectSomeScopes)
    .option("--note <text>", "What the token is for")
    .option("--note-url <url>", "URL that reminds you what the token is for")
    .option("--fingerprint <text>", "Text that distinguishes this token from the application's other tokens")
    .action(act(run));
  printsFields(command, authorizations.presentation.fields);
  addExamples(command, [
    "grantctl authorization update 42 --add-scope gist",
    'grantctl authorization update 42 --note "CI for the web team"',
  ]);
};

async function run(context: Context, given: string | undefined, options: UpdateOptions): Promise<void> {
  const { scope, addScope, removeScope, note, noteUrl, fingerprint } = options;
  const scopes = { "--scope": scope, "--add-scope": addScope, "--remove-scope": removeScope };
  const flags = Object.entries(scopes).flatMap(([flag, words]) => (words === undefined ? [] : flag));
  if (flags.length > 1) throw usageFailure(`${joinAnd(flags)} cannot be used together`);
  for (const [flag, text] of Object.entries({ note, "note-url": noteUrl, fingerprint }))
    if (text === "")
      throw usageFailure(
        `--${flag} is empty: servers keep the old text`,
        "Use another text, or leave the flag out.",
      );
  // A script's variable may be empty by mistake.
  if (scope?.length === 0) context.notices.warn("--scope is empty: all scopes are removed");
  const changes = {
    scopes: scope,
    add_scopes: addScope,
    remove_scopes: removeScope,
    note,
    note_url: noteUrl,
    fingerprint,
  };
  if (Object.values(changes).every((value) => value === undefined))
    throw usageFailure(
      "there is nothing to change",
      "Add --note, --scope or another flag that specifies a change.",
    );

  const id = await idOrPick(given, context, authorizations, "update");
  const { service } = await context.server.accountService();
  const updated = await finishRequest(context, () => updateAuthorization(service, id, changes));
  await writeOrUndelivered(
    () => context.printer.printItem(updated, authorizations.presentation),
    "the change was made, but the report could not be printed",
  );
}
